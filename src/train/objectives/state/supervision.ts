/**
 * @file State supervision: an auxiliary loss that trains the hidden vector after each line to encode the state of the program.
 *
 *     program     a = 2 \n     b = 3 \n          h: hidden vector of a layer at the last token of the line
 *     head(h)     a 2          a 2 b 3           is dropped at inference
 *
 * Every head is an objective; the questions are the same for all (`targets.ts`).
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024).
 */

import { fail } from "../../../core/error.ts";
import type { Rng } from "../../../core/rng.ts";
import type { Model } from "../../../models/index.ts";
import { applyBlocks } from "../../../models/stack.ts";
import { StateSupervision } from "../../../schemas/run-config.ts";
import type { Prepared } from "../../../tasks/task.ts";
import {
  embedding,
  type Graph,
  multiply,
  type ParameterTree,
  reshape,
  rmsNorm,
  type Tensor,
  type TensorData,
  type TensorTree,
} from "../../../tensor/index.ts";
import type {
  LossInputs,
  Objective,
  ObjectiveLoss,
  ObjectiveSetting,
  StagedObjective,
} from "../objective.ts";
import {
  emptyQuestions,
  leftOut,
  type StateQuestions,
  type StateSizes,
  stateFiller,
  stateSizes,
} from "./targets.ts";

/** Key of the parameters of the head in a checkpoint. */
export const STATE_HEAD = "stateHead";

/** Errors: LabError for a head or layer that does not fit. */
export function stateObjective<P extends ParameterTree>(name: string, make: MakeHead<P>) {
  return ({ config, model, prepared, tokenizer }: ObjectiveSetting): Objective => {
    const form = config.stateSupervision ?? StateSupervision.parse({ head: name });
    if (form.typeWeight !== undefined)
      fail("stateSupervision.typeWeight", "head execution, the only one that predicts types", form.head);
    const tap = residualTap(model, form.layer);
    const made = make({ model, prepared, tokenizer });
    const head = prepared.writtenStates === undefined ? made : maybeNothing(made);
    return {
      name,
      lossName: "stateLoss",
      ...(head.usualWeight !== undefined && { usualWeight: head.usualWeight }),
      own: { key: STATE_HEAD, initial: head.init },
      notes: notesOn(prepared, form),
      inStage({ prepared: all, rows, length }): StagedObjective {
        const sizes = stateSizes(all, tokenizer, form, length);
        const fill = stateFiller(all, tokenizer, form);
        return {
          sizes,
          loss: (inputs) => lossOf(head, model, tap, sizes, inputs),
          sheet() {
            const questions = emptyQuestions(rows, sizes);
            return {
              read: (...example) => fill(questions, ...example),
              feeds: () => ({ "state.positions": questions.positions, ...head.feeds(questions) }),
            };
          },
        };
      },
    };
  };
}

function lossOf<P extends ParameterTree>(
  head: StateHead<P>,
  model: Model,
  tap: string,
  sizes: StateSizes,
  { graph, tokens, tap: tapped, parameters, own }: LossInputs,
): ObjectiveLoss {
  const [rows] = tokens.shape;
  const positions = graph.input("state.positions", [rows * sizes.questions], "int32");
  const { loss, accuracy } = head.loss(own as TensorTree<P>, {
    graph,
    rows,
    sizes,
    hidden: rmsNorm(rowsAt(tapped(tap), positions)),
    read(text, last) {
      let at: Tensor | undefined;
      const taps = (name: string, value: Tensor) => {
        if (name === tap) at = value;
      };
      applyBlocks(model, parameters, embedding(parameters.embedding, text), { taps });
      return rmsNorm(rowsAt(at!, last)); // every layer is tapped
    },
  });
  return { loss, records: { stateAccuracy: accuracy } };
}

/** A head for a task that omits long states: for a batch without any question its loss is 0. */
function maybeNothing<P extends ParameterTree>(head: StateHead<P>): StateHead<P> {
  return {
    ...head,
    loss(parameters: TensorTree<P>, inputs: HeadInputs) {
      const found = head.loss(parameters, inputs);
      const asked = inputs.graph.input("state.asked", []);
      return { loss: multiply(found.loss, asked), accuracy: multiply(found.accuracy, asked) };
    },
    feeds(questions: StateQuestions) {
      const { weights } = questions;
      const asked = weights.includes(1);
      // A mean needs weights: if nothing is asked, all count equally and the loss is multiplied by 0.
      const given = asked ? questions : { ...questions, weights: weights.map(() => 1) };
      return { ...head.feeds(given), "state.asked": Float32Array.of(Number(asked)) };
    },
  };
}

/** The tap of the hidden vectors. */
export function residualTap({ mixers: { length: layers } }: Model, layer = layers - 1): string {
  if (layer >= layers) fail("stateSupervision.layer", `a layer of 0 to ${layers - 1}`, layer);
  return `layers.${layer}.residual`;
}

function notesOn({ writtenStates }: Prepared, { state }: StateSupervision): string[] {
  if (writtenStates === undefined) return [];
  const { states, tooLong } = leftOut(writtenStates, state);
  if (tooLong === 0) return [];
  return [
    `stateSupervision: ${tooLong} of ${states} states are longer than task.mostStateWords and left out`,
  ];
}

/** x [B, T, d], indices int32 [N] into B T -> [N, d]. */
export function rowsAt(x: Tensor, indices: Tensor): Tensor {
  const [rows, length, width] = x.shape;
  return embedding(reshape(x, [rows * length, width]), indices);
}

/** Inputs of the loss of a head. */
interface HeadInputs {
  readonly graph: Graph;
  /** Examples of a batch. */
  readonly rows: number;
  readonly sizes: StateSizes;
  /** Hidden vectors at the questions, with root mean square 1: [B Q, d]. */
  readonly hidden: Tensor;
  /** Hidden vectors of other texts: tokens int32 [N, M], and the index of the last token of each among all N M, int32 [N] -> [N, d]. */
  readonly read: (tokens: Tensor, last: Tensor) => Tensor;
}

interface HeadLoss {
  readonly loss: Tensor;
  /** In [0, 1]. */
  readonly accuracy: Tensor;
}

export interface StateHead<P extends ParameterTree = ParameterTree> {
  /** Weight if the configuration gives none; default 1. */
  readonly usualWeight?: number;
  init(rng: Rng): P;
  /** Declares the inputs that `feeds` fills. */
  loss(parameters: TensorTree<P>, inputs: HeadInputs): HeadLoss;
  feeds(questions: StateQuestions): Readonly<Record<string, TensorData>>;
}

export type HeadSetting = Omit<ObjectiveSetting, "config">;

type MakeHead<P extends ParameterTree> = (setting: HeadSetting) => StateHead<P>;

/**
 * @file State supervision: an auxiliary loss that makes the hidden vector after each line know the program's state.
 *
 *     loss = the model's own + weight * the head's        the head is dropped at inference
 *
 * Heads in the order of their strength: `linear`, `decoder`, `contrastive`. To add one: write its file and one line here.
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024).
 */

import type { Rng } from "../../math/rng.ts";
import { applyBlocks, type Model } from "../../models/index.ts";
import { fail } from "../../records/error.ts";
import type { StateSupervision } from "../../records/run.ts";
import type { Prepared, StateQuestions, StateSizes } from "../../tasks/index.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
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
} from "../../tensor/index.ts";
import { contrastiveHead } from "./contrastive.ts";
import { decoderHead } from "./decoder.ts";
import type { HeadLoss, HeadSetting, ModelTensors, StateHead } from "./head.ts";
import { linearHead } from "./linear.ts";

const heads = {
  linear: linearHead,
  decoder: decoderHead,
  contrastive: contrastiveHead,
} as const satisfies Record<StateSupervision["head"], (setting: HeadSetting) => unknown>;

/** Under which the head's parameters stand in a checkpoint. */
export const STATE_HEAD = "stateHead";

export interface Supervision {
  readonly weight: number;
  init(rng: Rng): ParameterTree;
  /** The tap of the model at which the hidden vectors are read. */
  readonly tap: string;
  /** hidden [B, T, d], of that tap. Declares the inputs that `feeds` fills. */
  loss(
    parameters: TensorTree<ParameterTree>,
    model: ModelTensors,
    hidden: Tensor,
    sizes: StateSizes,
    graph: Graph,
  ): HeadLoss;
  feeds(questions: StateQuestions): Readonly<Record<string, TensorData>>;
}

/** Errors: LabError for a head or layer that does not fit. */
export function stateSupervision(
  { head: name, weight, layer = -1 }: StateSupervision,
  model: Model,
  prepared: Prepared,
  tokenizer: Tokenizer,
): Supervision {
  const layers = model.mixers.length;
  if (layer >= layers) fail("stateSupervision.layer", `a layer of 0 to ${layers - 1}`, layer);
  const tap = `layers.${layer < 0 ? layers - 1 : layer}.residual`;
  const head = heads[name]({ model, prepared, tokenizer }) as unknown as StateHead; // its parameters are its own
  // Of a task that leaves out what is too long, a batch may ask for no state at all.
  const mayAskNone = prepared.writtenStates !== undefined;
  return {
    weight: weight ?? (name === "contrastive" ? 0.1 : 1),
    init: head.init,
    tap,
    loss(parameters, p, hidden, sizes, graph) {
      const [rows] = hidden.shape;
      const positions = graph.input("state.positions", [rows * sizes.questions], "int32");
      const found = head.loss(parameters, {
        graph,
        rows,
        sizes,
        hidden: rmsNorm(rowsAt(hidden, positions)),
        read(tokens, last) {
          let at: Tensor | undefined;
          const taps = (tapped: string, value: Tensor) => {
            if (tapped === tap) at = value;
          };
          applyBlocks(model, p, embedding(p.embedding, tokens), { taps });
          return rmsNorm(rowsAt(at!, last)); // every layer is tapped
        },
      });
      if (!mayAskNone) return found;
      const asked = graph.input("state.asked", []);
      return { loss: multiply(found.loss, asked), accuracy: multiply(found.accuracy, asked) };
    },
    feeds(questions) {
      const { positions, weights } = questions;
      const feeds = (given: StateQuestions) => ({ "state.positions": positions, ...head.feeds(given) });
      if (!mayAskNone) return feeds(questions);
      const asked = weights.includes(1);
      // Of no weights there is no mean: where nothing is asked all count alike, and the loss counts nothing.
      const given = asked ? questions : { ...questions, weights: weights.map(() => 1) };
      return { ...feeds(given), "state.asked": Float32Array.of(Number(asked)) };
    },
  };
}

/** x [B, T, d], indices int32 [N] into B T -> [N, d]. */
function rowsAt(x: Tensor, indices: Tensor): Tensor {
  const [rows, length, width] = x.shape;
  return embedding(reshape(x, [rows * length, width]), indices);
}

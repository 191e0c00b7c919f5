/**
 * @file Execution heads: predict which lines ran, and the final value and type of each variable, from the hidden vectors of a function.
 *
 *     loss = mean over lines -log softmax(h_line W_ran)[ran] + mean over variables -log softmax(h_end W_value)[value]
 *                                                        + typeWeight mean over variables -log softmax(h_end W_type)[type]
 *
 * h is taken at the last token of a line, and of the whole function. The text is the source as written, without unrolling or
 * annotations. The heads are dropped after training.
 *
 * Source: TRACED (Ding et al. 2023, arXiv:2306.07487) for the labels; types in addition to values are from Idioms (2025). Training
 * them together with the answers, instead of before, is our own.
 */

import { fail } from "../../core/error.ts";
import type { Rng } from "../../core/rng.ts";
import { constantParameter, normal } from "../../models/layers.ts";
import { StateSupervision } from "../../schemas/run-config.ts";
import { idsOfWords, type WordBuffer } from "../../tasks/batch/rows.ts";
import type { LabelledRun, Prepared } from "../../tasks/task.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import { weightOf } from "../../tensor/cross-entropy.ts";
import {
  add,
  correct,
  crossEntropy,
  divide,
  linear,
  multiply,
  reshape,
  rmsNorm,
  scale,
  sum,
  type Tensor,
  type TensorTree,
} from "../../tensor/index.ts";
import type { LossInputs, Objective, ObjectiveLoss, ObjectiveSetting, Sheet } from "./objective.ts";
import { residualTap, rowsAt } from "./state/supervision.ts";

export const EXECUTION_HEADS = "executionHeads";

/** @throws LabError for a task whose text is not a function that runs once. */
function runOf({ execution }: Prepared): LabelledRun {
  if (execution !== undefined) return execution;
  return fail("stateSupervision.head", "another head for this task", "execution", "branches is such a task");
}

type Heads = ReturnType<typeof headsFor>;

function headsFor(rng: Rng, width: number, { variables, valueClasses, typeClasses }: LabelledRun) {
  const head = (name: string, classes: number) => ({
    weight: normal(rng.fork(name), [width, classes]),
    bias: constantParameter([classes], 0),
  });
  return {
    ran: head("ran", 2),
    value: head("value", variables.length * valueClasses.length),
    type: head("type", variables.length * typeClasses.length),
  };
}

export function executionHeads({ config, model, prepared, tokenizer }: ObjectiveSetting): Objective {
  const form = config.stateSupervision ?? StateSupervision.parse({ head: "execution" });
  if (form.position !== "newline" || form.state !== "all")
    fail(
      "stateSupervision",
      "position newline and state all with this head",
      `${form.position}, ${form.state}`,
    );
  const tap = residualTap(model, form.layer);
  const labelled = runOf(prepared);
  return {
    name: "execution",
    lossName: "executionLoss",
    own: {
      key: EXECUTION_HEADS,
      initial: (rng) => headsFor(rng, model.width, labelled),
    },
    inStage({ prepared: all, rows }) {
      const run = runOf(all);
      return {
        sizes: { lines: run.mostLines },
        loss: (inputs) => lossOf(inputs, tap, rows, run, form.typeWeight),
        sheet: () => sheetOf(all, run, tokenizer, rows),
      };
    },
  };
}

function lossOf(
  { graph, tap, own }: LossInputs,
  name: string,
  rows: number,
  { variables: { length: variables }, valueClasses, typeClasses, mostLines }: LabelledRun,
  typeWeight = 1,
): ObjectiveLoss {
  const heads = own as TensorTree<Heads>; // as `initial` makes them
  const hidden = (places: Tensor) => rmsNorm(rowsAt(tap(name), places));
  const read = (at: Tensor, { weight, bias }: TensorTree<Heads["ran"]>) => add(linear(at, weight), bias);
  const lineHidden = hidden(graph.input("execution.lines", [rows * mostLines], "int32"));
  const endHidden = hidden(graph.input("execution.ends", [rows], "int32"));
  const ran = graph.input("execution.ran", [rows * mostLines], "int32");
  const weights = graph.input("execution.lineWeights", [rows * mostLines]);
  const ranLogits = read(lineHidden, heads.ran); // [B L, 2]
  const right = divide(sum(multiply(correct(ranLogits, ran), weights)), weightOf(weights));
  const ofVariables = (head: TensorTree<Heads["ran"]>, classes: number, kind: string) => {
    const logits = reshape(read(endHidden, head), [rows, variables, classes]);
    const targets = graph.input(`execution.${kind}`, [rows, variables], "int32");
    const all = graph.constant(new Float32Array(rows * variables).fill(1), [rows, variables]);
    return {
      loss: crossEntropy(logits, targets, all),
      right: divide(sum(correct(logits, targets)), weightOf(all)),
    };
  };
  const values = ofVariables(heads.value, valueClasses.length, "values");
  const types = ofVariables(heads.type, typeClasses.length, "types");
  return {
    loss: add(crossEntropy(ranLogits, ran, weights), add(values.loss, scale(types.loss, typeWeight))),
    records: { linesAccuracy: right, valuesAccuracy: values.right, typesAccuracy: types.right },
  };
}

function sheetOf(
  { words }: Prepared,
  { variables: { length: variables }, valueClasses, typeClasses, mostLines, of }: LabelledRun,
  tokenizer: Tokenizer,
  rows: number,
): Sheet {
  const lines = new Int32Array(rows * mostLines);
  const ran = new Int32Array(rows * mostLines);
  const lineWeights = new Float32Array(rows * mostLines);
  const ends = new Int32Array(rows);
  const [values, types] = [new Int32Array(rows * variables), new Int32Array(rows * variables)];
  const { starts } = idsOfWords(words, tokenizer);
  return {
    read(row, example, start) {
      const { text, tokenBefore } = readingOf(example, words, starts);
      const found = of({ text });
      const first = row * mostLines;
      for (const array of [lines, ran, lineWeights]) array.fill(0, first, first + mostLines);
      for (const [i, line] of found.lines.entries()) {
        lines[first + i] = start + tokenBefore(line.end);
        ran[first + i] = Number(line.ran);
        lineWeights[first + i] = 1;
      }
      ends[row] = start + tokenBefore(found.end);
      for (const [i, { value, type }] of found.values.entries()) {
        values[row * variables + i] = valueClasses.indexOf(value);
        types[row * variables + i] = typeClasses.indexOf(type);
      }
    },
    feeds: () => ({
      "execution.lines": lines,
      "execution.ran": ran,
      "execution.lineWeights": lineWeights,
      "execution.ends": ends,
      "execution.values": values,
      "execution.types": types,
    }),
  };
}

/** An example as text, and the last token before the end of a word. */
function readingOf({ words: written, count }: WordBuffer, words: readonly string[], starts: Int32Array) {
  let text = "";
  let tokens = 0;
  const before = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    text += words[written[i]];
    tokens += starts[written[i] + 1] - starts[written[i]];
    before.set(text.length, tokens - 1);
  }
  return { text, tokenBefore: (end: number) => before.get(end)! }; // lines end with a word
}

/**
 * @file The linear state head: one classifier per variable on the hidden vector h after a line.
 *
 *     loss = mean over variables i of -log softmax(W_i h + b_i)[value of i]
 *
 * With one variable of few values it is the published head; one classifier for each of several variables is our own.
 */

import { fail } from "../../core/error.ts";
import { constantParameter, normal } from "../../models/layers.ts";
import { weightOf } from "../../tensor/cross-entropy.ts";
import { add, correct, crossEntropy, divide, linear, multiply, reshape, sum } from "../../tensor/index.ts";
import { type HeadSetting, type StateHead, stateObjective } from "./state/supervision.ts";

const MOST_CLASSES = 4096;

export const linearState = stateObjective("linear", linearHead);

function linearHead({ model, prepared, tokenizer }: HeadSetting) {
  if (prepared.writtenStates !== undefined) {
    const expected = '"decoder" or "contrastive" for a task whose variables change';
    fail("stateSupervision.head", expected, "linear", "It needs fixed variables");
  }
  const n = prepared.variables.length;
  const classes = prepared.values.length;
  // With so many values, they are numbers of several digits.
  if (n * classes > MOST_CLASSES || prepared.values.some((value) => tokenizer.encode(value).length > 1)) {
    fail(
      "stateSupervision.head",
      '"decoder" or "contrastive" for a task whose values are several tokens',
      "linear",
    );
  }
  const head: StateHead<ReturnType<typeof init>> = { init, loss, feeds };
  return head;

  function init(rng: Parameters<StateHead["init"]>[0]) {
    return {
      weight: normal(rng.fork("weight"), [model.width, n * classes]),
      bias: constantParameter([n * classes], 0),
    };
  }

  function loss(
    p: Parameters<typeof head.loss>[0],
    { graph, rows, sizes, hidden }: Parameters<typeof head.loss>[1],
  ) {
    const questions = rows * sizes.questions;
    const targets = graph.input("state.values", [questions, n], "int32");
    const weights = graph.input("state.valueWeights", [questions, n]);
    const logits = reshape(add(linear(hidden, p.weight), p.bias), [questions, n, classes]);
    const right = sum(multiply(correct(logits, targets), weights));
    return { loss: crossEntropy(logits, targets, weights), accuracy: divide(right, weightOf(weights)) };
  }

  function feeds({ values, valueWeights }: Parameters<StateHead["feeds"]>[0]) {
    return { "state.values": values, "state.valueWeights": valueWeights };
  }
}

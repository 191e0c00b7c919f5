/**
 * @file The loss on reveals for tasks with hidden chance: the target is the exact probability of each value instead of the drawn
 * value.
 *
 *     loss = mean over reveals of  -sum_v p(v | all above) log q(v)
 *
 * It is the expectation of the loss on reveals over the draw, so its gradient has the same mean and less variance (Rao-Blackwell);
 * without hidden chance both are equal. The minimum, at q = p, is the entropy of p.
 *
 * Source: the step of Rao 1945 and Blackwell 1947; the posterior is the task's own.
 */

import { fail } from "../../core/error.ts";
import { idsOfValues, type WordBuffer } from "../../tasks/batch/rows.ts";
import type { Batch } from "../../tasks/batch.ts";
import type { Prepared } from "../../tasks/task.ts";
import { linear, logSoftmax, multiply, negate, oneHot, sum } from "../../tensor/index.ts";
import type { LossInputs, Objective, ObjectiveSetting } from "./objective.ts";

const SHARES = "posterior.shares";

export function posterior({ tokenizer }: Pick<ObjectiveSetting, "tokenizer">): Objective {
  return {
    name: "posterior",
    lossName: "posteriorLoss",
    inStage({ prepared }) {
      const { posterior: sharesOf, words, values, tokenized } = prepared;
      const textOf = (ids: Int32Array) =>
        tokenized?.tokenizer.decode(ids) ?? Array.from(ids, (word) => words[word]).join("");
      if (sharesOf === undefined) {
        const hint = "This task has no hidden randomness, or a stage has several variants";
        fail(
          "train.loss",
          '"revealed-values" for a task without the probabilities of its values',
          "posterior",
          hint,
        );
      }
      const tokens = idsOfValues(prepared, tokenizer).map(([token, ...rest], i) => {
        if (rest.length === 0) return token;
        const several = '"revealed-values" where a value is of several tokens';
        return fail("train.loss", several, "posterior", values[i]);
      });
      return {
        loss: (inputs) => lossOf(inputs, tokens),
        sheet: () => sheetOf(sharesOf, textOf, values.length),
      };
    },
  };
}

function lossOf({ graph, logits }: LossInputs, tokens: readonly number[]) {
  const [rows, length, vocabulary] = logits.shape;
  const shares = graph.input(SHARES, [rows, length, tokens.length]); // they sum to 1 over the batch
  const places = graph.constant(Int32Array.from(tokens), [tokens.length]);
  const wanted = linear(shares, oneHot(places, vocabulary)); // [B, T, V]
  return { loss: negate(sum(multiply(wanted, logSoftmax(logits)))) };
}

function sheetOf(
  sharesOf: NonNullable<Prepared["posterior"]>,
  textOf: (words: Int32Array) => string,
  values: number,
) {
  const noted: ArrayLike<number>[][] = [];
  return {
    read(number: number, example: WordBuffer) {
      noted[number] = sharesOf({ text: textOf(example.words.subarray(0, example.count)) });
    },
    feeds({ rows, length, revealStarts, revealPositions }: Batch) {
      const shares = new Float32Array(rows * length * values);
      const examples = revealStarts.length - 1;
      const reveals = revealStarts[examples];
      for (let number = 0; number < examples; number++) {
        for (const [i, each] of noted[number].entries()) {
          const start = revealPositions[revealStarts[number] + i] * values;
          for (let value = 0; value < values; value++) shares[start + value] = each[value] / reveals;
        }
      }
      return { [SHARES]: shares };
    },
    asked: ({ revealStarts }: Batch) => revealStarts[revealStarts.length - 1],
  };
}

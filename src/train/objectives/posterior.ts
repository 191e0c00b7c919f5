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
import type { WordBuffer } from "../../tasks/batch/rows.ts";
import type { Batch } from "../../tasks/batch.ts";
import type { Prepared } from "../../tasks/task.ts";
import { linear, logSoftmax, multiply, negate, oneHot, sum } from "../../tensor/index.ts";
import type { LossInputs, Objective, ObjectiveSetting } from "./objective.ts";

const SHARES = "posterior.shares";

export function posterior({ tokenizer }: Pick<ObjectiveSetting, "tokenizer">): Objective {
  return {
    name: "posterior",
    lossName: "posteriorLoss",
    inStage({ prepared: { posterior: sharesOf, words, values } }) {
      if (sharesOf === undefined) {
        const hint = "This task has no hidden randomness, or a stage has several variants";
        fail(
          "train.loss",
          '"revealed-values" for a task without the probabilities of its values',
          "posterior",
          hint,
        );
      }
      const tokens = values.map((value) => {
        const [token, ...rest] = tokenizer.encode(value);
        if (rest.length === 0) return token;
        return fail("train.loss", '"revealed-values" where a value is of several tokens', "posterior", value);
      });
      return {
        loss: (inputs) => lossOf(inputs, tokens),
        sheet: () => sheetOf(sharesOf, words, values.length),
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

function sheetOf(sharesOf: NonNullable<Prepared["posterior"]>, words: readonly string[], values: number) {
  const noted: ArrayLike<number>[][] = [];
  return {
    read(number: number, example: WordBuffer) {
      const text = Array.from(example.words.subarray(0, example.count), (word) => words[word]).join("");
      noted[number] = sharesOf({ text });
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

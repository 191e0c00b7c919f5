/**
 * @file Prints that may be false: with probability e, another value replaces a revealed one, all equally likely.
 *
 *     target    (1 - a) printed + a own most probable word          a rises from 0 to `mixing` over the training
 *
 * The own prediction is that of the weights before the step, without gradient. `programs` limits the corpus to so many programs, each
 * always with the same false prints, so that there is something to memorize. On unlimited fresh programs the most probable word
 * remains the true one while e < (n - 1) / n, and mixing has nothing to correct.
 *
 *     least loss on prints of n values     H(e) + e ln(n - 1)
 *
 * Source: mixing labels with own predictions: Reed et al. 2014, arXiv:1412.6596.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import { defineSignal, type Weigh } from "./objective.ts";

export const noisy = defineSignal({
  params: z.strictObject({
    /** e. */
    falsify: z.number().min(0).max(1).default(0.2),
    mixing: z.number().min(0).max(1).default(0.5),
    /** Number of different programs; unlimited by default. */
    programs: z.int().positive().optional(),
  }),
  show: (prepared, { falsify }) => withFalsePrints(prepared, falsify),
  corpus: ({ programs }) => programs,
  weighing: {
    layers: () => 2,
    records: ["mixing"],
    weigh: ({ mixing }, { config }) => weighMixed((step) => (mixing * step) / config.train.steps),
  },
});

export function withFalsePrints(prepared: Prepared, share: number): Prepared {
  const { words, values, asks } = prepared;
  const wordOf = values.map((value) => words.indexOf(value));
  if (asks === "states" || values.length < 2 || wordOf.includes(-1)) {
    fail("objective", '"noisy" with a task that prints values of one word each', "another task");
  }
  return {
    ...prepared,
    write(rng, sink) {
      const chance = rng.fork("noise");
      let printed: number | undefined;
      const falsifying: Sink = {
        ...{ target: sink.target.bind(sink), state: sink.state.bind(sink) },
        reveal(variable, value, length) {
          const isFalse = chance.next() < share;
          const other = chance.below(values.length - 1);
          const shown = isFalse ? other + Number(other >= value) : value;
          printed = wordOf[shown];
          sink.reveal(variable, shown, length);
        },
        word(index) {
          sink.word(printed ?? index);
          printed = undefined;
        },
      };
      prepared.write(rng, falsifying);
    },
  };
}

/** @param shareAt the share of the own prediction at a step. */
export function weighMixed(shareAt: (step: number) => number): Weigh {
  return async ({ tokens, targets, weights }, { step, logProbabilities }) => {
    const share = shareAt(step);
    const said = await logProbabilities(tokens);
    const vocabulary = said.length / tokens.length;
    const asked = Math.max(
      1,
      weights.reduce((sum, weight) => sum + weight, 0),
    );
    const own = targets.map((_, at) => {
      const row = said.subarray(at * vocabulary, (at + 1) * vocabulary);
      return row.indexOf(row.reduce((most, each) => Math.max(most, each)));
    });
    const weighed = (part: number) => weights.map((weight) => (part * weight) / asked);
    return {
      targets: [targets, own],
      weights: [weighed(1 - share), weighed(share)],
      records: { mixing: share },
    };
  };
}

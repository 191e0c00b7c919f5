/**
 * @file Prints that may be false: with probability e another value stands in the place of a revealed one, all equally likely.
 *
 *     target    (1 - a) printed + a own most probable word          a rises from 0 to `mixing` over the training
 *
 * The own prediction is that of the weights before the step; nothing flows through it. `programs` makes a corpus of so many
 * programs, seen again and again, each always with the same false prints: there is something to memorise. On endless fresh
 * programs the most probable word stays the true one while e < (n - 1) / n, and mixing has nothing to mend.
 *
 *     least loss on prints of n values     H(e) + e ln(n - 1)
 *
 * Source: mixing labels with own predictions: Reed et al. 2014, arXiv:1412.6596.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import { defineSignal, type Weigh } from "./signal.ts";

export const noisy = defineSignal({
  name: "noisy",
  source: "arXiv:1412.6596",
  params: z.strictObject({
    /** e. */
    falsify: z.number().min(0).max(1).default(0.2),
    mixing: z.number().min(0).max(1).default(0.5),
    /** Different programs; endless ones where it is not said. */
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
    fail("teach.signal", '"noisy" with a task that prints values of one word each', "another task");
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

/** @param shareAt of the own prediction at each step. */
export function weighMixed(shareAt: (step: number) => number): Weigh {
  return async ({ tokens, targets, weights }, { step, logProbabilities }) => {
    const share = shareAt(step);
    const said = await logProbabilities(tokens);
    const vocabulary = said.length / tokens.length;
    const asked = weights.reduce((sum, weight) => sum + weight, 0);
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

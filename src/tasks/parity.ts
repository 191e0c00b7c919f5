/**
 * @file Parity: is the number of ones odd?
 *
 *     written    1  0  1  1  0
 *     asked                  1        after the last bit, or after each: 1 1 0 1 1
 *
 * Bits are fair and independent. The state is the sum of the bits so far, mod 2; it is never written. It is the smallest state that a
 * recurrence with eigenvalues in [0, 1] cannot keep for long.
 *
 * References: `exactBayes` sees all bits. `windowedBayes` sees the last W, and is at chance if there are more.
 *
 * Source: Deletang et al. 2022, arXiv:2207.02098; lengths 3 to 40 in training and 40 to 256 in the test: Grazzi et al.
 * 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

export const ParityParams = z.strictObject({
  length: Length.default([3, 40]).describe("Bits per example"),
  targets: z.enum(["last", "each"]).default("last").describe("Asks after each bit, or after the last"),
});
export type ParityParams = z.infer<typeof ParityParams>;

export const parity = defineTask<ParityParams>({
  name: "parity",
  summary: "a sequence of bits: is the number of ones odd?",
  source: "arXiv:2207.02098, arXiv:2411.12537",
  params: ParityParams,
  prepare: prepareParity,
  ask: () =>
    stateAfter(
      "Below are strings of bits. ?? stands for 1 where the number of ones in the string is odd, and for 0 where it is even",
      ["0", "1"],
    ),
});

function prepareParity({ length, targets }: ParityParams): Prepared {
  const range = lengthRange(length, "parity");
  const state = new Int32Array(1);
  return {
    words: ["0", "1"],
    variables: ["parity"],
    values: ["0", "1"],
    asks: "states",
    maximumWords: range.most,
    maximumStates: range.most + 1, // one before the first bit
    maximumCharacters: range.most,
    write(rng, sink) {
      const bits = drawLength(range, rng);
      state[0] = 0;
      sink.state(state);
      for (let at = 1; at <= bits; at++) {
        const bit = rng.below(2);
        sink.word(bit);
        state[0] ^= bit;
        sink.state(state);
        if (targets === "each" || at === bits) sink.target(0, state[0]);
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      windowedBayes: ({ reveals }) => reveals.map(({ commands }) => (commands <= range.most ? 1 : 1 / 2)),
    },
  };
}

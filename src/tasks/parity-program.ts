/**
 * @file Parity as a program: one bit per line is XORed into `p`, and the end asserts its value.
 *
 *     p = 1
 *     p ^= 0
 *     p ^= 1
 *     assert p == 0        asked: the 0
 *
 * All bits are fair and independent, including the first. The state after a line is the value of `p` in CPython.
 *
 * References: `exactBayes` sees every line. `windowedBayes` sees the last W, and is at chance if there are more.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024). That the first value is drawn is our own.
 */

import { z } from "zod";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared, writeWords } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const ParityProgramParams = z.strictObject({
  length: Length.default(16).describe("Number of XOR lines"),
});
type ParityProgramParams = z.infer<typeof ParityProgramParams>;

export const parityProgram = defineTask<ParityProgramParams>({
  name: "parity-program",
  summary: "a Python program that reads one bit per line: is the number of ones odd?",
  source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
  params: ParityProgramParams,
  prepare: prepareParityProgram,
  ask: () => lastAssertion,
});

const WORDS = ["0", "1", "\n", "p = ", "p ^= ", "assert p == "];
const [, , newline, start, flip, assert] = WORDS.keys();

function prepareParityProgram({ length }: ParityProgramParams): Prepared {
  const range = lengthRange(length, "parity-program");
  const state = new Int32Array(1);
  return {
    words: WORDS,
    variables: ["p"],
    values: ["0", "1"],
    maximumWords: 3 * (range.most + 2),
    maximumCharacters: "p = 1\n".length + range.most * "p ^= 0\n".length + "assert p == 0\n".length,
    maximumStates: range.most + 1,
    write(rng, sink) {
      const lines = drawLength(range, rng);
      state[0] = 0;
      for (let line = 0; line <= lines; line++) {
        const bit = rng.below(2);
        writeWords(sink, line === 0 ? start : flip, bit, newline);
        state[0] ^= bit;
        sink.state(state);
      }
      sink.word(assert);
      sink.reveal(0, state[0]);
      writeWords(sink, state[0], newline);
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      windowedBayes: ({ reveals }) => reveals.map(({ commands }) => (commands <= range.most ? 1 : 1 / 2)),
    },
  };
}

/**
 * @file Recall: which bit is at an address of a list?
 *
 *     bits = [0, 1, 1, 0]
 *     a = 2
 *     assert bits[a] == 1        the revealed value is the bit
 *
 * No state to track; something written long ago must be retrieved. Bits are fair, the address is uniform.
 *
 * References: `exactBayes` sees all; `majority` answers with the more common bit of the list.
 *
 * Source: Olmo Hybrid, arXiv:2604.03444, appendix C. That numbers are one word each is our own choice.
 */

import { z } from "zod";
import { drawLength, Length, lengthRange } from "./length.ts";
import {
  checkAddresses,
  equals,
  firstVariable,
  majorityBit,
  newline,
  recallSize,
  recallWords,
  writeBits,
  writeQuestion,
} from "./recall/vocabulary.ts";
import { defineTask, type Prepared, writeWords } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const RecallParams = z.strictObject({
  /** m: bits in the list, or the range from which that is drawn. */
  length: Length.default(128),
  /** Number of addresses in the vocabulary; the same in all stages and tests, and at least the length. */
  addresses: z.int().min(2).max(10_000).default(128),
});
type RecallParams = z.infer<typeof RecallParams>;

export const recall = defineTask<RecallParams>({
  name: "recall",
  summary: "a Python program with a list of bits and an address; which bit stands there?",
  source: "arXiv:2604.03444",
  params: RecallParams,
  prepare: prepareRecall,
  ask: () => lastAssertion,
});

const firstNumber = firstVariable + 1;

function prepareRecall({ length, addresses }: RecallParams): Prepared {
  const range = lengthRange(length, "recall");
  checkAddresses("recall", range, addresses, 1);
  const size = recallSize(range.most);
  const memory = new Uint8Array(range.most);
  return {
    words: recallWords(1, addresses),
    variables: ["bits[a]"],
    values: ["0", "1"],
    maximumWords: size.words + 4,
    maximumCharacters: size.characters + `a = ${range.most - 1}\n`.length,
    write(rng, sink) {
      const bits = memory.subarray(0, drawLength(range, rng));
      writeBits(rng, sink, bits, firstNumber);
      const address = rng.below(bits.length);
      writeWords(sink, firstVariable, equals, firstNumber + address, newline);
      sink.state([bits[address]]);
      writeQuestion(sink, 0, bits[address], firstNumber);
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      majority: ({ text, reveals }) => {
        const bits = text.slice(text.indexOf("[") + 1, text.indexOf("]")).split(", ");
        return reveals.map(() => majorityBit(bits));
      },
    },
  };
}

/**
 * @file Recall: which bit is at an address of a list?
 *
 *     bits = [0, 1, 1, 0]
 *     a = 2
 *     assert bits[a] == 1        the revealed value is the bit
 *
 * No state to track; something written long ago must be retrieved. Bits are fair, the address is uniform.
 *
 * References: `exactBayes` sees all. `majority` answers with the more common bit of the list.
 *
 * Source: Olmo Hybrid, arXiv:2604.03444, appendix C. That numbers are one word each is our own choice.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { drawLength, Length, type LengthRange, lengthRange } from "./length.ts";
import { VARIABLES } from "./repl/vocabulary.ts";
import { defineTask, type Prepared, type Sink, writeList, writeWords } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const RecallParams = z.strictObject({
  length: Length.default(128).describe("Bits in the list"),
  addresses: z
    .int()
    .min(2)
    .max(10_000)
    .default(128)
    .describe("Number of addresses in the vocabulary, at least the length"),
});
type RecallParams = z.infer<typeof RecallParams>;

export const recall = defineTask<RecallParams>({
  name: "recall",
  summary: "a Python program with a list of bits and an address: which bit is at the address?",
  source: "arXiv:2604.03444",
  params: RecallParams,
  prepare: prepareRecall,
  ask: () => lastAssertion,
});

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

/*
 * The words of programs that look up a bit: an address is one word, and so is a bit.
 *
 *     bits = [0, 1]           "bits = [" "0" ", " "1" "]" "\n"
 *     a = 36                  "a" " = " "36" "\n"
 *     assert bits[a] == 1     "assert bits[" "a" "] == " "1" "\n"
 *
 * The bits 0 and 1 are the same words as the addresses 0 and 1.
 */

const SYMBOLS = ["\n", " = ", ", ", "bits = [", "]", "assert bits[", "] == "];
export const [newline, equals, comma, open, close, assert, is] = SYMBOLS.keys();
export const firstVariable = SYMBOLS.length;
const firstNumber = firstVariable + 1; // with one variable

/** words[firstVariable + i] is variable i, words[firstVariable + n + k] is the number k. */
export function recallWords(n: number, addresses: number): string[] {
  const numbers = Array.from({ length: addresses }, (_, address) => String(address));
  return [...SYMBOLS, ...VARIABLES.slice(0, n), ...numbers];
}

/** Draws `bits` and writes their line. */
export function writeBits(rng: Rng, sink: Sink, bits: Uint8Array, firstNumber: number): void {
  for (let i = 0; i < bits.length; i++) bits[i] = rng.below(2);
  sink.word(open);
  writeList(sink, comma, bits.length, (i) => firstNumber + bits[i]);
  writeWords(sink, close, newline);
}

/** `assert bits[a] == 1`, with its value revealed. */
export function writeQuestion(sink: Sink, variable: number, bit: number, firstNumber: number): void {
  writeWords(sink, assert, firstVariable + variable, is);
  sink.reveal(variable, bit);
  writeWords(sink, firstNumber + bit, newline);
}

/** Sizes of the line of bits and of the question together. */
export function recallSize(length: number): { words: number; characters: number } {
  return {
    words: 2 * length + 2 + 5,
    characters: "bits = []\n".length + 3 * length - 2 + "assert bits[a] == 1\n".length,
  };
}

/** @throws LabError if a list is longer than the number of address words, or shorter than `least`. */
export function checkAddresses(task: string, range: LengthRange, addresses: number, least: number): void {
  if (range.most > addresses) {
    fail(
      task,
      `a length of at most ${addresses}, the number of addresses`,
      range.most,
      "Raise addresses too",
    );
  }
  if (range.least < least) fail(task, `a length of at least ${least}, one bit per variable`, range.least);
}

/** Accuracy of always answering with the more common of these bits, if all are equally likely asked. */
export function majorityBit(bits: readonly string[]): number {
  const ones = bits.filter((bit) => bit === "1").length;
  return Math.max(ones, bits.length - ones) / bits.length;
}

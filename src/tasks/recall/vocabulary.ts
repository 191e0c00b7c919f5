/**
 * @file The words of programs that look up a bit: an address is one word, and so is a bit.
 *
 *     bits = [0, 1]           "bits = [" "0" ", " "1" "]" "\n"
 *     a = 36                  "a" " = " "36" "\n"
 *     assert bits[a] == 1     "assert bits[" "a" "] == " "1" "\n"
 *
 * The bits 0 and 1 are the same words as the addresses 0 and 1.
 */

import { fail } from "../../core/error.ts";
import type { Rng } from "../../core/rng.ts";
import type { LengthRange } from "../length.ts";
import { VARIABLES } from "../repl/vocabulary.ts";
import { type Sink, writeList, writeWords } from "../task.ts";

const SYMBOLS = ["\n", " = ", ", ", "bits = [", "]", "assert bits[", "] == "];
export const [newline, equals, comma, open, close, assert, is] = SYMBOLS.keys();
export const firstVariable = SYMBOLS.length;

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
  if (range.least < least) fail(task, `a length of at least ${least}, one bit a variable`, range.least);
}

/** Accuracy of always answering with the more common of these bits, if all are equally likely asked. */
export function majorityBit(bits: readonly string[]): number {
  const ones = bits.filter((bit) => bit === "1").length;
  return Math.max(ones, bits.length - ones) / bits.length;
}

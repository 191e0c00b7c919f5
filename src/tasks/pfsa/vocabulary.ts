/**
 * @file The words of programs with hidden outcomes. Names and digits are one word each, everywhere.
 *
 *     if random.random() < 0.5: a, b = b, a       "if random.random() < 0." "5" ": " "a" ", " "b" " = " "b" ", " "a" "\n"
 *     else: b, c = c, b                           "else: " "b" ", " "c" " = " "c" ", " "b" "\n"
 *     a, b = random.choice([(b, a), (a, b)])      … " = " "random.choice([(" "b" ", " "a" "), (" "a" ", " "b" ")])" "\n"
 *     a, b = random.sample([1, 2], 2)             … " = " "random.sample([" "1" ", " "2" "], " "2" ")" "\n"
 *
 * A probability is spelled in digits, so all probabilities share the same words. Longest match is always correct.
 */

import type { Sink } from "../task.ts";

const SYMBOLS = [
  ...["\n", " = ", ", ", "print('", "', ", ")", " ", "import random\n"],
  ...["if random.random() < 0.", ": ", "else: ", "random.choice([(", "), (", ")])", "random.sample([", "], "],
];
const DIGITS = Array.from("0123456789");

/** A piece of text as its words. */
export type Parts = readonly string[];

/** The whole vocabulary: the same list for every probability, kind of command and length. */
export function wordsFor(variables: readonly string[]): string[] {
  return [...SYMBOLS, ...variables, ...DIGITS];
}

/** Writes words by their text. */
export function partWriter(words: readonly string[]): (sink: Sink, parts: Parts) => void {
  const places = new Map(words.map((word, i) => [word, i]));
  return (sink, parts) => {
    // Every part is a word of `wordsFor`.
    for (const part of parts) sink.word(places.get(part) as number);
  };
}

/** `x, y, z` */
function listOf(items: Parts, between = ", "): string[] {
  return items.flatMap((item, i) => (i === 0 ? [item] : [between, item]));
}

/** `a, b = b, a` */
export function swapParts(one: string, other: string): string[] {
  return [one, ", ", other, " = ", other, ", ", one];
}

/** `if random.random() < 0.25: ` */
export function maybeParts(probability: number): string[] {
  return ["if random.random() < 0.", ...String(probability).slice("0.".length), ": "];
}

/** `a, b, c = random.choice([(b, a, c), (c, b, a)])` */
export function choiceParts(targets: Parts, choices: readonly Parts[]): string[] {
  const tuples = choices.flatMap((choice, i) => [...(i === 0 ? [] : ["), ("]), ...listOf(choice)]);
  return [...listOf(targets), " = ", "random.choice([(", ...tuples, ")])"];
}

/** `a, b, c = random.sample([1, 2, 3], 3)` */
export function sampleParts(targets: Parts, values: Parts): string[] {
  const count = String(values.length);
  return [...listOf(targets), " = ", "random.sample([", ...listOf(values), "], ", count, ")"];
}

/** `print('a', a)` and the start of what it prints: `a `. The value and the end of the line follow. */
export function printParts(name: string): string[] {
  return ["print('", name, "', ", name, ")", "\n", name, " "];
}

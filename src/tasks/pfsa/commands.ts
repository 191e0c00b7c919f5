/**
 * @file Commands with hidden outcomes: as words, and as the outcome that was drawn.
 *
 *     swap      a, b = b, a                                         deterministic
 *     maybe     if random.random() < 0.5: a, b = b, a               whether it happened
 *     either    if random.random() < 0.5: a, b = b, a               which of the two happened
 *               else: b, c = c, b
 *     hidden    a, b, c = random.choice([(b, a, c), (c, b, a), (a, c, b)])      which pair was swapped
 *
 * A pair is named in alphabetical order. The two pairs of `either` differ; `hidden` lists all of them.
 */

import { indexPairs, swapPermutation } from "../../core/permutation-walk.ts";
import type { Rng } from "../../core/rng.ts";
import type { Sink } from "../task.ts";

export const commandKinds = ["swap", "maybe", "either", "hidden"] as const;
type UncertainKind = (typeof commandKinds)[number];

interface DrawnCommand {
  readonly parts: Parts;
  /** The variable from which variable i takes its value. */
  readonly outcome: readonly number[];
}

export function commandDrawer(names: readonly string[], probability: number) {
  const n = names.length;
  const pairs = indexPairs(n);
  const nothing = swapPermutation(n, 0, 0);
  const swaps = pairs.map(([i, j]) => ({
    parts: swapParts(names[i], names[j]),
    outcome: swapPermutation(n, i, j),
  }));
  const maybe = maybeParts(probability);
  const hidden = choiceParts(
    names,
    swaps.map(({ outcome }) => outcome.map((from) => names[from])),
  );
  return (kind: UncertainKind, rng: Rng): DrawnCommand => {
    const at = rng.below(swaps.length);
    const { parts, outcome } = swaps[at];
    switch (kind) {
      case "swap":
        return { parts: [...parts, "\n"], outcome };
      case "maybe": {
        const happened = rng.next() < probability;
        return { parts: [...maybe, ...parts, "\n"], outcome: happened ? outcome : nothing };
      }
      case "either": {
        const draw = rng.below(swaps.length - 1);
        const other = swaps[draw < at ? draw : draw + 1];
        const first = rng.next() < probability;
        return {
          parts: [...maybe, ...parts, "\n", "else: ", ...other.parts, "\n"],
          outcome: first ? outcome : other.outcome,
        };
      }
      case "hidden":
        return { parts: [...hidden, "\n"], outcome };
      default:
        return kind satisfies never;
    }
  };
}

/*
 * The words of programs with hidden outcomes. Names and digits are one word each, everywhere.
 *
 *     if random.random() < 0.5: a, b = b, a       "if random.random() < 0." "5" ": " "a" ", " "b" " = " "b" ", " "a" "\n"
 *     else: b, c = c, b                           "else: " "b" ", " "c" " = " "c" ", " "b" "\n"
 *     a, b = random.choice([(b, a), (a, b)])      … " = " "random.choice([(" "b" ", " "a" "), (" "a" ", " "b" ")])" "\n"
 *     a, b = random.sample([1, 2], 2)             … " = " "random.sample([" "1" ", " "2" "], " "2" ")" "\n"
 *
 * A probability is spelled in digits, so all probabilities share the same words. Longest match is always correct.
 */

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
function listOf(items: Parts): string[] {
  return items.flatMap((item, i) => (i === 0 ? [item] : [", ", item]));
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

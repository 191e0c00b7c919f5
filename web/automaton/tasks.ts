/**
 * @file What a model can be asked that is a machine: its letters, what it may say after a word of them, and the machine that is true.
 *
 *     session     ab bc        >>> a = 1 ... >>> a, b = b, a  >>> b, c = c, b     and then what a, b, c hold: 2 3 1
 *     parity      1 1 0        1 1 0                                              is the number of ones odd? 0
 *     s3          213 132      <s> [213] [132]                                    which order is it now? [231]
 *
 * A model of words is asked nothing before the first one: what is said after the empty word is taken as true.
 */

import type { Word } from "../../src/core/l-star.ts";
import { play, printed, SWAPS, VARIABLES } from "../shell-game/session.ts";

/** The index of the most probable of some values after a text. */
export type Mind = (text: string, values: readonly string[]) => number;

export interface State {
  /** The answers in it, one number per question. */
  readonly says: readonly number[];
  /** By letter. */
  readonly next: readonly number[];
  /** A word that leads there. */
  readonly access: Word;
}

export interface Language {
  /** Name of each letter. */
  readonly letters: readonly string[];
  /** One letter of a word, for people. */
  readonly unit: string;
  /** Text in a state. */
  readonly legend: string;
  readonly truth: readonly State[];
  /** The answer in words. */
  readonly told: (says: readonly number[]) => string;
  readonly ask: (mind: Mind, word: Word) => readonly number[];
}

/** The values of a, b, c before the first swap. */
export const START = [1, 2, 3] as const;
/** The places that each swap exchanges. */
const places = SWAPS.map((swap) =>
  [...swap].map((name) => VARIABLES.indexOf(name as (typeof VARIABLES)[number])),
);
const swapped = (says: readonly number[], letter: number) => {
  const [x, y] = places[letter];
  return says.map((value, i) => (i === x ? says[y] : i === y ? says[x] : value));
};
const orders = statesFrom([...START], SWAPS.length, swapped);

const session: Language = {
  letters: SWAPS.map((swap) => [...swap].join(" ⇄ ")),
  unit: "swap",
  legend: "predicted a, b, c",
  truth: orders,
  told: (says) => VARIABLES.map((name, i) => `${name} = ${says[i]}`).join(", "),
  ask(mind, word) {
    const { text } = play({
      start: START,
      swaps: word.map((letter) => SWAPS[letter]),
      ...{ spacing: Number.POSITIVE_INFINITY, reveal: "partial", seed: 0 },
    });
    return VARIABLES.map((name) => 1 + mind(printed(text, name), ["1", "2", "3"]));
  },
};

const bits = ["0", "1"];
const parity: Language = {
  letters: bits,
  unit: "bit",
  legend: "1 if the predicted number of ones is odd",
  truth: statesFrom([0], 2, ([odd], letter) => [odd ^ letter]),
  told: ([odd]) => (odd === 1 ? "odd" : "even"),
  ask: (mind, word) => (word.length === 0 ? [0] : [mind(word.map((letter) => bits[letter]).join(""), bits)]),
};

/** The words that exchange two places, in the order of `places`. */
const swaps = places.map((_, letter) => `[${swapped(START, letter).join("")}]`);
const values = orders.map(({ says }) => `[${says.join("")}]`);
const s3: Language = {
  letters: swaps,
  unit: "word",
  legend: "predicted order",
  truth: orders,
  told: (says) => says.join(" "),
  ask: (mind, word) =>
    word.length === 0
      ? START
      : orders[mind(`<s>${word.map((letter) => swaps[letter]).join("")}`, values)].says,
};

export const languages = { session, parity, s3 } satisfies Readonly<Record<string, Language>>;
export type LanguageName = keyof typeof languages;

/** That of a run's task; undefined where its machine is none of these. */
export function taskLanguage(task: Readonly<Record<string, unknown>>): LanguageName | undefined {
  if (task.name === "parity") return "parity";
  if (task.name === "group-words")
    return task.group === "S_3" && task.generators === "swaps" && (task.start ?? "identity") === "identity"
      ? "s3"
      : undefined;
  const isSession = task.name === "repl" && task.variables === 3 && task.commandKind === "swap";
  return isSession ? "session" : undefined;
}

/** All states that are reached from the first. */
function statesFrom(
  first: readonly number[],
  letters: number,
  step: (says: readonly number[], letter: number) => readonly number[],
): State[] {
  const found: { says: readonly number[]; access: readonly number[] }[] = [{ says: first, access: [] }];
  const next: number[][] = [];
  for (const { says, access } of found)
    next.push(
      Array.from({ length: letters }, (_, letter) => {
        const after = step(says, letter);
        const known = found.findIndex((each) => String(each.says) === String(after));
        return known >= 0 ? known : found.push({ says: after, access: [...access, letter] }) - 1;
      }),
    );
  return found.map((state, i) => ({ ...state, next: next[i] }));
}

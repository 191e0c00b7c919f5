/**
 * @file The automaton that a model of the page has become, by asking it: what does it say after this word?
 *
 *     word      ab bc                                                what is read for it (languages.ts)
 *     said      2 3 1                                                the values that are held most probable
 *
 * The machine is learned from such answers alone (src/core/l-star.ts), whatever the model carries inside, and held against the one
 * that is true.
 */

import { learnedMachine, type Teacher, type Word } from "../../src/core/l-star.ts";
import { difference, type MooreMachine, minimised } from "../../src/core/moore-machine.ts";
import { rngFrom } from "../../src/core/rng.ts";
import type { Language, Mind, State } from "./tasks.ts";

/** A machine with more states than that is no picture any more. */
export const MOST_STATES = 18;
/** Words on which each machine is tried. */
const TRIALS = 40;

export interface ToBecome {
  /** Length of the words on which it is tested, in letters. */
  readonly longest: number;
  readonly seed: number;
}

export interface Became {
  readonly states: readonly State[];
  /** Words that it was asked about. */
  readonly asked: number;
  /** A shortest word after which the machine says what is not true. */
  readonly wrong: Said | undefined;
  /** A word after which the model says something else than the machine: no machine of so few states is what it is. */
  readonly departs: Said | undefined;
}

export interface Said {
  readonly word: Word;
  readonly says: readonly number[];
  readonly truth: readonly number[];
}

/** @returns undefined where `mayGoOn` says that it may not. */
export async function extractFrom(
  { letters, truth, ask }: Language,
  mind: Mind,
  { longest, seed }: ToBecome,
  mayGoOn: (asked: number) => Promise<boolean>,
): Promise<Became | undefined> {
  let asked = 0;
  let tries = 0;
  // Each distinct answer gets a number for L*.
  const sayings: (readonly number[])[] = [];
  const numberOf = (says: readonly number[]) => {
    const known = sayings.findIndex((each) => String(each) === String(says));
    return known >= 0 ? known : sayings.push(says) - 1;
  };
  const known = minimised({
    start: 0,
    next: truth.map(({ next }) => next),
    output: truth.map(({ says }) => numberOf(says)),
  });
  const teacher: Teacher = {
    letters: letters.length,
    say: async (word: Word) => ((await mayGoOn(asked++)) ? numberOf(ask(mind, word)) : undefined),
    *trials() {
      const rng = rngFrom(seed).fork(tries++);
      const words = Array.from({ length: TRIALS }, () =>
        Array.from({ length: 1 + rng.below(longest) }, () => rng.below(letters.length)),
      );
      // The shortest first: where it departs, it is to be seen early.
      yield* words.sort((a, b) => a.length - b.length);
    },
  };
  const learned = await learnedMachine(teacher, MOST_STATES);
  if (learned === undefined) return undefined;
  const { machine, access, departs } = learned;
  const word = difference(machine, known);
  const saidOf = (each: Word, says: readonly number[]): Said => ({
    ...{ word: each, says },
    truth: sayings[after(known, each)],
  });
  return {
    states: machine.next.map((next, i) => ({ says: sayings[machine.output[i]], next, access: access[i] })),
    asked: learned.asked,
    wrong: word && saidOf(word, sayings[after(machine, word)]),
    departs: departs && saidOf(departs, ask(mind, departs)),
  };
}

const after = ({ start, next, output }: MooreMachine, word: Word) =>
  output[word.reduce((state, letter) => next[state][letter], start)];

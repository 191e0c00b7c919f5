/**
 * @file The automaton that a model of the page has become, by asking it: what do a, b and c hold after these swaps?
 *
 *     word      ab bc                                                what is read for it, three times over
 *     said      >>> a = 1 ... >>> a, b = b, a  >>> b, c = c, b       >>> print('a', a)  a _      >>> print('b', b)  b _      ...
 *     answer    2 3 1                                                the values that are held most probable
 *
 * The machine is learned from such answers alone (src/math/learned-machine.ts), whatever the model carries inside. What swaps
 * really do is a machine of six states.
 */

import { learnedMachine, type Teacher, type Word } from "../../src/math/learned-machine.ts";
import { difference, type MooreMachine, minimised } from "../../src/math/moore-machine.ts";
import { rngFrom } from "../../src/math/rng.ts";
import type { Reader } from "../shell-game/read.ts";
import { play, SWAPS, VARIABLES } from "../shell-game/session.ts";

/** The values of a, b, c before the first swap. */
export const START = [1, 2, 3] as const;
/** A machine with more states than that is no picture any more. */
export const MOST_STATES = 18;
/** A request of this number asks for nothing: it ends what is under way. */
export const STOP = -1;
/** Words on which each machine is tried. */
const TRIALS = 40;

export interface ToBecome {
  /** Of the words on which it is tried, in swaps. */
  readonly longest: number;
  readonly seed: number;
}

export interface State {
  /** What a, b, c are said to hold: 1 to 3 each. */
  readonly says: readonly number[];
  /** By swap. */
  readonly next: readonly number[];
  /** A word that leads there. */
  readonly access: Word;
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

/** What swaps do: all that three variables can hold, first what they hold at first. */
export const truth: readonly State[] = trueStates();

/** @returns undefined where `mayGoOn` says that it may not. */
export async function becomeOf(
  read: Reader,
  { longest, seed }: ToBecome,
  mayGoOn: (asked: number) => Promise<boolean>,
): Promise<Became | undefined> {
  let asked = 0;
  let tries = 0;
  const say = async (word: Word) => ((await mayGoOn(asked++)) ? numberOf(answersOf(read, word)) : undefined);
  const teacher: Teacher = {
    letters: SWAPS.length,
    say,
    *trials() {
      const rng = rngFrom(seed).fork(tries++);
      const words = Array.from({ length: TRIALS }, () =>
        Array.from({ length: 1 + rng.below(longest) }, () => rng.below(SWAPS.length)),
      );
      // The shortest first: where it departs, it is to be seen early.
      yield* words.sort((a, b) => a.length - b.length);
    },
  };
  const learned = await learnedMachine(teacher, MOST_STATES);
  if (learned === undefined) return undefined;
  const { machine, access, departs } = learned;
  const known = minimised(machineOf(truth));
  const word = difference(machine, known);
  const saidOf = (each: Word, says: readonly number[]): Said => ({
    word: each,
    says,
    truth: valuesOf(after(known, each)),
  });
  return {
    states: machine.next.map((next, i) => ({ says: valuesOf(machine.output[i]), next, access: access[i] })),
    asked: learned.asked,
    wrong: word && saidOf(word, valuesOf(after(machine, word))),
    departs: departs && saidOf(departs, answersOf(read, departs)),
  };
}

/** What the model holds most probable of each variable behind the word. */
function answersOf(read: Reader, word: Word): number[] {
  const { text } = play({
    start: START,
    swaps: word.map((letter) => SWAPS[letter]),
    ...{ spacing: Number.POSITIVE_INFINITY, reveal: "partial", seed: 0 },
  });
  return VARIABLES.map((name) => {
    const before = `${text}>>> print('${name}', ${name})\n${name} `;
    const [shares] = read(before, [before]);
    return 1 + shares.indexOf(Math.max(...shares));
  });
}

const numberOf = (values: readonly number[]) => values.reduce((number, value) => 3 * number + value - 1, 0);
const valuesOf = (number: number) => [9, 3, 1].map((place) => 1 + (Math.floor(number / place) % 3));
const after = ({ start, next, output }: MooreMachine, word: Word) =>
  output[word.reduce((state, letter) => next[state][letter], start)];

const machineOf = (states: readonly State[]): MooreMachine => ({
  start: 0,
  next: states.map(({ next }) => next),
  output: states.map(({ says }) => numberOf(says)),
});

function trueStates(): State[] {
  const found = [{ says: [...START] as number[], access: [] as number[] }];
  const next: number[][] = [];
  for (const { says, access } of found)
    next.push(
      SWAPS.map((swap, letter) => {
        const [x, y] = [...swap].map((name) => VARIABLES.indexOf(name as (typeof VARIABLES)[number]));
        const moved = says.map((value, i) => (i === x ? says[y] : i === y ? says[x] : value));
        const known = found.findIndex((each) => String(each.says) === String(moved));
        return known >= 0 ? known : found.push({ says: moved, access: [...access, letter] }) - 1;
      }),
    );
  return found.map((state, i) => ({ ...state, next: next[i] }));
}

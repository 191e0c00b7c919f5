/**
 * @file Learning a Moore machine from queries: Angluin's L* with an observation table.
 *
 *                      suffixes E:  (none)   a
 *     prefixes S   (none)             0      1          rows of S are the states, all different;
 *                  a                  1      0          each S with a letter has the row of one of them (the table is closed)
 *     S with a     a a                0      1
 *
 * For a counterexample, one of its suffixes distinguishes two states that the table had merged; it is added (Rivest and Schapire). For
 * a finite automaton, with trial words that show every difference, the result is its minimal machine. Other functions, such as a neural
 * network, may reach `mostStates`.
 *
 * Source: Angluin 1987, Information and Computation 75; Rivest and Schapire 1993, ibid. 103; of recurrent networks Weiss et al. 2018,
 * arXiv:1711.09576.
 */

import type { MooreMachine } from "./moore-machine.ts";

export type Word = readonly number[];

export interface Teacher {
  readonly letters: number;
  /** Membership query: the output after a word; undefined aborts. Each word is queried once. */
  say(word: Word): Promise<number | undefined>;
  /** Draws the words on which a hypothesis is tested, new ones for each hypothesis. */
  trials(): Iterable<Word>;
}

export interface Learned {
  readonly machine: MooreMachine;
  /** An access word for each state; access[0] is empty. */
  readonly access: readonly Word[];
  /** Number of words queried. */
  readonly asked: number;
  /** The last counterexample, if learning did not converge. */
  readonly departs: Word | undefined;
}

/**
 * @returns the machine that agrees on every trial; or, with `departs`, the last one of at most `mostStates` states and a
 * counterexample; undefined if aborted.
 */
export async function learnedMachine(teacher: Teacher, mostStates: number): Promise<Learned | undefined> {
  const told = new Map<string, number>();
  const prefixes: Word[] = [[]];
  const suffixes: Word[] = [[]];
  let last: Learned | undefined;
  const say = async (word: Word): Promise<number> => {
    const key = word.join();
    const known = told.get(key);
    if (known !== undefined) return known;
    const said = await teacher.say(word);
    if (said === undefined) throw leftOff;
    told.set(key, said);
    return said;
  };
  const rowOf = async (word: Word) => {
    const row: number[] = [];
    for (const suffix of suffixes) row.push(await say([...word, ...suffix]));
    return row.join();
  };
  try {
    for (;;) {
      const table = await closed(prefixes, teacher.letters, rowOf, mostStates);
      if (table === undefined) return last && { ...last, asked: told.size };
      const machine = { start: 0, next: table, output: await inTurn(prefixes, say) };
      const wrong = await tried(machine, teacher.trials(), say);
      last = { machine, access: [...prefixes], asked: told.size, departs: wrong };
      if (wrong === undefined) return last;
      suffixes.push(await apart(wrong, machine, prefixes, say));
    }
  } catch (error) {
    if (error === leftOff) return undefined;
    throw error;
  }
}

const leftOff = new Error("left off");

async function inTurn<T, U>(items: readonly T[], of: (item: T) => Promise<U>): Promise<U[]> {
  const found: U[] = [];
  for (const item of items) found.push(await of(item));
  return found;
}

/** next[state][letter], after adding a prefix for every new row; undefined if there are too many. */
async function closed(
  prefixes: Word[],
  letters: number,
  rowOf: (word: Word) => Promise<string>,
  mostStates: number,
): Promise<number[][] | undefined> {
  const states = new Map((await inTurn(prefixes, rowOf)).map((row, state) => [row, state]));
  const next: number[][] = [];
  for (const prefix of prefixes) {
    const after: number[] = [];
    for (let letter = 0; letter < letters; letter++) {
      const word = [...prefix, letter];
      const row = await rowOf(word);
      const known = states.get(row);
      if (known !== undefined) {
        after.push(known);
        continue;
      }
      if (prefixes.length === mostStates) return undefined;
      after.push(prefixes.length);
      states.set(row, prefixes.length);
      prefixes.push(word); // the loop visits it later
    }
    next.push(after);
  }
  return next;
}

const ran = ({ start, next }: MooreMachine, word: Word) =>
  word.reduce((state, letter) => next[state][letter], start);

async function tried(
  machine: MooreMachine,
  trials: Iterable<Word>,
  say: (word: Word) => Promise<number>,
): Promise<Word | undefined> {
  for (const word of trials) if (machine.output[ran(machine, word)] !== (await say(word))) return word;
  return undefined;
}

/**
 * The suffix after the first letter where it matters whether the prefix itself or the access word of its state was read. Binary search:
 * at the beginning both are the same word, at the end their outputs differ.
 */
async function apart(
  word: Word,
  machine: MooreMachine,
  access: readonly Word[],
  say: (word: Word) => Promise<number>,
): Promise<Word> {
  const said = (read: number) => say([...access[ran(machine, word.slice(0, read))], ...word.slice(read)]);
  let before = await said(0);
  for (let read = 1; ; read++) {
    const after = await said(read);
    if (after !== before) return word.slice(read);
    before = after;
  }
}

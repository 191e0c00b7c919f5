/**
 * @file A Moore machine learned by asking: what is said after this word? Angluin's L* with an observation table.
 *
 *                      suffixes E:  (none)   a
 *     prefixes S   (none)             0      1          rows of S are the states, all different;
 *                  a                  1      0          each S with a letter has the row of one of them (the table is closed)
 *     S with a     a a                0      1
 *
 * Where the machine says something else after a word than what is asked, one suffix of that word tells two states apart that the table
 * held to be one; it is added (Rivest and Schapire). With a finite automaton behind the answers, and words that show every
 * difference, what is learned is its minimal machine. Whoever answers otherwise, as a neural network may, meets `mostStates`.
 *
 * Source: Angluin 1987, Information and Computation 75; Rivest and Schapire 1993, ibid. 103; of recurrent networks Weiss et al. 2018,
 * arXiv:1711.09576.
 */

import type { MooreMachine } from "./moore-machine.ts";

export type Word = readonly number[];

export interface Teacher {
  readonly letters: number;
  /** What is said after a word; undefined: leave off. Each word is asked once. */
  say(word: Word): Promise<number | undefined>;
  /** Words on which a machine is tried before it is believed, drawn anew for each. */
  trials(): Iterable<Word>;
}

export interface Learned {
  readonly machine: MooreMachine;
  /** For each state a word that leads there: access[0] is empty. */
  readonly access: readonly Word[];
  /** Words that were asked about. */
  readonly asked: number;
  /** The word on which the machine was last found wrong, where it has not come to its end. */
  readonly departs: Word | undefined;
}

/**
 * @returns the machine that agrees on every trial; or, with `departs`, the last one of at most `mostStates` states and a trial
 * on which it is wrong; undefined where it was left off.
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

/** next[state][letter], after a prefix was added for every row that was new; undefined where these become too many. */
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
      prefixes.push(word); // the loop comes to it
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
 * The suffix behind the first letter at which it matters whether the word itself has been read, or the word that leads to the machine's
 * state: with both read up to there and the rest behind, other things are said. At the beginning the two are the same word, at
 * the end they say different things.
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

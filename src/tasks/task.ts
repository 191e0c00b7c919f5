/**
 * @file What a task is: programs (or strings) with a hidden state that is sometimes revealed.
 *
 * A task draws an example by writing words to a `Sink`, and marks the words that reveal the hidden state. One `write`
 * serves every use: typed arrays for training (`batch.ts`), text with character offsets for people, files and
 * language models (`example.ts`). A task never knows who solves it.
 */

import type { z } from "zod";
import type { Rng } from "../math/rng.ts";

/** Receives one example, word by word. Words are indices into `Prepared.words`; the text is their concatenation. */
export interface Sink {
  word(index: number): void;
  /**
   * The next word reveals a piece of the hidden state: it is what a tracker must predict.
   * `variable` and `value` are indices into `Prepared.variables` and `Prepared.values`.
   */
  reveal(variable: number, value: number): void;
  /** One command has ended (or the initial state is complete): values[i] is what variable i holds now. Copied if kept. */
  state(values: ArrayLike<number>): void;
}

/** A task with its parameters fixed. */
export interface Prepared {
  /** The vocabulary: distinct, non-empty strings whose concatenation is the text, in a unique way. */
  readonly words: readonly string[];
  /** Names of the state variables, as they appear in the text. */
  readonly variables: readonly string[];
  /** Names of the values that a variable can hold. */
  readonly values: readonly string[];
  /** No example has more words than this. */
  readonly maximumWords: number;
  /** No example's text has more characters than this; without it a bound is taken from the longest word. */
  readonly maximumCharacters?: number;
  write(rng: Rng, sink: Sink): void;
  /**
   * Computed solvers, by name: for each reveal of the example, in order, the expected accuracy in [0, 1]
   * of the best guess given what that solver can see (ties count at chance).
   */
  readonly references?: Readonly<Record<string, (example: Example) => number[]>>;
}

export interface Task<Params = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Where the task comes from: paper and, where there is one, arXiv number. */
  readonly source: string;
  /** A strict object with every default inside, so that a typo is refused and `{}` is a valid choice. */
  readonly params: z.ZodType<Params>;
  prepare(params: Params): Prepared;
}

export function defineTask<Params>(task: Task<Params>): Task<Params> {
  return task;
}

/** One example as text. All offsets count UTF-16 units from the start of `text`. */
export interface Example {
  readonly text: string;
  readonly reveals: readonly Reveal[];
  /** The true state after the initialisation and after every command. */
  readonly states: readonly StateAt[];
}

export interface Reveal {
  /** text.slice(start, end) is the revealed value. */
  readonly start: number;
  readonly end: number;
  readonly variable: string;
  readonly value: string;
  /** How many commands ran before it. */
  readonly commands: number;
}

export interface StateAt {
  /** text.slice(0, end) is what has run when this state holds. */
  readonly end: number;
  readonly values: Readonly<Record<string, string>>;
}

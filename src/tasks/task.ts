/**
 * @file The task interface: programs (or strings) with a hidden state that is sometimes revealed.
 *
 * A task draws an example by writing words to a `Sink`. What a tracker must predict is one of two kinds:
 *
 *     words     a part of the state is written, and marked:       >>> print('a', a)  a [2]
 *     states    the state is asked for and never written:         <s>[213][321]      after each word: which state?
 *
 * One `write` serves every use: typed arrays for training (`batch.ts`), text with character offsets for people, files
 * and language models (`example.ts`). A task never knows who solves it.
 */

import type { z } from "zod";
import type { Event, Machine } from "../core/hidden-markov.ts";
import type { MachineOfWords } from "../core/moore-machine.ts";
import type { Rng } from "../core/rng.ts";
import type { ValueLabel } from "../python/trace/execution-labels.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Receives one example, word by word. Words are indices into `Prepared.words`; the text is their concatenation. */
export interface Sink {
  word(index: number): void;
  /**
   * The next word reveals a part of the hidden state: it is what a tracker must predict.
   * `variable` and `value` are indices into `Prepared.variables` and `Prepared.values`. `words` is the number of revealed words, by
   * default 1: a number may be written digit by digit.
   */
  reveal(variable: number, value: number, words?: number): void;
  /**
   * After the word just written this variable has this value: a tracker must predict it, and the text does not contain it. At most one
   * per word, after the `state` of that word; only for tasks whose `asks` is "states".
   */
  target(variable: number, value: number): void;
  /**
   * One command has ended (or the initial state is complete): values[i] is the value of variable i, -1 if it does not exist yet. Copied
   * if kept. With `Prepared.writtenStates`, a single index into those.
   */
  state(values: ArrayLike<number>): void;
}

/** A state as text, for variables that come and go and values of any length. Words are indices into `Prepared.words`. */
export interface WrittenState {
  readonly values: Readonly<Record<string, string>>;
  /** A line "name value" for each variable, in order; undefined if the text is too long for the task. */
  readonly all: Int32Array | undefined;
  /** The same, restricted to the changes since the previous state. */
  readonly changed: Int32Array | undefined;
}

/** A program with hidden random transitions. */
interface HiddenState {
  /**
   * Parses a text to a hidden Markov model and its observed events: its actions are the commands, after each of which `Sink.state` is
   * called once. `assumed` overrides the probability of commands that name one. Errors: LabError if none does.
   */
  read(text: string, assumed?: number): { readonly machine: Machine; readonly events: readonly Event[] };
  /** The argument of `Sink.state` in a state of the machine. */
  values(state: number): ArrayLike<number>;
}

/** Labels of a run of the text's function (trace/execution-labels.ts). */
export interface Execution {
  /** For each executable line: its end in the text, after its newline, and whether it ran. */
  readonly lines: readonly { readonly end: number; readonly ran: boolean }[];
  /** The end of the function in the text. */
  readonly end: number;
  /** The value of each variable when the function returns. */
  readonly values: readonly ValueLabel[];
}

export interface LabelledRun {
  /** Names of the variables of `Execution.values`. */
  readonly variables: readonly string[];
  /** All classes of values, and of types. */
  readonly valueClasses: readonly string[];
  readonly typeClasses: readonly string[];
  /** Maximum number of lines of a function. */
  readonly mostLines: number;
  of(example: Pick<Example, "text">): Execution;
}

/** A task with fixed parameters. */
export interface Prepared {
  /** The vocabulary: distinct, non-empty strings whose concatenation is the text, in a unique way. */
  readonly words: readonly string[];
  /** Names of the state variables, as they appear in the text. */
  readonly variables: readonly string[];
  /** Names of the possible values of a variable. */
  readonly values: readonly string[];
  /**
   * The targets: the words marked by `reveal` (the default), or the states given by `target`. In the latter case the names, `values`,
   * are words too, so that a word predictor can output them.
   */
  readonly asks?: "words" | "states";
  /** No example has more words than this. */
  readonly maximumWords: number;
  /** Maximum number of characters of an example; by default bounded by the longest word. */
  readonly maximumCharacters?: number;
  /** Maximum number of states of an example; by default the number of words. */
  readonly maximumStates?: number;
  /** Every possible state of an example, if states are not values of fixed variables. */
  readonly writtenStates?: readonly WrittenState[];
  /** Maximum number of states asked per example, drawn at random; by default all are. */
  readonly mostQuestions?: number;
  /** Maximum number of variables that differ between consecutive states; by default all may. */
  readonly maximumChanges?: number;
  write(rng: Rng, sink: Sink): void;
  /**
   * For hidden random transitions: for each reveal of the example, in order, the exact probability of each value, in the order of
   * `values`, given all text before it: a function of the text alone.
   */
  readonly posterior?: (example: Pick<Example, "text">) => ArrayLike<number>[];
  /** For hidden random transitions: parses an example. */
  readonly hidden?: HiddenState;
  /** If the variables alone do not determine the target: the state that does, as an index of `values`. */
  readonly automaton?: MachineOfWords;
  /** If the words are tokens of a language model (tokenized.ts): the task in its own words, and the tokens of each value where it is revealed. */
  readonly tokenized?: {
    readonly tokenizer: Tokenizer;
    readonly source: Prepared;
    readonly values: readonly (readonly number[])[];
  };
  /** If the text is a function that is run once: its lines and variables to be labeled. */
  readonly execution?: LabelledRun;
  /**
   * Computed solvers, by name: for each reveal of the example, in order, the expected accuracy in [0, 1]
   * of the best guess given what that solver can see (ties count at chance).
   */
  readonly references?: Readonly<Record<string, (example: Example) => number[]>>;
}

/** No example has more states than this. */
export function statesAtMost({ maximumStates, maximumWords }: Prepared): number {
  return maximumStates ?? maximumWords;
}

export interface Task<Params = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Origin of the task: paper and, if available, arXiv number. */
  readonly source: string;
  /** A strict object with every default inside, so that a typo is refused and `{}` is a valid choice. */
  readonly params: z.ZodType<Params>;
  prepare(params: Params): Prepared;
  /** How it is asked in words; by default, its last reveal (task-prompt.ts). */
  ask?(params: Params): InWords;
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
  /** text.slice(start, end) is the revealed value; empty if the state is asked and not written. */
  readonly start: number;
  readonly end: number;
  readonly variable: string;
  readonly value: string;
  /** Number of commands before it. */
  readonly commands: number;
  /** By value, its exact probability given all text before; only for tasks with hidden random transitions. */
  readonly posterior?: Readonly<Record<string, number>>;
}

export interface StateAt {
  /** text.slice(0, end) has been executed in this state. */
  readonly end: number;
  readonly values: Readonly<Record<string, string>>;
}

/** How a task is asked in words (task-prompt.ts). */
export interface InWords {
  /** Describes the texts, the meaning of `??` and the expected answer. Without a full stop at the end: more is added. */
  readonly instruction: string;
  readonly language: "Python" | "text";
  /** An answer is a Python literal, or one of these names. */
  readonly answers: "literal" | readonly string[];
  question(example: Example): WordQuestion;
}

/** One example, with `??` for the answer and nothing after it. */
export interface WordQuestion {
  readonly text: string;
  readonly expected: string;
  /** The intermediate steps, for a worked example. */
  readonly thought: string;
  /** Number of steps to the answer: commands, or lines. */
  readonly steps: number;
}

export function writeWords(sink: Sink, ...indices: readonly number[]): void {
  for (const index of indices) sink.word(index);
}

/** `comma` and the results of `wordAt` are indices of words. */
export function writeList(sink: Sink, comma: number, count: number, wordAt: (i: number) => number): void {
  for (let i = 0; i < count; i++) {
    if (i > 0) sink.word(comma);
    sink.word(wordAt(i));
  }
}

/**
 * @file What a task is: programs (or strings) with a hidden state that is sometimes revealed.
 *
 * A task draws an example by writing words to a `Sink`. What a tracker must predict is one of two kinds:
 *
 *     words     a piece of the state is written, and marked:      >>> print('a', a)  a [2]
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

/** Receives one example, word by word. Words are indices into `Prepared.words`; the text is their concatenation. */
export interface Sink {
  word(index: number): void;
  /**
   * The next word reveals a piece of the hidden state: it is what a tracker must predict.
   * `variable` and `value` are indices into `Prepared.variables` and `Prepared.values`. With `words` it is the next so
   * many, 1 if not said: a number may be written digit by digit.
   */
  reveal(variable: number, value: number, words?: number): void;
  /**
   * After the word just written this variable holds this value: it is what a tracker must say there, and the text does
   * not. At most one a word, after the `state` of that word; only for tasks whose `asks` is "states".
   */
  target(variable: number, value: number): void;
  /**
   * One command has ended (or the initial state is complete): values[i] is what variable i holds now, -1 where it does
   * not exist yet. Copied if kept. Where `Prepared.writtenStates` is there, it is the index of one of them, alone.
   */
  state(values: ArrayLike<number>): void;
}

/** A state as text, where variables come and go and values are of any length. Words are indices into `Prepared.words`. */
export interface WrittenState {
  readonly values: Readonly<Record<string, string>>;
  /** A line "name value" for each variable, in order; undefined where the task takes no text so long. */
  readonly all: Int32Array | undefined;
  /** Likewise, of those that are not what they were in the state before it. */
  readonly changed: Int32Array | undefined;
}

/** A program whose state is moved by chance that nobody sees. */
export interface HiddenState {
  /**
   * The machine and what of it was seen, of a text: its actions are the commands, after each of which `Sink.state` is told once. With
   * `assumed` a command whose probability the text names is taken to have that one. Errors: LabError where none is named.
   */
  read(text: string, assumed?: number): { readonly machine: Machine; readonly events: readonly Event[] };
  /** What `Sink.state` is told in a state of the machine. */
  values(state: number): ArrayLike<number>;
}

/** What a run says of the text of its function (trace/execution-labels.ts). */
export interface Execution {
  /** Of each line that may run: where it ends in the text, behind its newline, and whether it ran. */
  readonly lines: readonly { readonly end: number; readonly ran: boolean }[];
  /** Where the function ends in the text. */
  readonly end: number;
  /** Of each variable what it holds when the function returns. */
  readonly values: readonly ValueLabel[];
}

export interface LabelledRun {
  /** Names of the variables that `Execution.values` are of. */
  readonly variables: readonly string[];
  /** All classes of values, and of types. */
  readonly valueClasses: readonly string[];
  readonly typeClasses: readonly string[];
  /** No function has more lines than this. */
  readonly mostLines: number;
  of(example: Pick<Example, "text">): Execution;
}

/** A task with its parameters fixed. */
export interface Prepared {
  /** The vocabulary: distinct, non-empty strings whose concatenation is the text, in a unique way. */
  readonly words: readonly string[];
  /** Names of the state variables, as they appear in the text. */
  readonly variables: readonly string[];
  /** Names of the values that a variable can hold. */
  readonly values: readonly string[];
  /**
   * What a tracker must predict: the words marked by `reveal` (the default), or the states given by `target`. Of these
   * the names, `values`, are words too, so that whoever predicts words can say them.
   */
  readonly asks?: "words" | "states";
  /** No example has more words than this. */
  readonly maximumWords: number;
  /** No example's text has more characters than this; without it a bound is taken from the longest word. */
  readonly maximumCharacters?: number;
  /** No example has more states than this; without it as many as words. */
  readonly maximumStates?: number;
  /** Every state that an example can have, where they are no values of fixed variables. */
  readonly writtenStates?: readonly WrittenState[];
  /** Of one example no more states are asked for: as many are drawn. Without it all are. */
  readonly mostQuestions?: number;
  /** No state differs in more variables from the one before it, or from none; without it all of them may. */
  readonly maximumChanges?: number;
  write(rng: Rng, sink: Sink): void;
  /**
   * Where chance that nobody sees moves the state: for each reveal of the example, in order, the exact probability of
   * each value, in the order of `values`, given all that stands before it: a function of the text alone.
   */
  readonly posterior?: (example: Pick<Example, "text">) => ArrayLike<number>[];
  /** Where chance that nobody sees moves the state: an example as whoever reads it understands it. */
  readonly hidden?: HiddenState;
  /** Where what the variables hold does not tell what comes next: what does. It says an index of `values`. */
  readonly automaton?: MachineOfWords;
  /** Where the text is a function that is run once: what its lines and variables are to be labelled with. */
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
  /** Where the task comes from: paper and, where there is one, arXiv number. */
  readonly source: string;
  /** A strict object with every default inside, so that a typo is refused and `{}` is a valid choice. */
  readonly params: z.ZodType<Params>;
  prepare(params: Params): Prepared;
  /** How it is asked in words; without it, about its last reveal (in-words.ts). */
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
  /** text.slice(start, end) is the revealed value; empty where the state is asked for and not written. */
  readonly start: number;
  readonly end: number;
  readonly variable: string;
  readonly value: string;
  /** How many commands ran before it. */
  readonly commands: number;
  /** By value, its exact probability given all before; only of tasks where chance that nobody sees moves the state. */
  readonly posterior?: Readonly<Record<string, number>>;
}

export interface StateAt {
  /** text.slice(0, end) is what has run when this state holds. */
  readonly end: number;
  readonly values: Readonly<Record<string, string>>;
}

/** How a task is asked in words (in-words.ts). */
export interface InWords {
  /** What the texts are, what `??` stands for and what is to be said. It ends without a full stop: more is added. */
  readonly instruction: string;
  readonly language: "Python" | "text";
  /** An answer is a Python literal, or one of these names. */
  readonly answers: "literal" | readonly string[];
  question(example: Example): WordQuestion;
}

/** One example, with `??` for what is asked for and nothing behind it. */
export interface WordQuestion {
  readonly text: string;
  readonly expected: string;
  /** What leads to the answer, for a worked example. */
  readonly thought: string;
  /** How long the way to the answer is: commands, or lines. */
  readonly steps: number;
}

/** `comma` and what `wordAt` gives are indices of words. */
export function writeList(sink: Sink, comma: number, count: number, wordAt: (i: number) => number): void {
  for (let i = 0; i < count; i++) {
    if (i > 0) sink.word(comma);
    sink.word(wordAt(i));
  }
}

/**
 * @file The tasks of the zoo, a block each: the same steps, batch and curriculum for every architecture. A name is frozen: a task with
 * other settings is another column.
 *
 *     states     words of up to 16 are trained, the last answer is asked at 16 and at four times that: can it be held, or not?
 *     short      the same of words of up to 4 (`lengths`), few enough to be learned by heart: only who has learned what it was trained on shows
 *                anything by failing beyond it
 *     graded     how much is remembered, or how near it comes to what can be known: trained and asked by `programs`, every answer counts;
 *                predicted is an order (predictions.ts)
 */

import { perhapsSwaps } from "./perhaps.ts";

export type Change = Readonly<Record<string, unknown>>;

export interface ZooColumn {
  readonly label: string;
  /** Above a narrow column. */
  readonly short?: string;
  /** What is asked, for people. */
  readonly summary: string;
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** Steps of training; groups of 60 words and more need more. */
  readonly steps: number;
  /** How many layers it is asked of; one where it is left out. */
  readonly layers?: number;
  /**
   * The curriculum, where it is another than that of all: so short that every word of them is in training, so that what was learned is asked of
   * these very words, and only what is longer is new.
   */
  readonly lengths?: readonly number[];
  /** Taps of the short convolution of those that have one; none where it is left out. */
  readonly convolution?: number;
  /** Of a graded one. */
  readonly programs?: GradedPrograms;
  /** Accuracy of whoever has no state, but counts the words. */
  readonly chance: number;
}

export interface GradedTest {
  /** Above a column of a table. */
  readonly label: string;
  /** Accuracy of whoever knows what stands there, but not which belongs to which. */
  readonly chance: number;
  readonly change: Change;
}

export interface GradedPrograms {
  /** Above its table. */
  readonly heading: string;
  /** Accuracy of all answers, or, where chance that nobody sees moves the state, nats above who knows the exact probabilities. */
  readonly comparedBy: "accuracy" | "nats";
  /** Of the stages of training the hardest, the one before being mixed in: what is other than in `task`. */
  readonly stages: readonly Change[];
  /** Asked: of the first stage, of the last, and beyond it. */
  readonly tests: Readonly<Record<"easiest" | "trained" | "longer", GradedTest>>;
}

const words = { name: "group-words", targets: "each" } as const;
const remembered = { heading: "How much is remembered", comparedBy: "accuracy" } as const;

/** Of one layer, words of up to 16. */
const words16 = {
  parity: {
    label: "parity",
    summary: "is the number of ones odd?",
    task: { name: "parity", targets: "each" },
    steps: 800,
    chance: 1 / 2,
  },
  z3: {
    label: "Z_3",
    summary: "the sum modulo three",
    task: { ...words, group: "Z_3" },
    steps: 800,
    chance: 1 / 3,
  },
  "s3-swaps": {
    label: "S_3 swaps",
    short: "swaps 3",
    summary: "three things, two of which are exchanged by each word",
    task: { ...words, group: "S_3", generators: "swaps" },
    steps: 800,
    chance: 1 / 3, // an even number of swaps is an even permutation
  },
  s3: {
    label: "S_3",
    summary: "three things, in any new order after each word",
    task: { ...words, group: "S_3" },
    steps: 800,
    chance: 1 / 6,
  },
  "s5-swaps": {
    label: "S_5 swaps",
    short: "swaps 5",
    summary: "five things, two of which are exchanged by each word",
    task: { ...words, group: "S_5", generators: "swaps" },
    steps: 3000,
    chance: 1 / 60, // an even number of swaps is an even permutation
  },
  a5: {
    label: "A_5",
    summary: "the even permutations of five things",
    task: { ...words, group: "A_5" },
    steps: 3000,
    chance: 1 / 60,
  },
  s5: {
    label: "S_5",
    summary: "five things, in any new order after each word",
    task: { ...words, group: "S_5" },
    steps: 3000,
    chance: 1 / 120,
  },
  "a5-two": {
    label: "A_5, two words",
    short: "A_5 of 2",
    summary: "the even permutations of five things, by two words: all five move on, or the first three",
    task: { ...words, group: "A_5", generators: ["23451", "23145"] },
    steps: 3000,
    chance: 1 / 60,
  },
  "s5-two": {
    label: "S_5, two words",
    short: "S_5 of 2",
    summary: "five things in any order, by two words: all five move on, or the first two are exchanged",
    task: { ...words, group: "S_5", generators: ["23451", "21345"] },
    steps: 3000,
    chance: 1 / 120,
  },
} as const satisfies Readonly<Record<string, ZooColumn>>;

/** The same task of words of up to `most`, trained for longer. */
function short(name: "parity" | "z3" | "s3-swaps" | "s3", most: number): ZooColumn {
  const { label, short: brief = label, summary, task, chance }: ZooColumn = words16[name];
  return {
    label: `${label}, ${most} words`,
    short: `${brief.replace(" 3", "")}\u2264${most}`, // as wide as a column of the figure
    summary: `${summary} Of ${most} words, asked at ${4 * most}`,
    ...{ task, chance, steps: 3000 },
    lengths: Array.from({ length: most }, (_, i) => i + 1),
  };
}

export const columns: Readonly<Record<string, ZooColumn>> = {
  ...words16,
  "parity-4": short("parity", 4),
  "z3-4": short("z3", 4),
  "s3-swaps-4": short("s3-swaps", 4),
  "s3-3": short("s3", 3),
  tomita5: {
    label: "Tomita 5, two layers",
    short: "Tomita 5",
    summary: "are there even numbers of 0s and of 1s? Of two layers",
    task: { name: "tomita", language: 5, targets: "each" },
    steps: 800,
    layers: 2,
    chance: 1 / 2, // of an even number of symbols
  },
  tomita6: {
    label: "Tomita 6, two layers",
    short: "Tomita 6",
    summary: "are there as many 0s as 1s, modulo three? Of two layers",
    task: { name: "tomita", language: 6, targets: "each" },
    steps: 800,
    layers: 2,
    chance: 2 / 3,
  },
  "s3-deep": {
    label: "S_3, two layers",
    short: "S_3 deep",
    summary: "three things, in any new order after each word, of two layers",
    task: { ...words, group: "S_3" },
    steps: 800,
    layers: 2,
    chance: 1 / 6,
  },
  mqar: {
    label: "MQAR",
    summary:
      "pairs of a key and a value, then the keys among other words: which was its value? Of two layers with short convolutions",
    task: { name: "mqar", keys: 64, values: 64, fillers: 16 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 16, // one of the values that stand there, of what was trained
    programs: {
      ...remembered,
      stages: [
        { pairs: 2, length: 16 },
        { pairs: 4, length: 16 },
        { pairs: 8, length: 32 },
        { pairs: 16, length: 64 },
      ],
      tests: {
        easiest: { label: "2 pairs", chance: 1 / 2, change: { pairs: 2, length: 16 } },
        trained: { label: "16 pairs", chance: 1 / 16, change: { pairs: 16, length: 64 } },
        longer: { label: "32 pairs", chance: 1 / 32, change: { pairs: 32, length: 128 } },
      },
    },
  },
  "selective-copy": {
    label: "selective copy",
    short: "sel. copy",
    summary:
      "words among blanks, then marks: which was the first, the second, the third? Of two layers with short convolutions",
    task: { name: "selective-copy", kinds: 16 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 8, // one of the words that stand there, of what was trained
    programs: {
      ...remembered,
      stages: [
        { items: 2, length: 16 },
        { items: 4, length: 32 },
        { items: 8, length: 64 },
      ],
      tests: {
        easiest: { label: "2 words", chance: 1 / 2, change: { items: 2, length: 16 } },
        trained: { label: "8 words", chance: 1 / 8, change: { items: 8, length: 64 } },
        longer: { label: "16 words", chance: 1 / 16, change: { items: 16, length: 128 } },
      },
    },
  },
  pfsa: {
    label: "swaps by chance",
    short: "by chance",
    summary:
      "three things, two of which are exchanged by nine words in ten, unseen, and one of which is named after each: how likely is which? Of two layers with short convolutions",
    task: { name: "automaton", automaton: perhapsSwaps(0.9), spacing: 1 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 3,
    programs: {
      heading: "How near to the exact probabilities",
      comparedBy: "nats",
      stages: [
        { commands: 4, fullEvery: 1 },
        { commands: 8, fullEvery: 2 },
        { commands: 16, fullEvery: 4 },
        { commands: 16, fullEvery: 0 },
      ],
      tests: {
        easiest: { label: "all named", chance: 1 / 6, change: { commands: 4, fullEvery: 1 } },
        trained: { label: "16 words", chance: 1 / 3, change: { commands: 16, fullEvery: 0 } },
        longer: { label: "64 words", chance: 1 / 3, change: { commands: 64, fullEvery: 0 } },
      },
    },
  },
  "time-travel": {
    label: "time travel",
    summary:
      "three values, two of which are exchanged by each numbered line: what did a variable hold after line 2? Of two layers with short convolutions",
    task: { name: "time-travel", variables: 3, commandKind: "swap", named: "at", numbers: 40 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 3,
    programs: {
      heading: "How much of the past is kept",
      comparedBy: "accuracy",
      stages: [
        { commands: 1, questions: 8 },
        { commands: 2, questions: 8 },
        { commands: 3, questions: 8 },
        { commands: 4, questions: 8 },
      ],
      tests: {
        easiest: { label: "1 line", chance: 1 / 3, change: { commands: 1, questions: 8 } },
        trained: { label: "4 lines", chance: 1 / 3, change: { commands: 4, questions: 8 } },
        // Of the lines whose numbers were asked for in training, behind which four more stand.
        longer: {
          ...{ label: "0 to 4 of 8 lines", chance: 1 / 3 },
          change: { commands: 8, questions: 8, distance: [4, 8] },
        },
      },
    },
  },
};

/** The names of those that ask which states are held, and of those that ask how much or how near. */
const namesWhere = (isGraded: boolean) =>
  Object.keys(columns).filter((name) => (columns[name].programs !== undefined) === isGraded);
export const stateColumns = namesWhere(false);
export const gradedColumns = namesWhere(true);

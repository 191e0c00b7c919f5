/**
 * @file The tasks of the zoo, a block each: the same steps, batch and curriculum for every architecture. Trained on words of up
 * to 16, asked at 16 and at four times that. A name is frozen: a task with other settings is another column.
 */

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
  /** Accuracy of whoever has no state, but counts the words. */
  readonly chance: number;
}

const words = { name: "group-words", targets: "each" } as const;

export const columns: Readonly<Record<string, ZooColumn>> = {
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
};

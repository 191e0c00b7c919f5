/**
 * @file The tasks of the zoo, a block each: the same steps, batch and curriculum for every architecture. A name is frozen: a task with
 * other settings is another column.
 *
 *     states     words over a group: one symbol, two, three ... are trained until the steps are used up. How far does it get, and how far beyond
 *                that is it right?
 *     graded     how much is remembered, or how near it comes to what can be known: trained and asked by `programs`, every answer counts;
 *                predicted is an order (predictions.ts)
 */

import type { Automaton } from "../../src/schemas/automaton.ts";
import type { Scale } from "../runner/index.ts";

const orders = ["123", "132", "213", "231", "312", "321"];
const places = { a: 0, b: 1, c: 2 } as const;
type Place = keyof typeof places;

function exchanged(order: string, one: Place, other: Place): string {
  const things = [...order];
  [things[places[one]], things[places[other]]] = [things[places[other]], things[places[one]]];
  return things.join("");
}

/** @param probability that two things are exchanged, in (0, 1) */
export function perhapsSwaps(probability: number): Automaton {
  const action = (one: Place, other: Place) =>
    Object.fromEntries(
      orders.map((order) => [
        order,
        { [order]: 1 - probability, [exchanged(order, one, other)]: probability },
      ]),
    );
  const reveal = (place: Place) => Object.fromEntries(orders.map((order) => [order, order[places[place]]]));
  return {
    states: orders,
    start: "123",
    actions: { ab: action("a", "b"), ac: action("a", "c"), bc: action("b", "c") },
    reveals: { a: reveal("a"), b: reveal("b"), c: reveal("c") },
  };
}

export type Change = Readonly<Record<string, unknown>>;

export interface ZooColumn {
  readonly label: string;
  /** Above a column of the table of two layers. */
  readonly short?: string;
  /** What is asked, for people. */
  readonly summary: string;
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** Steps of training. */
  readonly steps: number;
  /** How many layers it is asked of; one where it is left out. */
  readonly layers?: number;
  /** Taps of the short convolution of those that have one; none where it is left out. */
  readonly convolution?: number;
  /** The group of a task of states (src/core/groups.ts). */
  readonly group?: string;
  /** Of a graded one. */
  readonly programs?: GradedPrograms;
  /** Accuracy of a predictor without state that counts the words. */
  readonly chance: number;
}

interface GradedTest {
  /** Above a column of a table. */
  readonly label: string;
  /** Accuracy of a predictor that knows the set of values but not their assignment. */
  readonly chance: number;
  readonly change: Change;
}

interface GradedPrograms {
  /** Above its table. */
  readonly heading: string;
  /** Accuracy of all answers, or, where unseen chance moves the state, nats above the exact filter. */
  readonly comparedBy: "accuracy" | "nats";
  /** Of the stages of training the hardest, the one before being mixed in: what is other than in `task`. */
  readonly stages: readonly Change[];
  /** Asked: of the first stage, of the last, and beyond it. */
  readonly tests: Readonly<Record<"easiest" | "trained" | "longer", GradedTest>>;
}

const words = { name: "group-words", targets: "each" } as const;
const remembered = { heading: "How much is remembered", comparedBy: "accuracy" } as const;
const STEPS = 1000;

/** Words over a group: its elements, or the given generators. */
function ofGroup(
  group: string,
  label: string,
  chance: number,
  summary: string,
  generators?: "swaps" | readonly string[],
): ZooColumn {
  const task = { ...words, group, ...(generators !== undefined && { generators }) };
  return { label, summary, task, group, steps: STEPS, chance };
}

/** In the order of their derived lengths, those without one last. */
const states: Readonly<Record<string, ZooColumn>> = {
  // With a first word: equal words are all the same to attention without one.
  parity: ofGroup("Z_2", "parity", 1 / 2, "is the number of ones odd?"),
  z3: ofGroup("Z_3", "Z_3", 1 / 3, "the sum modulo three"),
  // After an even number of swaps, or of mirrors, half of the elements are left.
  "s3-swaps": ofGroup(
    "S_3",
    "S_3 swaps",
    1 / 3,
    "three things, two of which are exchanged by each symbol",
    "swaps",
  ),
  s3: ofGroup("S_3", "S_3", 1 / 6, "three things, in any new order after each symbol"),
  d5: ofGroup("D_5", "D_5", 1 / 5, "the corners of a pentagon, by two generators: each is a mirror", [
    "54321",
    "15432",
  ]),
  q8: ofGroup("Q_8", "Q_8", 1 / 4, "the quaternions, by two generators: i and j", ["25836147", "34567812"]),
  a4: ofGroup(
    "A_4",
    "A_4",
    1 / 12,
    "four things, by two generators: three of them move on, or two pairs are exchanged",
    ["2314", "2143"],
  ),
  f20: ofGroup("F_20", "F_20", 1 / 20, "numbers modulo five, by two generators: one more, or twice as much", [
    "23451",
    "13524",
  ]),
  s4: ofGroup(
    "S_4",
    "S_4",
    1 / 12,
    "four things in any order, by two generators: all move on, or the first two are exchanged",
    ["2341", "2134"],
  ),
  "a5-two": ofGroup(
    "A_5",
    "A_5",
    1 / 60,
    "the even permutations of five things, by two generators: all five move on, or the first three",
    ["23451", "23145"],
  ),
  "s5-swaps": ofGroup(
    "S_5",
    "S_5 swaps",
    1 / 60,
    "five things, two of which are exchanged by each symbol",
    "swaps",
  ),
  "s5-two": ofGroup(
    "S_5",
    "S_5",
    1 / 120,
    "five things in any order, by two generators: all five move on, or the first two are exchanged",
    ["23451", "21345"],
  ),
};

/** A column of words, asked of two layers. */
export const ofTwoLayers = (column: string) => `${column}-2-layers`;

export const columns: Readonly<Record<string, ZooColumn>> = {
  ...states,
  ...Object.fromEntries(
    Object.entries(states).map(([name, column]) => [
      ofTwoLayers(name),
      { ...column, label: `${column.label}, 2 layers`, short: column.label, layers: 2 },
    ]),
  ),
  mqar: {
    label: "MQAR",
    summary:
      "pairs of a key and a value, then the keys among other words: which was its value? Of two layers with short convolutions",
    task: { name: "mqar", keys: 64, values: 64, fillers: 16 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 16, // one of the values of a trained program
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
    summary:
      "words among blanks, then marks: which was the first, the second, the third? Of two layers with short convolutions",
    task: { name: "selective-copy", kinds: 16 },
    steps: 3000,
    layers: 2,
    convolution: 4,
    chance: 1 / 8, // one of the words of a trained program
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
    summary:
      "three things; nine words in ten swap two of them, unseen, and each word reveals one. Two layers with short convolutions",
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
        // The lines whose numbers were asked for in training, followed by four more lines.
        longer: {
          ...{ label: "0 to 4 of 8 lines", chance: 1 / 3 },
          change: { commands: 8, questions: 8, distance: [4, 8] },
        },
      },
    },
  },
};

/** The names of those that ask which states are held, of one layer and of two, and of those that ask how much or how near. */
export const stateColumns = Object.keys(states);
export const twoLayerColumns = stateColumns.map(ofTwoLayers);
export const wordColumns: readonly string[] = [...stateColumns, ...twoLayerColumns];
export const gradedColumns = Object.keys(columns).filter((name) => columns[name].programs !== undefined);

export interface ZooRow {
  readonly label: string;
  readonly summary: string;
  /** The mixer and its own fields; layers, width and feed-forward are the same for all. */
  readonly model: { readonly name: string; readonly [field: string]: unknown };
  /** On words: of 0.002, 0.005 and 0.01 the best on two seeds and 6 to 16 tasks of states that came before these. Without it the grid chooses. */
  readonly rate?: number;
  /** It takes the short convolution of a column though `model` does not name one: the field was added after its first measurement. */
  readonly convolves?: true;
}

const heads = 2;

export const rows: Readonly<Record<string, ZooRow>> = {
  mlstm: {
    label: "mLSTM",
    summary: "matrix memory with exponential gates",
    model: { name: "mlstm", heads, convolution: 0 },
    rate: 0.002,
  },
  "mlstm-block": {
    label: "xLSTM, mLSTM block",
    summary: "matrix memory with exponential gates in twice the width, without a feed-forward layer",
    model: { name: "mlstm-block", heads, blockSize: 4, convolution: 0 },
    rate: 0.002,
  },
  "mamba-positive": {
    label: "Mamba [0,1]",
    summary: "diagonal, transition in [0, 1]",
    model: { name: "mamba", transition: "[0,1]", convolution: 0 },
    rate: 0.01,
  },
  mamba: {
    label: "Mamba [-1,1]",
    summary: "diagonal, transition in [-1, 1]",
    model: { name: "mamba", transition: "[-1,1]", convolution: 0 },
    rate: 0.01,
  },
  "deltanet-positive": {
    label: "DeltaNet [0,1]",
    summary: "delta rule, beta to 1",
    model: { name: "deltanet", heads, betaMax: 1, convolution: 0 },
    rate: 0.01,
  },
  deltanet: {
    label: "DeltaNet [-1,1]",
    summary: "delta rule, beta to 2",
    model: { name: "deltanet", heads, betaMax: 2, convolution: 0 },
    rate: 0.005,
  },
  "gated-deltanet-positive": {
    label: "Gated DeltaNet [0,1]",
    summary: "delta rule with a forget gate, beta to 1",
    model: { name: "gated-deltanet", heads, betaMax: 1, convolution: 0 },
    rate: 0.002,
  },
  "gated-deltanet": {
    label: "Gated DeltaNet [-1,1]",
    summary: "delta rule with a forget gate, beta to 2",
    model: { name: "gated-deltanet", heads, betaMax: 2, convolution: 0 },
    rate: 0.005,
  },
  gla: {
    label: "GLA",
    summary: "additive memory with a decay for each channel",
    model: { name: "gla", heads, decay: true, convolution: 0 },
    rate: 0.01,
  },
  "log-linear": {
    label: "Log-linear",
    summary: "additive memories with one decay a head, one for each power of two of the past",
    model: { name: "log-linear", heads, longest: 2048 },
    rate: 0.005,
    convolves: true,
  },
  gka: {
    label: "Gated KalmaNet",
    summary: "additive memory with one decay a head, read by ridge regression",
    model: { name: "gka", heads, convolution: 0 },
    rate: 0.01,
  },
  sse: {
    label: "SSE",
    summary: "GLA with four more memories, of which each token writes and reads one",
    model: { name: "sse", heads, partitions: 4, chosen: 1 },
    rate: 0.01,
    convolves: true,
  },
  cached: {
    label: "Cached GLA",
    summary:
      "GLA whose memories at the ends of segments of 16 tokens are kept and read again, weighed by a softmax",
    model: { name: "cached", base: "gla", segment: 16, mode: "gated", writing: "checkpoint", heads },
    rate: 0.005,
    convolves: true,
  },
  lact: {
    label: "LaCT",
    summary:
      "a network in each head that learns while it reads, eight tokens at a time, with a window of eight",
    model: { name: "lact", heads, chunk: 8, expansion: 1, window: 8, momentum: true, orthogonal: false },
    rate: 0.002,
  },
  "lact-1": {
    label: "LaCT, chunks of 1",
    summary: "the same, but that it learns after every token",
    model: { name: "lact", heads, chunk: 1, expansion: 1, window: 8, momentum: true, orthogonal: false },
    rate: 0.01,
  },
  mamba2: {
    label: "Mamba-2",
    summary: "additive memory with one decay for each head",
    model: { name: "mamba2", heads, convolution: 0 },
    rate: 0.01,
  },
  "kda-positive": {
    label: "KDA [0,1]",
    summary: "delta rule with a decay for each channel, beta to 1",
    model: { name: "kda", heads, betaMax: 1, convolution: 0 },
    rate: 0.01,
  },
  kda: {
    label: "KDA [-1,1]",
    summary: "delta rule with a decay for each channel, beta to 2",
    model: { name: "kda", heads, betaMax: 2, convolution: 0 },
    rate: 0.005,
  },
  rwkv7: {
    label: "RWKV-7",
    summary: "diagonal plus rank one, removal and writing apart",
    model: { name: "rwkv7", heads },
    rate: 0.005,
  },
  mamba3: {
    label: "Mamba-3",
    summary: "additive memory that turns by angles the input chooses",
    model: { name: "mamba3", heads },
    rate: 0.005,
  },
  "mamba3-long": {
    label: "Mamba-3, long steps",
    summary:
      "the same, but that its first steps are 0.5 to 1 long and fade little, so that halves of a turn are in reach",
    model: { name: "mamba3", heads, firstStep: [0.5, 1], firstRate: -6 },
    rate: 0.005,
  },
  "mamba3-still": {
    label: "Mamba-3, no turns",
    summary: "the one with long steps without its angles: what it adds to this is that it turns",
    model: { name: "mamba3", heads, firstStep: [0.5, 1], firstRate: -6, turning: 0 },
    rate: 0.01,
  },
  s5: {
    label: "S5",
    summary: "one diagonal state for all channels that fades and turns by itself, the same at every token",
    model: { name: "s5", stateSize: 64 },
    rate: 0.005,
  },
  s4d: {
    label: "S4D",
    summary: "a diagonal state a channel that fades and turns by itself, the same at every token",
    model: { name: "s4d", stateSize: 64 },
    rate: 0.01,
  },
  "long-convolution": {
    label: "Long convolution",
    summary: "a filter a channel over the last 128 words, learned itself",
    model: { name: "long-convolution", taps: 128 },
    rate: 0.005,
  },
  "deltaproduct-n2": {
    label: "DeltaProduct, n = 2",
    summary: "two steps of the delta rule per token, beta to 2",
    model: { name: "deltaproduct", heads, betaMax: 2, householders: 2, convolution: 0 },
    rate: 0.005,
  },
  "deltaproduct-n4": {
    label: "DeltaProduct, n = 4",
    summary: "four steps of the delta rule per token, beta to 2",
    model: { name: "deltaproduct", heads, betaMax: 2, householders: 4, convolution: 0 },
    rate: 0.01,
  },
  "pd-ssm": {
    label: "PD-SSM",
    summary: "each token sends every place to one place, times a complex number; a dictionary of 128",
    model: { name: "pd-ssm", stateSize: 16, dictionary: 128 },
    rate: 0.01,
  },
  "sd-ssm": {
    label: "SD-SSM",
    summary: "a dense matrix for each token, mixed out of a dictionary of 128",
    model: { name: "sd-ssm", stateSize: 16, dictionary: 128 },
    rate: 0.002,
  },
  rnn: {
    label: "RNN",
    summary: "Elman's network: a dense recurrence and a tanh",
    model: { name: "rnn", heads: 1, start: "orthogonal" },
    rate: 0.005,
  },
  gru: { label: "GRU", summary: "gated cell", model: { name: "gru" }, rate: 0.01 },
  "sr-gru": {
    label: "SR-GRU",
    summary: "gated cell, drawn to a mixture of 32 learned vectors after each step",
    model: { name: "sr-gru", centroids: 32, temperature: 1 },
    rate: 0.01,
  },
  lstm: {
    label: "LSTM",
    summary: "gated cell with a memory",
    model: { name: "lstm", forgetBias: 1, convolution: 0 },
    rate: 0.01,
  },
  slstm: {
    label: "sLSTM",
    summary: "exponential gates, in heads",
    model: { name: "slstm", heads },
    rate: 0.01,
  },
  "slstm-block": {
    label: "xLSTM, sLSTM block",
    summary: "exponential gates, in heads throughout, with a feed-forward layer of 4/3 of the width",
    model: { name: "slstm-block", heads, convolution: 0 },
    rate: 0.01,
  },
  transformer: {
    label: "Transformer",
    summary: "causal softmax attention, rotary positions",
    model: { name: "transformer", heads, convolution: 0 },
    rate: 0.002,
  },
  path: {
    label: "PaTH",
    summary: "softmax attention behind products of reflections, eight heads",
    model: { name: "path", heads: 8, convolution: 0 },
    rate: 0.01,
  },
  fox: {
    label: "FoX",
    summary: "causal softmax attention with forget gates, without positions",
    model: { name: "fox", heads },
    rate: 0.01,
  },
  seqboat: {
    label: "SeqBoat",
    summary: "softmax attention to the last 16 of the tokens that fading means choose",
    model: { name: "seqboat", window: 16, stateSize: 16 },
    rate: 0.005,
  },
};

/** The tests of a graded run, by their names. */
export const [EASIEST, TRAINED, LONGER] = ["easiest", "trained", "longer"] as const;

/** Of the tasks of states: a stage for each length from one symbol on, which ends at `threshold`, and never by itself. */
export interface WordSettings {
  readonly longest: number;
  readonly threshold: number;
  readonly averagingWindow: number;
  readonly rates: readonly number[];
  readonly gridSeeds: readonly number[];
  /** Asked at four times the trained length. */
  readonly programs: number;
}

export interface ZooSettings {
  readonly model: { readonly layers: number; readonly width: number };
  readonly train: object;
  /** Times the steps of a column. */
  readonly steps: number;
  readonly rates: readonly number[];
  readonly gridSeeds: readonly number[];
  /** Asked of each test. */
  readonly programs: number;
  readonly averagingWindow: number;
  readonly words: WordSettings;
  /** What is run where nothing else is said; all where it is not there. */
  readonly only?: { readonly rows: readonly string[]; readonly columns: readonly string[] };
}

const laptop: ZooSettings = {
  model: { layers: 1, width: 32 },
  train: { batch: 16, warmupSteps: 20, schedule: "wsd", decaySteps: 200, minLearningRateRatio: 0.05 },
  steps: 1,
  averagingWindow: 100,
  rates: [2e-3, 5e-3, 1e-2],
  gridSeeds: [1000, 1001],
  programs: 300,
  words: {
    ...{ longest: 64, threshold: 0.99, averagingWindow: 400, programs: 1000 },
    ...{ rates: [1e-3, 3e-3, 1e-2], gridSeeds: [1000] },
  },
};

export const settings: Readonly<Record<Scale, ZooSettings>> = {
  smoke: {
    ...laptop,
    model: { layers: 1, width: 16 },
    train: { batch: 8, warmupSteps: 2 },
    steps: 0.01,
    rates: [2e-3, 1e-2],
    gridSeeds: [1000],
    programs: 30,
    words: { ...laptop.words, longest: 3, rates: [2e-3, 1e-2], programs: 30 },
    only: { rows: ["deltanet", "gru"], columns: ["parity", "mqar", "pfsa"] },
  },
  laptop,
  /** Four times the steps: whether what is not learned is learned later. */
  paper: { ...laptop, steps: 4, programs: 1000 },
};

/**
 * @file What is predicted, each column before its first run (`predictedOn`): of which class each architecture is, and what one
 * layer of each class, or two, can hold at any length. The experiment reads it and never changes it. One class was
 * changed afterwards: that of the long convolution, on 2026-11-25, before its first run.
 *
 *     class     the transition of one token                                    z3      s3      a5      s5
 *     fade      eigenvalues real, in [0, 1], or the same at every token        cannot  cannot  cannot  cannot
 *     phase     diagonal, unit complex: it turns                               can     cannot  cannot  cannot
 *
 * A row that is not built yet has its class here already. "can" says that weights exist, not that they are found.
 *
 * Sources: Grazzi et al. 2024, arXiv:2411.12537 (signs, reflections, finite precision); Siems et al. 2025, arXiv:2502.10297
 * (products); Merrill et al. 2024, arXiv:2404.08819 (attention, diagonal); arXiv:2603.03612 (dense). One reflection has no
 * complex eigenvalue, so a generator of order 3 or more that is repeated cannot be held; two diagonals commute. A 5-cycle
 * moves a space of four dimensions, so S_5 needs four reflections; A_4, S_4 and A_5, the turns of a tetrahedron, a cube and a dodecahedron,
 * need two. A swap of five things is one reflection of R^4, as it is of R^2 with three; that column was added, and predicted, when no model
 * had learned A_5 or S_5 by all their elements. So were both by two generators, of which one is a 5-cycle as before. d5, q8, a4, f20 and s4 came with the measure of reach.
 *
 * Two layers: k layers of complex diagonals track the groups that have a subnormal series of length k with Abelian factors, so of
 * derived length k at most (arXiv:2603.01959). A sign has factors Z_2 alone: the quaternions over {1, -1} are Z_2 x Z_2. A fixed or
 * a fading transition holds no parity at any depth (arXiv:2508.07395). With the parity of the word so far, each element of a dihedral group
 * is one reflection (arXiv:2502.10297). Attention is in TC0, which holds the word problems of solvable groups.
 */

import { ofTwoLayers, stateColumns, twoLayerColumns } from "./data.ts";

export const classes = {
  fade: "eigenvalues real, in [0, 1], or the same at every token",
  sign: "diagonal, real, in [-1, 1]",
  phase: "diagonal, unit complex: it turns",
  reflection: "I - b k k', b to 2: one reflection",
  "2 reflections": "a product of two reflections",
  "4 reflections": "a product of four reflections",
  dense: "dense or one-hot, chosen by the token",
  nonlinear: "a gated or tanh cell",
  attention: "none: it looks back",
} as const;
export type ClassName = keyof typeof classes;

export type Prediction = "can" | "cannot";

/** The day on which the predictions of a column were committed, before its first run. */
export const predictedOn: Readonly<Record<string, string>> = {
  ...onDay("2026-11-24", ["parity", "z3", "s3-swaps", "s3", "s5-swaps"]),
  ...onDay("2026-11-25", ["mqar", "selective-copy", "a5-two", "s5-two"]),
  ...onDay("2026-11-26", ["pfsa", "time-travel"]),
  ...onDay("2026-11-29", ["d5", "q8", "a4", "f20", "s4", ...twoLayerColumns]),
};

function onDay(day: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, day]));
}

/** "cannot" follows from theory; so does "can" where weights are given. Of other "can" only that it is expected is said. */
export function predictionBasis(prediction: Prediction, constructed: boolean): string {
  return prediction === "can" && !constructed ? "it is expected that it can" : `theory says it ${prediction}`;
}

const [can, cannot, open] = ["can", "cannot", undefined] as const;

/** Of one layer, by class; nothing is predicted where it is open. */
const oneLayer: Readonly<Record<ClassName, Readonly<Record<string, Prediction | undefined>>>> = {
  fade: all(cannot),
  attention: all(cannot),
  sign: { ...all(cannot), parity: can },
  phase: { ...all(cannot), parity: can, z3: can },
  // Each generator is one mirror.
  reflection: { ...all(cannot), parity: can, "s3-swaps": can, d5: can, "s5-swaps": can },
  // Turns of R^3 and of the plane; whether two reflections per symbol hold the quaternions or F_20 is not known to us.
  "2 reflections": { ...all(can), q8: open, f20: open, "s5-two": cannot },
  "4 reflections": all(can),
  dense: all(can),
  nonlinear: all(can),
};

const notSolvable = { "a5-two": cannot, "s5-swaps": cannot, "s5-two": cannot } as const;
const derivedLengthTwo = {
  ...{ parity: can, z3: can, "s3-swaps": can, s3: can, d5: can, q8: can },
  ...{ a4: can, f20: can },
} as const;

const twoLayers: typeof oneLayer = {
  fade: all(cannot),
  sign: { ...all(cannot), parity: can, q8: can },
  phase: { ...all(cannot), ...derivedLengthTwo },
  // What it holds of groups without real eigenvalues in two layers is not known to us.
  reflection: {
    ...{ parity: can, z3: can, "s3-swaps": can, s3: can, d5: can, q8: can },
    "s5-swaps": can,
  },
  // F_20: which multiple, then the sum, turned by it. Of S_5 three layers are known to be enough.
  "2 reflections": { ...all(can), "s5-two": open },
  "4 reflections": all(can),
  dense: all(can),
  nonlinear: all(can),
  attention: notSolvable,
};

/** By column. */
const table = Object.fromEntries(
  Object.keys(oneLayer).map((name) => [
    name,
    {
      ...oneLayer[name as ClassName],
      ...Object.fromEntries(
        Object.entries(twoLayers[name as ClassName]).map(([column, sign]) => [ofTwoLayers(column), sign]),
      ),
    },
  ]),
);

function all(sign: Prediction): Record<string, Prediction | undefined> {
  return Object.fromEntries(stateColumns.map((name) => [name, sign]));
}

/** By the row's name (rows.ts). */
export const mixerClass: Readonly<Record<string, ClassName>> = {
  mlstm: "fade",
  "mamba-positive": "fade",
  mamba: "sign",
  "deltanet-positive": "fade",
  deltanet: "reflection",
  "gated-deltanet-positive": "fade",
  "gated-deltanet": "reflection",
  "deltaproduct-n2": "2 reflections",
  "deltaproduct-n4": "4 reflections",
  rnn: "nonlinear",
  gru: "nonlinear",
  lstm: "nonlinear",
  "sr-gru": "nonlinear",
  slstm: "nonlinear",
  transformer: "attention",
  // Not built when this was written.
  gla: "fade",
  mamba2: "fade",
  "kda-positive": "fade",
  kda: "reflection",
  // Its least eigenvalue is -0.455 where the removal is in (0, 1): no sign lasts, though a proof with a wider range exists.
  rwkv7: "fade",
  mamba3: "phase",
  "mamba3-long": "phase",
  "mamba3-still": "fade",
  "pd-ssm": "dense",
  "sd-ssm": "dense",
  path: "reflection",
  fox: "attention",
  sse: "fade",
  gka: "fade",
  // With a chunk of more than one token the order within it is lost, and the open chunk is unread.
  lact: "fade",
  "lact-1": "nonlinear",
  "log-linear": "fade",
  // Over GLA: what it reads again has faded as its base's memory has.
  cached: "fade",
  "mlstm-block": "fade",
  "slstm-block": "nonlinear",
  s4d: "fade",
  // Its numbers turn, but by the same angle at every token: what a word is changes nothing of it.
  s5: "fade",
  // It looks back over so many words, weighed by their distance alone.
  "long-convolution": "attention",
  // It looks back over w tokens besides, which its means choose: no more than attention could.
  seqboat: "fade",
};

/** undefined where nothing is predicted: of a row or a column of the user's own, and of few that are built in. */
export function findPrediction(row: string, column: string): Prediction | undefined {
  // The order within a chunk is known to a second layer whose first looks at the chunk.
  if (row === "lact" && twoLayerColumns.includes(column)) return open;
  return Object.hasOwn(mixerClass, row) ? table[mixerClass[row]][column] : undefined;
}

/** Old values of a key make room for new ones. */
const deltaRules = [
  ...["deltanet-positive", "deltanet", "gated-deltanet-positive", "gated-deltanet", "kda-positive", "kda"],
  ...["rwkv7", "deltaproduct-n2", "deltaproduct-n4"],
];

/** Of those that are named: the first of a list are best. */
type PredictedOrder = readonly { readonly keeps: string; readonly rows: readonly string[] }[];

/**
 * Who remembers more pairs of a key and its value after the same training: what counts is how many numbers are kept, and whether what is
 * written makes room for itself.
 *
 * Sources: Arora et al. 2023, arXiv:2312.04927, and 2024, arXiv:2402.18668 (numbers of state); Yang et al. 2024, arXiv:2406.06484 (delta rule).
 */
const pairs: PredictedOrder = [
  { keeps: "all that was read", rows: ["transformer", "fox", "path"] },
  { keeps: "more memories as it reads", rows: ["cached", "log-linear"] },
  { keeps: "a matrix, read by regression", rows: ["gka"] },
  {
    keeps: "a matrix whose old values make room, or several",
    rows: [...deltaRules, "sse"],
  },
  {
    keeps: "a matrix to which is added",
    rows: [
      "gla",
      "mamba2",
      "mlstm",
      "mlstm-block",
      "mamba3",
      "mamba3-long",
      "mamba3-still",
      "mamba-positive",
      "mamba",
    ],
  },
  { keeps: "sums that the tokens do not choose", rows: ["s5"] },
  {
    keeps: "a vector",
    rows: ["rnn", "gru", "sr-gru", "lstm", "slstm", "slstm-block", "sd-ssm", "pd-ssm"],
  },
];

/**
 * Who copies more words from among blanks: a blank takes a place in whatever treats all tokens alike, and the distance of a word from its question is
 * known from the other words alone. Of vectors nothing is said: how much they can choose to keep depends on how long they are trained.
 *
 * Source: Gu and Dao 2023, arXiv:2312.00752, its table of selective copying (S4 18 %, the same with gates 57 %, with selection 97 % and more).
 */
const wordsAmongBlanks: PredictedOrder = [
  {
    keeps: "what it chooses to write, or all that was read",
    rows: [
      ...[
        "transformer",
        "fox",
        "path",
        "cached",
        "log-linear",
        "gka",
        "sse",
        "gla",
        "mamba2",
        "mlstm",
        "mlstm-block",
      ],
      ...deltaRules,
      ...["mamba3", "mamba3-long", "mamba3-still", "mamba-positive", "mamba"],
    ],
  },
  { keeps: "sums that the tokens do not choose", rows: ["s4d", "s5", "long-convolution"] },
];

const reflections = ["deltanet", "gated-deltanet", "kda", "deltaproduct-n2", "deltaproduct-n4"];
const nonlinear = ["rnn", "gru", "sr-gru", "lstm", "slstm", "slstm-block"];
/** Of the class `fade` those with a matrix, or several. */
const fadingMatrices = [
  ...["mlstm", "mlstm-block", "gla", "mamba2", "mamba-positive", "mamba3-still"],
  ...["deltanet-positive", "gated-deltanet-positive", "kda-positive", "rwkv7"],
  ...["log-linear", "gka", "sse", "cached"],
];

/**
 * Who comes nearest to the exact filter where words exchange by chance and one thing is named after each. The filter over all orders, not
 * normalised, is linear and not negative: a dense transition represents it, and a nonlinear cell what it needs of it. A reflection represents how likely
 * each place is alone. Of one-hot transitions none is "perhaps"; a diagonal has no exchange, and who only fades no sign: more than half of
 * the exchanges happen, so the likelier of two changes with every word. Of attention nothing is said: it is near where the words are few.
 *
 * Written with the specification of the zoo; when it was written here, one run each of GRU, DeltaNet [-1,1], GLA and a Transformer had been
 * seen (0.023, 0.028, 0.118 and 0.119 nats above, of 16 words), which were in this order.
 */
const beliefs: PredictedOrder = [
  { keeps: "whatever it is taught, or how likely every order is", rows: [...nonlinear, "sd-ssm"] },
  { keeps: "how likely each place is", rows: reflections },
  { keeps: "one order", rows: ["pd-ssm"] },
  {
    keeps: "what was named, for a while",
    rows: [...fadingMatrices, "mamba", "mamba3", "mamba3-long", "s4d", "s5"],
  },
];

/**
 * Who knows what held after an earlier line: the first layer must follow the exchanges, and the second keep what it followed under the number of
 * the line. Who only fades can keep and not follow, who looks back follows few exchanges. Of vectors nothing is said: the past of a few lines
 * is a few bits. When it was written, one run of DeltaNet [-1,1] had been seen, of up to eight lines (81.6 %).
 */
const past: PredictedOrder = [
  { keeps: "what it followed, in a matrix", rows: reflections },
  { keeps: "the lines, in a matrix or all of them", rows: [...fadingMatrices, "transformer", "fox"] },
];

/** By column. */
export const predictedOrders: Readonly<Record<string, PredictedOrder>> = {
  mqar: pairs,
  "selective-copy": wordsAmongBlanks,
  pfsa: beliefs,
  "time-travel": past,
};

/** From 1, the most; undefined where nothing is predicted. */
export function predictedLevel(row: string, column: string): number | undefined {
  const at = predictedOrders[column]?.findIndex((level) => level.rows.includes(row)) ?? -1;
  return at === -1 ? undefined : at + 1;
}

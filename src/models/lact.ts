/**
 * @file LaCT: a small network per head whose weights are trained on key-value pairs while it reads, a chunk of C tokens at a time.
 *
 *     q, k, v = x Wqkv;   q = unit(silu(a o q + b)),  k = unit(silu(a' o k + b')),  v = silu(v)         |q| = |k| = 1 in each head
 *     f(x) = (silu(x W0) o (x W2)) W1                   W0, W2 [dk, dh], W1 [dh, dv] a head, before the chunk of x
 *     e = softplus(x We + c), three numbers a head;     c initially such that e is 0.001
 *     G1 = sum e1 H' v,  G2 = sum e2 k' (D o silu(u)),  G0 = sum e0 k' (D o m o silu'(u))               over the chunk, of rows
 *          u = k W0,  m = k W2,  H = silu(u) o m,  D = v W1'       the gradient of f(k) v': ascent
 *     M <- G + n M, n the chunk's mean of sigmoid(x Wn + w), or M = G without `momentum`
 *     W <- W + M, or W + orthogonal(M);  then each column of W is rescaled to its initial length
 *     y_t = (norm(f(q_t)) + window attention of the raw q, k, v over the last `window` tokens) Wout
 *
 *     orthogonal(M): X = M / |M|;  five times X <- a X + (b X X' + c (X X')^2) X       it removes the size of M, and so that of e, and
 *                                                                                    amplifies rounding for chunks with few tokens relative to dk
 *
 * The network learns a chunk only after its end, and as a sum: the order of its tokens is lost, and only the window reads the open
 * chunk (without one, recall of pairs in the open chunk is at chance, and 98 % and more for others: experiment lact-chunks). So with C
 * > 1 it tracks no state that depends on the order of words; with C = 1 it is open: one seed of five has learned the parity of 64 bits
 * (docs/results/zoo.md). Recall improves with dh.
 *
 * Source: Test-Time Training Done Right, arXiv:2505.23884. The window has no positions here (theirs is rotary), and neither have q and k.
 * Their norm of q and k, biases of the projections, and low-rank start of the network's weights are omitted.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { shift } from "../tensor/arithmetic.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  concat,
  divide,
  expand,
  full,
  linear,
  matmul,
  mean,
  multiply,
  negate,
  node,
  pad,
  reshape,
  scale,
  scan,
  sigmoid,
  silu,
  slice,
  softmax,
  softplus,
  split,
  sqrt,
  subtract,
  sum,
  type Tensor,
  transpose,
  unitNorm,
} from "../tensor/index.ts";
import { NEVER } from "../tensor/packed-sequences.ts";
import { headsField } from "./config-fields.ts";
import { exchange } from "./kv-cache.ts";
import { constantParameter, headWidth, joinHeads, normal, splitHeads, tapAll, tapStep } from "./layers.ts";
import { asRow } from "./matrix-memory.ts";
import { defineModel, type State } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  chunk: z.int().positive().default(16).describe("Tokens C after which the network is updated"),
  expansion: z.int().positive().default(1).describe("Hidden width of the network as a multiple of dk"),
  window: z
    .int()
    .min(0)
    .default(16)
    .describe("Tokens of the attention window, at least a chunk, 0 for no attention"),
  momentum: z.boolean().default(true).describe("Whether updates have momentum"),
  orthogonal: z.boolean().default(false).describe("Whether updates are orthogonalized"),
});
type Config = z.infer<typeof config>;

/** The initial e, and its inverse under softplus. */
const FIRST_RATE = 0.001;
const FIRST_BIAS = Math.log(Math.expm1(FIRST_RATE));

export const lact = defineModel({
  name: "lact",
  summary: "LaCT: a small network per head that is trained while it reads",
  source: "arXiv:2505.23884",
  config,

  traits: ({ chunk }: Config) => ({ recurrence: "nonlinear", every: chunk }),

  init({ heads, chunk, expansion, window, momentum }: Config, width, rng) {
    if (window > 0 && window < chunk) fail("model.window", `0, or at least the chunk of ${chunk}`, window);
    const own = headWidth(width, heads);
    const hidden = expansion * own;
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      queryScale: constantParameter([width], 1),
      queryOffset: constantParameter([width], 0),
      keyScale: constantParameter([width], 1),
      keyOffset: constantParameter([width], 0),
      rate: normal(rng.fork("rate"), [width, 3 * heads]),
      rateBias: constantParameter([3 * heads], FIRST_BIAS),
      ...(momentum && {
        momentum: normal(rng.fork("momentum"), [width, heads]),
        momentumBias: constantParameter([heads], 0),
      }),
      fastGate: normal(rng.fork("fastGate"), [heads, own, hidden], own ** -0.5),
      fastDown: normal(rng.fork("fastDown"), [heads, hidden, own], hidden ** -0.5),
      fastUp: normal(rng.fork("fastUp"), [heads, own, hidden], own ** -0.5),
      norm: constantParameter([own], 1),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, { taps, intervene, norm }) {
    const [batch, length, width] = x.shape;
    const { heads, orthogonal, window } = config;
    const size = Math.min(config.chunk, length);
    const count = Math.ceil(length / size);
    const { q, k, v, rates, keep, attended } = partsOf(p, x, heads);
    tapAll(taps, { query: q, key: k, value: v, rate: rates, ...(keep && { momentum: keep }) });
    const padded = (y: Tensor) => pad(y, 1, 0, count * size - length);
    // [B, T, h, n] -> [N, B, h, C, n]; padding tokens of the last chunk have e = 0, and its update is not used.
    const into = (y: Tensor) =>
      transpose(reshape(padded(y), [batch, count, size, heads, -1]), [1, 0, 3, 2, 4]);
    const given = [q, k, v, rates, ...(keep ? [keep] : [])].map(into);
    const first = startOf(p);
    const lengths = makeThree((i) => columnNorms(first[i]));
    const starts = first.map((W) => expand(reshape(W, [1, ...W.shape]), [batch, ...W.shape]));
    const zeros = keep ? starts.map((W) => full(x.graph, W.shape, 0)) : [];
    const { outputs } = scan(given, [...starts, ...zeros], (states, [Q, K, V, E, N]) => {
      const W = states.slice(0, 3) as unknown as Three; // in input order
      const G = slopes(W, K, V, E);
      const share = N && reshape(mean(N, { axes: [2] }), [batch, heads, 1, 1]);
      const M = share ? makeThree((i) => add(G[i], multiply(share, states[3 + i]))) : G;
      const after = movedBy(W, M, lengths, orthogonal);
      return { states: [...after, ...(share ? M : [])], outputs: [readFast(W, Q)] };
    });
    const fast = slice(
      reshape(transpose(outputs[0], [1, 0, 3, 2, 4]), [batch, count * size, heads, -1]),
      1,
      0,
      length,
    ); // [B, T, h, dv]
    const normed = norm(fast, p.norm);
    const o = intervene(window > 0 ? add(normed, windowed(attended, window)) : normed);
    return linear(reshape(joinHeads(o), [batch, length, width]), p.out);
  },

  state({ heads, expansion, window, momentum }, width) {
    const own = width / heads;
    const [gate, down] = [
      [heads, own, expansion * own],
      [heads, expansion * own, own],
    ];
    const kept = [heads, window - 1, own];
    return {
      // The accumulated update of W, and the sums over the open chunk.
      ...{ moved0: gate, moved1: down, moved2: gate, sum0: gate, sum1: down, sum2: gate },
      ...(momentum && { last0: gate, last1: down, last2: gate, kept: [heads] }),
      ...(window > 1 && { keys: kept, values: kept }),
    };
  },

  step(p, x, state, config, { taps, intervene, norm, position }) {
    const [batch, width] = x.shape;
    const { heads, chunk, orthogonal, window } = config;
    const { q, k, v, rates, keep, attended } = partsOf(p, x, heads); // [B, h, dk]
    tapStep(taps, { query: q, key: k, value: v, rate: rates, ...(keep && { momentum: keep }) });
    const within = node("Mod", [position, x.graph.constant(Int32Array.of(chunk), [1])], {
      shape: [batch],
      dtype: "int32",
    });
    const lastOfChunk = x.graph.constant(Int32Array.of(chunk - 1), [1]);
    const ends = reshape(toFloat(node("Equal", [within, lastOfChunk], { shape: [batch], dtype: "bool" })), [
      batch,
      1,
      1,
      1,
    ]);
    const goesOn = shift(negate(ends), 1);
    const first = startOf(p);
    const lengths = makeThree((i) => columnNorms(first[i]));
    const W = makeThree((i) => add(first[i], state[`moved${i}`]));
    const fast = reshape(readFast(W, asRow(q)), [batch, 1, heads, -1]);
    const G = slopes(W, asRow(k), asRow(v), asRow(rates));
    const sums = makeThree((i) => add(G[i], state[`sum${i}`]));
    const kept = keep && add(keep, state.kept);
    const share = kept && reshape(scale(kept, 1 / chunk), [batch, heads, 1, 1]);
    const M = share ? makeThree((i) => add(sums[i], multiply(share, state[`last${i}`]))) : sums;
    const after = movedBy(W, M, lengths, orthogonal);
    /** The new value at the end of a chunk, else the old one. */
    const chosen = (now: Tensor, before: Tensor) => add(multiply(ends, now), multiply(goesOn, before));
    const states = [0, 1, 2].flatMap((i) => [
      [`moved${i}`, chosen(subtract(after[i], first[i]), state[`moved${i}`])],
      [`sum${i}`, multiply(goesOn, sums[i])],
      ...(share ? [[`last${i}`, chosen(M[i], state[`last${i}`])]] : []),
    ]);
    const { o: looked, past } = window > 0 ? windowStep(attended, state, window, position) : { past: {} };
    const normed = norm(fast, p.norm);
    const o = intervene(looked ? add(normed, looked) : normed);
    return {
      y: linear(reshape(joinHeads(o), [batch, width]), p.out),
      state: {
        ...(Object.fromEntries(states) as State),
        ...(kept && { kept: multiply(reshape(goesOn, [batch, 1]), kept) }),
        ...past,
      },
    };
  },
  unpacked: "Its chunks are counted from the start of a row.",
});

type Parameters = Readonly<
  Record<
    "qkv" | "queryScale" | "queryOffset" | "keyScale" | "keyOffset" | "rate" | "rateBias" | "norm" | "out",
    Tensor
  >
> &
  Readonly<Record<"fastGate" | "fastDown" | "fastUp", Tensor>> & {
    readonly momentum?: Tensor;
    readonly momentumBias?: Tensor;
  };

type Attended = Readonly<Record<"q" | "k" | "v", Tensor>>;

const startOf = ({
  fastGate,
  fastDown,
  fastUp,
}: Pick<Parameters, "fastGate" | "fastDown" | "fastUp">): Three => [fastGate, fastDown, fastUp];

/** x [..., d] -> q, k, v [..., h, dk] of the network, e [..., h, 3], sigmoid(x Wn + w) [..., h], and the inputs of the window attention. */
function partsOf(p: Parameters, x: Tensor, heads: number) {
  const width = x.shape.at(-1)!;
  const [query, key, value] = split(linear(x, p.qkv), -1, [width, width, width]);
  const affine = (y: Tensor, by: Tensor, offset: Tensor) =>
    unitNorm(splitHeads(silu(add(multiply(y, by), offset)), heads));
  return {
    q: affine(query, p.queryScale, p.queryOffset),
    k: affine(key, p.keyScale, p.keyOffset),
    v: splitHeads(silu(value), heads),
    rates: splitHeads(softplus(add(linear(x, p.rate), p.rateBias)), heads),
    keep: p.momentum && p.momentumBias && sigmoid(add(linear(x, p.momentum), p.momentumBias)),
    attended: {
      q: scale(splitHeads(query, heads), (width / heads) ** -0.5),
      k: splitHeads(key, heads),
      v: splitHeads(value, heads),
    },
  };
}

/**
 * q, k, v [B, T, h, dk] -> attention over the last `window` tokens, [B, T, h, dv]. Blocks of W tokens see themselves and the previous
 * block, so that time and memory grow linearly with T.
 */
function windowed({ q, k, v }: Attended, window: number): Tensor {
  const [batch, length, heads] = q.shape;
  const W = Math.min(window, length);
  const count = Math.ceil(length / W);
  const blocks = (y: Tensor) =>
    transpose(reshape(pad(y, 1, 0, count * W - length), [batch, count, W, heads, -1]), [0, 3, 1, 2, 4]);
  const around = (y: Tensor) => {
    const own = blocks(y); // [B, h, N, W, dk]
    return concat([slice(pad(own, 2, 1, 0), 2, 0, count), own], 3); // [B, h, N, 2 W, dk]
  };
  const band = q.graph.constant(
    Float32Array.from({ length: count * W * 2 * W }, (_, n) => {
      const [block, i, j] = [Math.floor(n / (2 * W * W)), Math.floor(n / (2 * W)) % W, n % (2 * W)];
      const behind = i + W - j;
      return behind >= 0 && behind < window && (block > 0 || j >= W) ? 0 : NEVER;
    }),
    [count, W, 2 * W],
  );
  const scores = add(matmul(blocks(q), around(k), { transposeY: true }), band); // [B, h, N, W, 2 W]
  const o = transpose(matmul(softmax(scores), around(v)), [0, 2, 3, 1, 4]); // [B, N, W, h, dv]
  return slice(reshape(o, [batch, count * W, heads, -1]), 1, 0, length);
}

/** One token after those in the state, [B, h, dk] each -> [B, 1, h, dv]. */
function windowStep({ q, k, v }: Attended, state: State, window: number, position: Tensor) {
  const [batch, heads] = k.shape;
  if (window === 1) return { o: exchange(asRow(v)), past: {} };
  const [keys, values] = [concat([state.keys, asRow(k)], 2), concat([state.values, asRow(v)], 2)]; // [B, h, w, dk]
  const behind = position.graph.constant(
    Int32Array.from({ length: window }, (_, place) => window - 1 - place),
    [window],
  );
  const before = node("Greater", [behind, reshape(position, [batch, 1])], {
    shape: [batch, window],
    dtype: "bool",
  });
  const unseen = reshape(scale(toFloat(before), NEVER), [batch, 1, 1, window]);
  const weights = softmax(add(matmul(asRow(q), keys, { transposeY: true }), unseen)); // [B, h, 1, w]
  return {
    o: reshape(matmul(weights, values), [batch, 1, heads, -1]),
    past: { keys: slice(keys, 2, 1, window), values: slice(values, 2, 1, window) },
  };
}

/*
 * The network whose weights are a recurrent state, over rows x [..., n, dk]: its output, its gradient step, and orthogonalization.
 *
 *     f(x) = (silu(x W0) o (x W2)) W1              W0, W2 [..., dk, dh],  W1 [..., dh, dv]
 */

/** W0, W1 and W2, or one thing for each. */
type Three = readonly [Tensor, Tensor, Tensor];

const makeThree = (make: (i: number) => Tensor): Three => [make(0), make(1), make(2)];

/** a, b, c of five Newton-Schulz steps X <- a X + (b X X' + c (X X')^2) X, which bring singular values near 1. */
const STEPS = [
  [4.0848, -6.8946, 2.927],
  [3.9505, -6.3029, 2.6377],
  [3.7418, -5.5913, 2.3037],
  [2.8769, -3.1427, 1.2046],
  [2.8366, -3.0525, 1.2012],
] as const;

/** Added to squares, so that their root is differentiable at 0. */
const LEAST_SQUARE = 1e-14;

/** f(x) of each row. */
function readFast([W0, W1, W2]: Three, x: Tensor): Tensor {
  return matmul(multiply(silu(matmul(x, W0)), matmul(x, W2)), W1);
}

/** The gradients of sum e f(k) v' over the rows k and v, e [..., n, 3] one for each of the weights. */
function slopes([W0, W1, W2]: Three, k: Tensor, v: Tensor, rates: Tensor): Three {
  const [u, m] = [matmul(k, W0), matmul(k, W2)];
  const s = sigmoid(u);
  const active = multiply(u, s); // silu(u), of which `bend` is the slope
  const bend = multiply(s, shift(multiply(u, shift(negate(s), 1)), 1));
  const D = matmul(v, W1, { transposeY: true });
  const [e0, e1, e2] = split(rates, -1, [1, 1, 1]);
  const over = (rows: Tensor, values: Tensor) => matmul(rows, values, { transposeX: true });
  return [
    over(k, multiply(e0, multiply(multiply(D, m), bend))),
    over(multiply(active, m), multiply(e1, v)),
    over(k, multiply(e2, multiply(D, active))),
  ];
}

/** The length of each column. */
function columnNorms(W: Tensor): Tensor {
  return sqrt(shift(sum(multiply(W, W), { axes: [-2], keep: true }), LEAST_SQUARE));
}

/** W + M, or W + orthogonal(M), with each column rescaled to its length in `lengths`. */
function movedBy(W: Three, M: Three, lengths: Three, orthogonal: boolean): Three {
  return makeThree((i) => {
    const gone = add(W[i], orthogonal ? orthogonalised(M[i]) : M[i]);
    return multiply(divide(gone, columnNorms(gone)), lengths[i]);
  });
}

/**
 * M with its singular values moved near 1, for each matrix [..., n, m]. A value of 1/500 of the largest becomes as large as the others:
 * for such M float32 rounding is amplified to the first digits.
 */
export function orthogonalised(M: Tensor): Tensor {
  const size = sqrt(shift(sum(multiply(M, M), { axes: [-2, -1], keep: true }), LEAST_SQUARE));
  return STEPS.reduce(
    (X, [a, b, c]) => {
      const square = matmul(X, X, { transposeY: true });
      const both = add(scale(square, b), scale(matmul(square, square), c));
      return add(scale(X, a), matmul(both, X));
    },
    divide(M, size),
  );
}

/**
 * @file PaTH: softmax attention with products of token-dependent reflections as positions.
 *
 *     q, k, v = x Wqkv, or with `convolveAll` silu(conv(x Wqkv));   b = 2 sigmoid(x Wb + c)     b one number a head
 *     w = x Wdown Wup, or with `convolution` silu(conv(x Wdown Wup)), each head of it of length 1
 *     H_t = I - b_t w_t w_t'
 *     o_t = sum_{s <= t} softmax_s(q_t' H_t H_{t-1} ... H_{s+1} k_s / sqrt(dk)) v_s;   y_t = o_t Wout
 *     with `forgetGate` its logits get (log f_{s+1} + ... + log f_t) / sqrt(dk), f of fox.ts; over sqrt(dk) as in fla's kernels
 *
 * Over a sequence, with rows Q, K, W and A = tril(diag(b) W W', -1):
 *
 *     logits = tril(Q K') - tril(Q W') (I + A)^-1 tril(diag(b) W K', -1)
 *
 * For more than `chunk` tokens the rows of a chunk of C follow from the chunks before, with Z = W' X [dk, T], where X is all but the
 * first factor:
 *
 *     X_n = (I + A_n)^-1 (tril(diag(b) W_n K', -1) - diag(b) W_n Z);   logits_n = Q_n K' - Q_n Z - tril(Q_n W_n') X_n;   Z <- Z + W_n' X_n
 *
 * For long sequences the gradient keeps Z between groups of chunks and recomputes the rest: memory grows with T^1.5 instead of T^2.
 *
 * A step moves all past keys by one H: a head sees, of a state, one number that a key gives of the product of all later tokens. A
 * separate first token is such a key. Without one, a text of equal words looks the same at any length, as for any softmax over values:
 * then one layer cannot even track its parity.
 *
 * Source: Yang et al. 2025, arXiv:2505.16381, and fla's layer; with a forget gate PaTH-FoX. `convolveAll` is not in it.
 */

import { z } from "zod";
import { future, hidden } from "../tensor/attention.ts";
import { scanInGroups } from "../tensor/checkpointed-scan.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  concat,
  cumulativeSum,
  full,
  linear,
  matmul,
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
  split,
  subtract,
  type Tensor,
  transpose,
  unitNorm,
} from "../tensor/index.ts";
import { NEVER, otherSession, sessionStarts } from "../tensor/packed-sequences.ts";
import type { ScanStep } from "../tensor/scan.ts";
import { maskConstant, unitLowerInverse, unitLowerSolver } from "../tensor/unit-lower-inverse.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import { logForgets, sumInSessions } from "./fox.ts";
import { exchange, unseenFrom, writeAt } from "./kv-cache.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  convolutionStepIfAny,
  flaStart,
  headWidth,
  joinHeads,
  lowRank,
  lowRankParameters,
  normal,
  splitHeads,
  tapAll,
  tapStep,
} from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  convolution: convolutionField(3),
  convolveAll: z.boolean().default(false).describe("Whether the convolution is also over q, k and v"),
  forgetGate: z.boolean().default(false).describe("Whether past tokens fade by forget gates, as in fox"),
  chunk: z.int().positive().default(32).describe("Rows computed together, without influence on the result"),
});
type Config = z.infer<typeof config>;

/** Up to this length all intermediate values are kept for the gradient; for longer sequences they are recomputed. */
const KEPT = 1024;

/** Rank of the projection to w, as in the authors' code. */
const RANK = 32;

export const path = defineModel({
  name: "path",
  summary: "causal softmax attention with products of reflections (PaTH)",
  source: "arXiv:2505.16381",
  config,

  /** The keys, its recurrent state. */
  traits: () => ({ recurrence: { least: -1, complex: false, commuting: false } }),

  init({ heads, convolution, convolveAll, forgetGate }: Config, width, rng) {
    headWidth(width, heads); // refuses heads that do not divide it
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      reflection: lowRankParameters(rng.fork("reflection"), width, RANK, width),
      ...convolutionParameter(rng, convolution, (convolveAll ? 4 : 1) * width, flaStart),
      beta: normal(rng.fork("beta"), [width, heads]),
      betaBias: constantParameter([heads], 0),
      ...(forgetGate && {
        forget: normal(rng.fork("forget"), [width, heads]),
        forgetBias: constantParameter([heads], 0),
      }),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads, chunk }, { taps, intervene, fresh }) {
    const { y: mixed } = convolutionOver(inputsOf(p, x), p.convolution, undefined, fresh);
    const parts = partsOf(p, x, mixed, heads);
    tapAll(taps, parts.tapped);
    const [q, k, v, w] = parts.given.map(exchange); // [B, h, T, d/h]
    const b = exchange(reshape(parts.tapped.strength, [...parts.tapped.strength.shape, 1])); // [B, h, T, 1]
    const starts = fresh && sessionStarts(fresh);
    const given = { q, k, v, w, bw: multiply(b, w), starts, faded: fadedOf(parts.fading, fresh) };
    const o = x.shape[1] <= chunk ? whole(given) : inChunks(given, chunk);
    return linear(joinHeads(intervene(exchange(o))), p.out);
  },

  state: ({ heads, convolution, convolveAll, forgetGate }, width, length) => ({
    keys: [heads, length, width / heads],
    values: [heads, length, width / heads],
    ...(forgetGate && { faded: [heads, length, 1] }),
    ...convolutionPast(convolution, (convolveAll ? 4 : 1) * width),
  }),

  step(p, x, state, { heads }, { taps, intervene, position }) {
    const { y: mixed, kept } = convolutionStepIfAny(inputsOf(p, x), p.convolution, state.past);
    const parts = partsOf(p, x, mixed, heads);
    tapStep(taps, parts.tapped);
    const row = (y: Tensor) => reshape(y, [x.shape[0], heads, 1, -1]);
    const [q, k, v, w, b] = [...parts.given, parts.tapped.strength].map(row);
    // H k of every key: k - b w (w' k)
    const along = matmul(state.keys, w, { transposeY: true }); // [B, h, M, 1]
    const turned = subtract(state.keys, multiply(along, multiply(b, w)));
    const length = state.keys.shape[2];
    const faded = parts.fading && add(state.faded, row(parts.fading)); // [B, h, M, 1]
    const products = matmul(q, turned, { transposeY: true });
    const logits = faded ? add(products, transpose(faded, [0, 1, 3, 2])) : products;
    const before = add(logits, unseenFrom(position, length));
    const weights = softmax(concat([before, matmul(q, k, { transposeY: true })], -1));
    const [toBefore, toNow] = split(weights, -1, [length, 1]);
    const o = add(matmul(toBefore, state.values), multiply(toNow, v)); // [B, h, 1, d/h]
    const y = linear(joinHeads(intervene(exchange(o))), p.out);
    return {
      y: reshape(y, x.shape),
      state: {
        keys: writeAt(position, turned, k),
        values: writeAt(position, state.values, v),
        ...(faded && { faded: writeAt(position, faded, full(x.graph, [x.shape[0], heads, 1, 1], 0)) }),
        ...kept,
      },
    };
  },
  packs: true,
});

/** All [B, h, T, dk]; bw is b w. */
type Given = Readonly<Record<"q" | "k" | "v" | "w" | "bw", Tensor>> & {
  /** Of each token's session, [B, T]. No product of H leaves a session, so only the softmax needs them. */
  readonly starts: Tensor | undefined;
  /** Added to the logits of each key, [B, h, 1, T]: -(log f_1 + ... + log f_s) / sqrt(dk), if it fades. */
  readonly faded: Tensor | undefined;
};

/** The convolution's input, [..., d] or [..., 4d]. */
function inputsOf(p: Pick<Parameters, "qkv" | "reflection" | "convolution">, x: Tensor): Tensor {
  const w = lowRank(x, p.reflection);
  return isOverAll(p, x) ? concat([w, linear(x, p.qkv)], -1) : w;
}

const isOverAll = ({ convolution }: Pick<Parameters, "convolution">, x: Tensor) =>
  convolution !== undefined && convolution.shape[1] > x.shape.at(-1)!;

/** log f / sqrt(dk) [B, T, h] -> [B, h, 1, T]. */
function fadedOf(fading: Tensor | undefined, fresh: Tensor | undefined): Tensor | undefined {
  if (fading === undefined) return undefined;
  const [batch, length, heads] = fading.shape;
  const start = full(fading.graph, [batch, heads], 0);
  const total = fresh === undefined ? cumulativeSum(fading, 1) : sumInSessions(fading, start, fresh);
  return reshape(transpose(negate(total), [0, 2, 1]), [batch, heads, 1, length]);
}

const among = (y: Tensor, z: Tensor) => matmul(y, z, { transposeY: true });

/** The output of each token, [B, h, T, dv]. */
function whole({ q, k, v, w, bw, starts, faded }: Given): Tensor {
  const { graph, shape } = q;
  const length = shape[2];
  const upTo = maskConstant(graph, length, (i, j) => j <= i);
  const before = maskConstant(graph, length, (i, j) => j < i);
  const back = unitLowerSolver(negate(among(bw, w)))(multiply(among(bw, k), before));
  const logits = subtract(among(q, k), matmul(multiply(among(q, w), upTo), back));
  const seen = add(faded ? add(logits, faded) : logits, future(graph, 0, length));
  return matmul(softmax(starts === undefined ? seen : add(seen, hidden(starts, 0, length))), v);
}

/** The same, C rows at a time. */
function inChunks({ q, k, v, w, bw, starts, faded }: Given, C: number): Tensor {
  const { graph, shape } = q;
  const [batch, heads, length, own] = shape;
  const count = Math.ceil(length / C);
  const filled = (y: Tensor) => pad(y, 2, 0, count * C - length); // with w = 0: no reflection
  const chunks = (y: Tensor) => transpose(reshape(filled(y), [batch, heads, count, C, own]), [2, 0, 1, 3, 4]); // [N, B, h, C, dk]
  const [Q, W, BW] = [q, w, bw].map(chunks);
  const [keys, values] = [filled(k), filled(v)];
  const fades = faded && pad(faded, 3, 0, count * C - length);
  const inverses = unitLowerInverse(among(BW, W)); // [N, B, h, C, C]
  const within = multiply(
    among(Q, W),
    maskConstant(graph, C, (i, j) => j <= i),
  );
  const numbers = (shape: readonly number[]) =>
    graph.constant(
      Float32Array.from({ length: count * C }, (_, i) => i),
      shape,
    );
  const [rows, columns] = [numbers([count, C, 1]), numbers([count * C])];
  const isLarger = (a: Tensor, b: Tensor) =>
    toFloat(node("Greater", [a, b], { shape: [C, count * C], dtype: "bool" }));
  const start = full(graph, [batch, heads, own, count * C], 0);
  const sessions = starts && pad(starts, 1, 0, count * C - length); // [B, T]
  const step: ScanStep = ([Z], [q, w, bw, inverse, near, row, started]) => {
    const given = subtract(multiply(among(bw, keys), isLarger(row, columns)), matmul(bw, Z));
    const X = matmul(inverse, given); // [B, h, C, T]
    const products = subtract(among(q, keys), add(matmul(q, Z), matmul(near, X)));
    const logits = fades ? add(products, fades) : products;
    const later = scale(isLarger(columns, row), NEVER);
    const unseen = sessions ? add(later, otherSession(started, reshape(sessions, [batch, 1, 1, -1]))) : later;
    return {
      states: [add(Z, matmul(w, X, { transposeX: true }))],
      outputs: [matmul(softmax(add(logits, unseen)), values)],
    };
  };
  const ofRows = sessions && transpose(reshape(sessions, [batch, count, 1, C, 1]), [1, 0, 2, 3, 4]);
  const inputs = [Q, W, BW, inverses, within, rows, ...(ofRows ? [ofRows] : [])];
  const { outputs } =
    length <= KEPT
      ? scan(inputs, [start], step)
      : scanInGroups(inputs, [start], step, Math.ceil(Math.sqrt(count)));
  const o = reshape(transpose(outputs[0], [1, 2, 0, 3, 4]), [batch, heads, count * C, own]);
  return slice(o, 2, 0, length);
}

type Parameters = Readonly<Record<"qkv" | "beta" | "betaBias", Tensor>> &
  Readonly<Partial<Record<"convolution" | "forget" | "forgetBias", Tensor>>> & {
    readonly reflection: Readonly<Record<"down" | "up", Tensor>>;
  };

/** x, and the convolution's output, [..., d] or [..., 4d] -> q (over sqrt(dk)), k, v, w [..., h, d/h]. */
function partsOf(p: Parameters, x: Tensor, mixed: Tensor, heads: number) {
  const axis = x.shape.length - 1;
  const width = x.shape[axis];
  const activated = p.convolution ? silu(mixed) : mixed;
  const [w, qkv] = isOverAll(p, x) ? split(activated, -1, [width, 3 * width]) : [activated, linear(x, p.qkv)];
  const [query, key, value] = split(splitHeads(qkv, 3 * heads), axis, [heads, heads, heads]);
  const reflection = unitNorm(splitHeads(w, heads));
  const { forget, forgetBias } = p;
  const logForget = forget && forgetBias && logForgets(x, { forget, forgetBias });
  const strength = scale(sigmoid(add(linear(x, p.beta), p.betaBias)), 2);
  const byWidth = (y: Tensor) => scale(y, (width / heads) ** -0.5);
  const scaled = byWidth(query);
  return {
    given: [scaled, key, value, reflection] as const,
    fading: logForget && byWidth(logForget),
    tapped: { query: scaled, key, value, reflection, strength, ...(logForget && { logForget }) },
  };
}

/**
 * @file Log-linear attention: instead of one memory of the past, one per power of two, each with a separate read weight.
 *
 *     past of t = 13 = 1101b     tokens 0..7   8..11   12   13
 *     level                             4       3      1    0          for s < t: 1 + the highest bit in which they differ
 *
 *     o_t = sum_{s <= t} m_t[level(t, s)] a_{s+1} ... a_t (q_t' k_s / sqrt(dk)) v_s
 *     a = sigmoid(x Wa + c)^(1/16) one number a head;   m = softplus(l o (x Wm)) one number a level and head
 *     y_t = (norm(o_t) o silu(x_t Wg)) Wo;   q, k, v = x Wqkv, or with `convolution` silu(conv(x Wqkv)), conv of gla.ts
 *
 * The recurrent state is the memories S of the levels from 1 on, log2 of the longest text; all decay by a. After token t the levels up
 * to the lowest bit of t + 1 are merged. A level's content depends on where the text begins, and m has as many numbers as there are
 * levels: no text can be longer than `longest`. With m = 1 it is the memory with one decay a head.
 *
 * For a sequence, all pairs within a chunk are weighed directly. A higher level is a block of b tokens, read by the next b tokens: K' V
 * of every second block, and Q times that in the others; log2(T / chunk) times two products over half of the tokens.
 *
 * Its transitions are those of its base, numbers in [0, 1]: it can decay, and neither swap nor count modulo anything. Source: Guo et
 * al. 2025, arXiv:2506.04761, its mask in bit form; gates and norm are those of gla.ts.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { future } from "../tensor/attention.ts";
import {
  add,
  concat,
  cumulativeSum,
  embedding,
  exp,
  linear,
  matmul,
  multiply,
  pad,
  reshape,
  scale,
  silu,
  slice,
  softplus,
  split,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionPast,
  convolutionStepIfAny,
  joinHeads,
  logSigmoid,
  normal,
  splitHeads,
  tapAll,
  tapStep,
} from "./layers.ts";
import { layerParameters } from "./matrix-memory-layer.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  longest: z.int().min(2).max(65_536).default(2048).describe("Largest number of tokens"),
  convolution: convolutionField(0),
  chunk: z
    .int()
    .min(2)
    .default(64)
    .describe("Tokens whose pairs are weighed directly, a power of 2, without influence on the result"),
});
type Config = z.infer<typeof config>;

/** The divisor of log-decays, as in gla.ts. */
const TEMPERATURE = 16;

/** Number of levels for texts of so many tokens; that of the token itself is one of them. */
const levelCount = (length: number) => 1 + Math.ceil(Math.log2(Math.max(1, length)));

/** The level of t's memory that contains s <= t. */
const levelAt = (t: number, s: number) => (t === s ? 0 : 32 - Math.clz32(t ^ s));

export const logLinear = defineModel({
  name: "log-linear",
  summary: "log-linear attention: a decaying memory per power of two of the past",
  source: "arXiv:2506.04761",
  config,

  traits: () => ({
    recurrence: { least: 0, complex: false, commuting: true },
    keeps: "decay",
  }),

  init({ longest, chunk, ...config }: Config, width, rng) {
    const { heads } = config;
    if (!Number.isInteger(Math.log2(chunk))) fail("log-linear", "a chunk that is a power of two", chunk);
    const levels = levelCount(longest);
    const own = {
      decay: normal(rng.fork("decay"), [width, heads]),
      decayBias: constantParameter([heads], 0),
      share: normal(rng.fork("share"), [width, heads * levels]),
      level: constantParameter([heads * levels], 1),
    };
    return layerParameters(rng, width, config, own, { gate: normal(rng.fork("gate"), [width, width]) });
  },

  apply(p, x, { heads, longest, chunk }, { taps, intervene, norm }) {
    const [batch, length, width] = x.shape;
    if (length > longest) fail("log-linear", `texts of at most ${longest} tokens (longest)`, length);
    const { y: mixed } = convolutionOver(linear(x, p.qkv), p.convolution, undefined); // [B, T, 3d]
    const { q, k, v, logDecay, shares } = partsOf(p, x, mixed, heads); // [B, T, h, dk], [B, T, h], [B, T, h, levels]
    tapAll(taps, { query: q, key: k, value: v, decay: exp(logDecay), share: shares });
    const given = { q, k, v, logDecay, shares };
    const read = length <= chunk ? ofPairs(given) : inChunks(given, chunk); // [B, T, h, dv]
    const o = intervene(norm(read, p.norm));
    const y = multiply(joinHeads(o), silu(linear(x, p.gate)));
    return linear(reshape(y, [batch, length, width]), p.out);
  },

  state: ({ heads, longest, convolution }, width, length) => {
    if (length > longest) fail("log-linear", `texts of at most ${longest} tokens (longest)`, length);
    return {
      S: [levelCount(longest) - 1, heads, width / heads, width / heads],
      ...convolutionPast(convolution, 3 * width),
    };
  },

  step(p, x, state, { heads, longest }, { taps, intervene, norm, position }) {
    const [batch, width] = x.shape;
    const own = width / heads;
    const behind = levelCount(longest) - 1; // levels that are carried
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { q, k, v, logDecay, shares } = partsOf(p, x, mixed, heads); // [B, h, dk], [B, h], [B, h, levels]
    tapStep(taps, { query: q, key: k, value: v, decay: exp(logDecay), share: shares });
    const faded = multiply(state.S, reshape(exp(logDecay), [batch, 1, heads, 1, 1]));
    const written = multiply(reshape(k, [batch, 1, heads, own, 1]), reshape(v, [batch, 1, heads, 1, own]));
    const all = concat([written, faded], 1); // [B, levels, h, dk, dv]
    const weights = reshape(transpose(shares, [0, 2, 1]), [batch, behind + 1, heads, 1, 1]);
    const read = matmul(reshape(q, [batch, heads, 1, own]), sum(multiply(all, weights), { axes: [1] })); // [B, h, 1, dv]
    const table = embedding(mergesOf(x, longest), position); // [B, 3 levels]
    const [joins, keeps, takes] = split(table, -1, [behind + 1, behind, behind]).map((each) =>
      reshape(each, [batch, -1, 1, 1, 1]),
    );
    const joined = sum(multiply(all, joins), { axes: [1], keep: true }); // [B, 1, h, dk, dv]
    const S = add(multiply(faded, keeps), multiply(joined, takes));
    const o = intervene(norm(reshape(read, [batch, 1, heads, own]), p.norm));
    const y = multiply(reshape(joinHeads(o), x.shape), silu(linear(x, p.gate)));
    return { y: linear(y, p.out), state: { S, ...kept } };
  },
  unpacked: "Its levels follow from the places in a row.",
});

type Parameters = Readonly<
  Record<"qkv" | "decay" | "decayBias" | "share" | "level" | "norm" | "gate" | "out", Tensor>
> & { readonly convolution?: Tensor };

/** x [..., d] and its projections [..., 3d] -> q, k, v [..., h, dk], log a [..., h], m [..., h, levels]. */
function partsOf(p: Parameters, x: Tensor, mixed: Tensor, heads: number) {
  const projected = p.convolution === undefined ? mixed : silu(mixed);
  const [q, k, v] = split(splitHeads(projected, 3 * heads), -2, [heads, heads, heads]);
  const logDecay = scale(logSigmoid(add(linear(x, p.decay), p.decayBias)), 1 / TEMPERATURE);
  const shares = softplus(multiply(linear(x, p.share), p.level));
  const own = x.shape.at(-1)! / heads;
  return {
    ...{ q: scale(q, own ** -0.5), k, v, logDecay },
    shares: reshape(shares, [...x.shape.slice(0, -1), heads, -1]),
  };
}

/** [B, T, h, ...] each: of dk, dk, dv, one number, and the levels. */
type Given = Readonly<Record<"q" | "k" | "v" | "logDecay" | "shares", Tensor>>;

/** The output of each token from all before it, [B, T, h, dv], with one weight per pair. */
function ofPairs({ q, k, v, logDecay, shares }: Given): Tensor {
  const [batch, length, heads] = q.shape;
  const levels = levelCount(length);
  const exchanged = (y: Tensor) => transpose(y, [0, 2, 1, 3]); // [B, T, h, n] to [B, h, T, n], and back
  // For each t the weights of all s: one product per position with the level mask.
  const byTime = reshape(transpose(slice(shares, -1, 0, levels), [1, 0, 2, 3]), [
    length,
    batch * heads,
    levels,
  ]);
  const spread = matmul(byTime, placesOf(q, length, levels)); // [T, B h, T]
  const ofLevels = reshape(transpose(spread, [1, 0, 2]), [batch, heads, length, length]);
  const total = transpose(cumulativeSum(logDecay, 1), [0, 2, 1]); // [B, h, T]
  const between = subtract(
    reshape(total, [batch, heads, length, 1]),
    reshape(total, [batch, heads, 1, length]),
  );
  const fading = exp(add(between, future(q.graph, 0, length)));
  const products = matmul(exchanged(q), exchanged(k), { transposeY: true }); // [B, h, T, T]
  return exchanged(matmul(multiply(multiply(products, fading), ofLevels), exchanged(v)));
}

/**
 * The same: pairs within chunks of C tokens, and a memory for each block on the higher levels. Padding writes nothing and does not
 * decay.
 */
function inChunks({ q, k, v, logDecay, shares }: Given, C: number): Tensor {
  const [batch, length, heads] = q.shape;
  const across = v.shape[3];
  /** [B, T, h, ...] -> [B N, b, h, ...]. */
  const cut = (y: Tensor, b: number) => {
    const count = Math.ceil(length / b);
    return reshape(pad(y, 1, 0, count * b - length), [batch * count, b, ...y.shape.slice(2)]);
  };
  const back = (y: Tensor) => slice(reshape(y, [batch, -1, heads, across]), 1, 0, length);
  const near = {
    q: cut(q, C),
    k: cut(k, C),
    v: cut(v, C),
    logDecay: cut(logDecay, C),
    shares: cut(shares, C),
  };
  let read = back(ofPairs(near));
  for (let [b, level] = [C, 1 + Math.log2(C)]; b < length; b *= 2, level++) {
    // Of every two blocks of b tokens the second reads the first.
    const halves = (y: Tensor) => split(transpose(y, [0, 2, 1, 3]), 2, [b, b]); // [B N, h, b, n]
    const sums = cumulativeSum(cut(logDecay, 2 * b), 1);
    const [before, now] = halves(reshape(sums, [...sums.shape, 1]));
    const [[keys], [values], [, queries]] = [k, v, q].map((y) => halves(cut(y, 2 * b)));
    const [, weights] = halves(cut(slice(shares, -1, level, level + 1), 2 * b));
    const end = slice(before, 2, b - 1, b);
    const written = multiply(keys, exp(subtract(end, before)));
    const memory = matmul(written, values, { transposeX: true }); // [B N, h, dk, dv]
    const asking = multiply(queries, multiply(weights, exp(subtract(now, end))));
    const found = transpose(matmul(asking, memory), [0, 2, 1, 3]); // [B N, b, h, dv]
    read = add(read, back(pad(found, 1, b, 0)));
  }
  return read;
}

/** [T, levels, T]: 1 where s is on that level of t. */
function placesOf({ graph }: Tensor, length: number, levels: number): Tensor {
  const places = new Float32Array(length * levels * length);
  for (let t = 0; t < length; t++)
    for (let s = 0; s <= t; s++) places[(t * levels + levelAt(t, s)) * length + s] = 1;
  return graph.constant(places, [length, levels, length]);
}

/**
 * [longest, 3 levels - 2]: after each token which levels are merged, which of the carried ones stay, and which one takes the merged
 * ones.
 */
function mergesOf({ graph }: Tensor, longest: number): Tensor {
  const levels = levelCount(longest);
  const rows = Array.from({ length: longest }, (_, t) => {
    const lowest = 31 - Math.clz32((t + 1) & -(t + 1)); // of the bits of t + 1
    const all = Array.from({ length: levels }, (_, level) => level);
    const carried = all.slice(1);
    return [
      ...all.map((level) => Number(level <= lowest)),
      ...carried.map((level) => Number(level > lowest + 1)),
      ...carried.map((level) => Number(level === lowest + 1)),
    ];
  });
  return graph.constant(Float32Array.from(rows.flat()), [longest, 3 * levels - 2]);
}

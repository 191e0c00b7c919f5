/**
 * @file RWKV-7: a memory with a decay per channel, from which one key is removed at a separate rate per channel.
 *
 *     x^n_t = x_t + m_n o (x_{t-1} - x_t)                      n = r, k, v, w, a, g;  x_0 = 0
 *     r, k, v = x^r Wr, x^k Wk, x^v Wv;   v = v + (v' - v) o sigmoid(x^v Nd Nu + n)     v' of the first such layer
 *     log w = -e^(-1/2) sigmoid(tanh(x^w Dd) Du + c);   a = rateMax sigmoid(x^a Ad Au + s)
 *     K = k o e / |k o e| in each head;   k = k o (1 + (a - 1) o f)                     |x| = sqrt(x'x + 1e-6)
 *     S_t = diag(w_t) S_{t-1} - (K_t o a_t) (K_t' S_{t-1}) + k_t v_t'                   S [dk, dv] a head, S_0 = 0
 *     o_t = norm(S_t' r_t) + (r_t' (b o k_t)) v_t              LayerNorm over dv, with a scale and a bias [d]
 *     y_t = (o_t o (sigmoid(x^g_t Gd) Gu)) Wout
 *
 * w is in (0.545, 1) and a in (0, 1), so that the eigenvalues of a transition are real and above -0.455: no sign persists for long and
 * one layer cannot track parity. With `rateMax` 2, the range of the paper's theorem, they are above -1.455: a sign can be flipped and
 * kept, and the state can grow. Here the layer after it is SwiGLU, not RWKV-7's own, and norms of the stack are RMSNorm.
 *
 * Source: Peng et al. 2025, arXiv:2503.14456; initial values of flash-linear-attention, whose orthogonal weights are normal here unless
 * `initialization` is `source`.
 */

import { z } from "zod";
import type { Rng } from "../core/rng.ts";
import { shift } from "../tensor/arithmetic.ts";
import { dplrFrom } from "../tensor/dplr.ts";
import {
  add,
  concat,
  exp,
  full,
  linear,
  mean,
  multiply,
  negate,
  type Parameter,
  reshape,
  rmsNorm,
  scale,
  sigmoid,
  slice,
  subtract,
  sum,
  type Tensor,
  tanh,
  unitNorm,
} from "../tensor/index.ts";
import { zeroAtStarts } from "../tensor/packed-sequences.ts";
import { chunkField, headsField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  joinHeads,
  makeParameter,
  normal,
  orthogonal,
  splitHeads,
  tapAll,
  tapStep,
  withSource,
} from "./layers.ts";
import { recall, writeDplr } from "./matrix-memory.ts";
import { type Context, defineModel, type Place, type State } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  rank: z.int().positive().default(32).describe("Rank of the projections to decays, rates and gates"),
  rateMax: z
    .union([z.literal(1), z.literal(2)])
    .default(1)
    .describe("Upper bound of a: 1 is the original model, 2 admits the eigenvalue -1"),
  chunk: chunkField(16),
});
type Config = z.infer<typeof config>;

/** The name under which the first such layer offers its v. */
const FIRST = "rwkv7.value";

export const rwkv7 = defineModel({
  name: "rwkv7",
  summary: "RWKV-7: the delta rule with a decay and a removal rate per channel",
  source: "arXiv:2503.14456",
  config,
  offers: [FIRST],

  traits: ({ rateMax }: Config) => ({
    recurrence: { least: 0.545 - rateMax, complex: false, commuting: false },
  }),
  startsFrom: ["S"],
  // As BlinkDL's code does: low-rank maps do not decay, and c has twice the rate.
  groups: [
    { match: "decay.bias", learningRateRatio: 2 },
    { match: "*.down|*.up", weightDecay: 0 },
  ],

  init({ heads, rank }: Config, width, rng, place) {
    const own = headWidth(width, heads);
    const { mix, decay, rate, firstValue, keyScale, normScale } = startOf(width, own, place);
    const lowRank = (name: string) => ({
      down: constantParameter([width, rank], 0),
      up: normal(rng.fork(name), [rank, width], 0.1 * width ** -0.5),
    });
    const square = (name: string, gain: number) => {
      const own = rng.fork(name);
      const start = (rng: Rng) => orthogonal(rng, width).flatMap((row) => row.map((each) => gain * each));
      return withSource(normal(own, [width, width], gain * width ** -0.5), own, start);
    };
    return {
      mix,
      receptance: square("receptance", 1),
      key: square("key", 0.1),
      value: square("value", 1),
      ...(place.below.has(FIRST) && { firstValue: { ...lowRank("firstValue"), bias: firstValue } }),
      decay: { ...lowRank("decay"), bias: decay },
      rate: { ...lowRank("rate"), bias: rate },
      gate: lowRank("gate"),
      keyScale,
      keyRate: constantParameter([width], 1.02),
      bonus: constantParameter([width], -0.04),
      norm: constantParameter([width], normScale),
      normBias: constantParameter([width], 0),
      out: constantParameter([width, width], 0),
    };
  },

  apply(p, x, config, context) {
    const [batch, , width] = x.shape;
    const own = width / config.heads;
    const state = {
      S: full(x.graph, [batch, config.heads, own, own], 0),
      past: full(x.graph, [batch, width], 0),
    };
    return over(p, x, state, config.chunk, config, context).y;
  },

  state: ({ heads }, width) => ({ S: [heads, width / heads, width / heads], past: [width] }),

  step(p, x, state, config, context) {
    const { given, tapped, gate } = partsOf(p, x, state.past, config, context); // [B, h, dk]
    tapStep(context.taps, tapped);
    const S = writeDplr(state.S, given);
    const read = reshape(recall(S, given.q), x.shape);
    const o = multiply(readOut(p, read, given), gate); // [B, d]
    const used = reshape(context.intervene(reshape(o, [x.shape[0], 1, config.heads, -1])), x.shape);
    return { y: linear(used, p.out), state: { S, past: x } };
  },

  extend: (p, x, state, config, context) => ({
    ...over(p, x, state, context.trains ? config.chunk : x.shape[1], config, context),
    rows: {},
  }),
  packs: true,
});

interface LowRank {
  readonly down: Tensor;
  readonly up: Tensor;
}
type Vectors = "keyScale" | "keyRate" | "bonus" | "norm" | "normBias";
type Parameters = Readonly<Record<"receptance" | "key" | "value" | "out" | Vectors, Tensor>> & {
  readonly mix: Readonly<Record<keyof typeof MIX, Tensor>>;
  readonly firstValue?: LowRank & { readonly bias: Tensor };
  readonly decay: LowRank & { readonly bias: Tensor };
  readonly rate: LowRank & { readonly bias: Tensor };
  readonly gate: LowRank;
};

/** All tokens of x [B, T, d], starting from the state. */
function over(p: Parameters, x: Tensor, state: State, chunk: number, config: Config, context: Context) {
  const [batch, length, width] = x.shape;
  const first = reshape(state.past, [batch, 1, width]);
  const shifted = length === 1 ? first : concat([first, slice(x, 1, 0, length - 1)], 1);
  const before = zeroAtStarts(shifted, context.fresh); // x_{t-1}
  const { given, tapped, gate } = partsOf(p, x, before, config, context); // [B, T, h, dk]
  tapAll(context.taps, tapped);
  const { o, S } = dplrFrom(state.S, given, { chunk, fresh: context.fresh });
  const read = multiply(readOut(p, joinHeads(o), given), gate); // [B, T, d]
  const y = linear(joinHeads(context.intervene(splitHeads(read, config.heads))), p.out);
  return { y, state: { S, past: reshape(slice(x, 1, length - 1, length), [batch, width]) } };
}

/** x and the previous tokens, [..., d] -> the memory's inputs, [..., h, dk], the taps, and the gate [..., d]. */
function partsOf(p: Parameters, x: Tensor, before: Tensor, { heads, rateMax }: Config, context: Context) {
  const difference = subtract(before, x);
  const mixed = (name: keyof typeof MIX) => add(x, multiply(difference, p.mix[name]));
  const r = linear(mixed("receptance"), p.receptance);
  const k = linear(mixed("key"), p.key);
  const v = residualValue(p, mixed("value"), context);
  const logits = add(linear(tanh(linear(mixed("decay"), p.decay.down)), p.decay.up), p.decay.bias);
  const logDecay = splitHeads(scale(sigmoid(logits), -Math.exp(-0.5)), heads);
  const rate = scale(sigmoid(throughLowRank(mixed("rate"), p.rate)), rateMax); // [..., d]
  const removed = unitNorm(splitHeads(multiply(k, p.keyScale), heads)); // [..., h, dk]
  const written = multiply(k, shift(multiply(shift(rate, -1), p.keyRate), 1));
  const [query, key, value] = [r, written, v].map((each) => splitHeads(each, heads));
  const removal = { read: removed, write: negate(multiply(removed, splitHeads(rate, heads))) };
  return {
    given: { q: query, k: key, v: value, logDecay, removal },
    tapped: { query, key, value, removed, rate, decay: joinHeads(exp(logDecay)) },
    gate: linear(sigmoid(linear(mixed("gate"), p.gate.down)), p.gate.up),
  };
}

/** v, mixed with that of the first such layer, which offers it. */
function residualValue(p: Parameters, x: Tensor, { offer, take }: Context): Tensor {
  const v = linear(x, p.value);
  const first = take(FIRST);
  if (first === undefined || p.firstValue === undefined) {
    offer(FIRST, v);
    return v;
  }
  return add(v, multiply(subtract(first, v), sigmoid(throughLowRank(x, p.firstValue))));
}

/** The readout [..., d] -> norm(read) + (r' (b o k)) v [..., d]. */
function readOut(
  p: Parameters,
  read: Tensor,
  { q, k, v }: Readonly<Record<"q" | "k" | "v", Tensor>>,
): Tensor {
  const heads = q.shape.at(-2)!;
  const own = q.shape.at(-1)!;
  const inHeads = splitHeads(read, heads);
  const centred = subtract(inHeads, mean(inHeads, { axes: [-1], keep: true }));
  const normed = add(multiply(joinHeads(rmsNorm(centred, own * 1e-5)), p.norm), p.normBias);
  const weights = sum(multiply(multiply(q, k), reshape(p.bonus, [heads, own])), { axes: [-1], keep: true });
  return add(normed, joinHeads(multiply(weights, v)));
}

function throughLowRank(x: Tensor, { down, up, bias }: LowRank & { readonly bias: Tensor }): Tensor {
  return add(linear(linear(x, down), up), bias);
}

/** Powers of a channel's relative index for the initial token-shift weights. */
const MIX = { receptance: 0.2, decay: 0.9, key: 0.7, value: 0.7, rate: 0.9, gate: 0.2 };

/** Initial values that depend on a channel's index in the width, in its head, and on the layer. */
function startOf(width: number, own: number, { layer, layers }: Place) {
  const depth = layers === 1 ? 0 : layer / (layers - 1); // from 0 to 1
  const left = 1 - layer / layers; // from 1 down
  const each = (value: (channel: number, along: number, zigzag: number) => number): Parameter =>
    makeParameter([width], () =>
      Float32Array.from({ length: width }, (_, i) => {
        const inHead = own === 1 ? 0 : (2 * (i % own)) / (own - 1) - 1; // from -1 to 1
        return value(i, width === 1 ? 0 : i / (width - 1), inHead * Math.abs(inHead));
      }),
    );
  const mixes = Object.entries(MIX).map(([name, power]) => [
    name,
    each((i) => 1 - (i / width) ** (power * left)),
  ]);
  return {
    mix: Object.fromEntries(mixes) as Record<keyof typeof MIX, Parameter>, // its keys are those of MIX
    decay: each((_, along, zigzag) => 6 * along ** (1 + depth ** 0.3) - 5.5 + 2.5 * zigzag),
    rate: each((_, along, zigzag) => 0.3 * zigzag + 0.4 * (along - 0.5) - 0.19),
    firstValue: each((_, along) => 0.73 - 0.4 * (along - 0.5)),
    keyScale: each((_, along) => 0.71 - 0.1 * (along - 0.5)),
    normScale: ((layer + 1) / layers) ** 0.7,
  };
}

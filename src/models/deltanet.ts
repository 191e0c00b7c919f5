/**
 * @file DeltaNet: a linear RNN that corrects its memory instead of only adding to it.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     S_t = (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'              S [dk, dv] a head, S_0 = 0
 *     y_t = norm(S_t' q_t) Wout                                    RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The transition has eigenvalue 1 - b along k. With b in (0, 1) it can only shrink; with b in (0, 2) it can reach -1, a
 * reflection: b = 2 and k = (e_i - e_j) / sqrt 2 exchanges the contents of two slots exactly.
 *
 * Source: Yang et al. 2024, arXiv:2406.06484; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import {
  deltaRule,
  deltaRuleFrom,
  full,
  linear,
  multiply,
  negate,
  reshape,
  scale,
  sigmoid,
  silu,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  normal,
  pastOf,
  readOut,
  tapAll,
  tapStep,
  unitQueryKeyValue,
} from "./layers.ts";
import { atOnce, recall, writeDelta } from "./memory.ts";
import { defineModel, READOUT } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** b in (0, betaMax): 1 is the original model, 2 admits negative eigenvalues. */
  betaMax: z.union([z.literal(1), z.literal(2)]).default(2),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(32),
});
type Config = z.infer<typeof config>;

export const deltanet = defineModel({
  name: "deltanet",
  summary: "linear RNN with the delta rule; betaMax 2 admits eigenvalues in [-1, 1], betaMax 1 only [0, 1]",
  source: "arXiv:2406.06484, arXiv:2411.12537",
  config,
  startsFrom: ["S"],
  offers: [READOUT],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
  }),

  init({ heads, convolution }: Config, width, rng) {
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      beta: normal(rng.fork("beta"), [width, heads]),
      ...convolutionParameter(rng, convolution, 3 * width),
      norm: constantParameter([headWidth(width, heads)], 1),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads, betaMax, chunk }, { taps, intervene, norm, offer, fresh }) {
    const { y: mixed } = convolutionOver(linear(x, p.qkv), p.convolution, undefined, fresh); // [B, T, 3d]
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, T, h]
    tapAll(taps, { query: q, key: k, value: v, beta });
    const o = norm(deltaRule(q, k, v, beta, { chunk, fresh }), p.norm); // [B, T, h, dv], one scale [dv] for all heads
    return linear(readOut(o, { intervene, offer }), p.out);
  },

  state: ({ heads, convolution }, width) => ({
    S: [heads, width / heads, width / heads],
    ...pastOf(convolution, 3 * width),
  }),

  step(p, x, state, { heads, betaMax }, { taps, intervene, norm, offer }) {
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads); // [B, h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, h]
    tapStep(taps, { query: q, key: k, value: v, beta });
    const S = writeDelta(state.S, k, v, beta);
    const read = readOut(norm(recall(S, q), p.norm), { intervene, offer }); // [B, 1, d]
    return { y: reshape(linear(read, p.out), x.shape), state: { S, ...kept } };
  },

  memory: {
    give(p, x, { heads, betaMax }, { past }) {
      const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, past);
      const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
      const beta = scale(sigmoid(linear(x, p.beta)), betaMax);
      const written = multiply(k, reshape(beta, [...beta.shape, 1]));
      const removal = { read: k, write: negate(written) };
      const given = { q, k: written, v, logDecay: full(x.graph, beta.shape, 0), removal };
      return { given, tapped: { query: q, key: k, value: v, beta }, kept };
    },
    finish: (p, _, read, { intervene, norm }) => linear(joinHeads(intervene(norm(read, p.norm))), p.out),
  },

  extend(p, x, state, { heads, betaMax }, { taps, intervene, norm, offer }) {
    const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past);
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax);
    tapAll(taps, { query: q, key: k, value: v, beta });
    const { o, S } = deltaRuleFrom(state.S, q, k, v, beta, { chunk: atOnce(x.shape[1]) });
    const read = readOut(norm(o, p.norm), { intervene, offer });
    return { y: linear(read, p.out), rows: {}, state: { S, ...kept } };
  },
  packs: true,
});

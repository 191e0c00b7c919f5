/**
 * @file Gated DeltaNet: DeltaNet whose memory also fades, and whose output passes a gate.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     log a = -e^r softplus(x Wa + c)                              a, r and c one number a head
 *     S_t = a_t (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'          S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o silu(x_t Wg)) Wout                   RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The eigenvalue along k is a (1 - b): with b in (0, 2) in (-1, 1). A state that must be held over many steps needs a near 1.
 * Source: Yang et al. 2024, arXiv:2412.06464; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import {
  exp,
  gatedDeltaRule,
  gatedDeltaRuleFrom,
  linear,
  multiply,
  negate,
  reshape,
  scale,
  sigmoid,
  silu,
  type Tensor,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  decayParameters,
  headWidth,
  joinHeads,
  logDecay,
  normal,
  pastOf,
  readOut,
  tapAll,
  tapStep,
  unitQueryKeyValue,
} from "./layers.ts";
import { asCell, atOnce, recall, writeDelta } from "./memory.ts";
import { defineModel, READOUT } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** b in (0, betaMax): 2 admits negative eigenvalues. */
  betaMax: z.union([z.literal(1), z.literal(2)]).default(2),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(32),
});
type Config = z.infer<typeof config>;

export const gatedDeltanet = defineModel({
  name: "gated-deltanet",
  summary: "DeltaNet with a decay of the memory and a gate on the output",
  source: "arXiv:2412.06464, arXiv:2411.12537",
  config,
  startsFrom: ["S"],
  offers: [READOUT],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
    keeps: "decay",
  }),

  init({ heads, convolution }: Config, width, rng) {
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      beta: normal(rng.fork("beta"), [width, heads]),
      decay: decayParameters(rng.fork("decay"), width, heads),
      ...convolutionParameter(rng, convolution, 3 * width),
      norm: constantParameter([headWidth(width, heads)], 1),
      gate: normal(rng.fork("gate"), [width, width]),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads, betaMax, chunk }, { taps, intervene, norm, offer, fresh }) {
    const { y: mixed } = convolutionOver(linear(x, p.qkv), p.convolution, undefined, fresh); // [B, T, 3d]
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads); // [B, T, h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, T, h]
    const logA = logDecay(x, p.decay); // [B, T, h]
    tapAll(taps, { query: q, key: k, value: v, beta, decay: exp(logA) });
    const o = norm(gatedDeltaRule(q, k, v, beta, logA, { chunk, fresh }), p.norm); // [B, T, h, dv]
    const read = readOut(o, { intervene, offer }); // [B, T, d]
    return linear(multiply(read, silu(linear(x, p.gate))), p.out);
  },

  state: ({ heads, convolution }, width) => ({
    S: [heads, width / heads, width / heads],
    ...pastOf(convolution, 3 * width),
  }),

  step(p, x, state, { heads, betaMax }, { taps, intervene, norm, offer }) {
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads); // [B, h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, h]
    const decay = exp(logDecay(x, p.decay)); // [B, h]
    tapStep(taps, { query: q, key: k, value: v, beta, decay });
    const S = writeDelta(multiply(state.S, asCell(decay)), k, v, beta);
    const read = reshape(readOut(norm(recall(S, q), p.norm), { intervene, offer }), x.shape); // [B, d]
    const y = multiply(read, silu(linear(x, p.gate)));
    return { y: linear(y, p.out), state: { S, ...kept } };
  },

  memory: {
    give(p, x, { heads, betaMax }, { past }) {
      const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, past);
      const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
      const beta = scale(sigmoid(linear(x, p.beta)), betaMax);
      const logA = logDecay(x, p.decay);
      const decay = exp(logA);
      const each = (y: Tensor) => reshape(y, [...y.shape, 1]);
      const written = multiply(k, each(beta));
      // The error is taken on what has not faded: k reads a S.
      const removal = { read: multiply(k, each(decay)), write: negate(written) };
      const given = { q, k: written, v, logDecay: logA, removal };
      return { given, tapped: { query: q, key: k, value: v, beta, decay }, kept };
    },
    finish: (p, x, read, { intervene, norm }) =>
      linear(multiply(joinHeads(intervene(norm(read, p.norm))), silu(linear(x, p.gate))), p.out),
  },

  extend(p, x, state, { heads, betaMax }, { taps, intervene, norm, offer }) {
    const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past);
    const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax);
    const logA = logDecay(x, p.decay);
    tapAll(taps, { query: q, key: k, value: v, beta, decay: exp(logA) });
    const { o, S } = gatedDeltaRuleFrom(state.S, q, k, v, beta, logA, { chunk: atOnce(x.shape[1]) });
    const read = readOut(norm(o, p.norm), { intervene, offer });
    const y = multiply(read, silu(linear(x, p.gate)));
    return { y: linear(y, p.out), rows: {}, state: { S, ...kept } };
  },
  packs: true,
});

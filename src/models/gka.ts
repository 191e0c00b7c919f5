/**
 * @file Gated KalmaNet (GKA): gated linear attention read by ridge regression over the decayed past.
 *
 *     q, k, v = silu(conv(x Wqkv));   q = q / |q| / sqrt(dk),  k = k / |k|        in each head, |x| = sqrt(x'x + 1e-6)
 *     b = sigmoid(x Wb)                                            write strength, one number a head
 *     log a = -e^r softplus(x Wa + c)                              a, r and c one number a head
 *     H_t = a_t H_{t-1} + b_t^2 k_t k_t';   U_t = a_t U_{t-1} + b_t^2 k_t v_t'
 *     z_t = (H_t + m_t I)^-1 q_t,  m_t = ridge |H_t|;   o_t = U_t' (q_t + p_t (z_t - q_t)),  p = sigmoid(x Wp + e)
 *     y_t = (norm(o_t) o silu(x_t Wg)) Wout                        RMSNorm over dv, one scale [dv] for all heads
 *
 * With p = 0 it is linear attention; with p = 1 it recalls the least-squares fit of all pairs read so far, so similar keys are
 * separated as by the delta rule, but over all pairs at once. z is computed by `iterations` Chebyshev steps (ridge-memory.ts), the
 * authors' 30 by default 50; its gradient is that of the solution. The steps magnify rounding, the more the larger the weights: a
 * sequence, its steps, and other chunks agree less well than in other mixers.
 *
 * Its state only decays, at rates in [0, 1], however it is read: it can track neither parity nor any other order.
 * Source: arXiv:2511.21016; gates and norm are those of gated-deltanet.ts.
 */

import { z } from "zod";
import { add, exp, full, linear, multiply, reshape, sigmoid, silu } from "../tensor/index.ts";
import { type RidgeGiven, ridgeMemoryFrom, ridgeMemoryStep } from "../tensor/ridge-memory.ts";
import { chunkField, convolutionField, firstRateField, headsField } from "./config-fields.ts";
import { constantParameter, decayParameters, logDecay, normal } from "./layers.ts";
import type { MemoryRule } from "./matrix-memory.ts";
import { defineMatrixMemory, gatedLayerParameters, unitQueryKeyValue } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  heads: headsField(2),
  ridge: z.number().positive().default(0.02).describe("Regularization added to H, relative to its norm"),
  iterations: z.int().positive().default(50).describe("Iterations of the solver"),
  convolution: convolutionField(4),
  chunk: chunkField(16).describe("Tokens per chunk of the parallel form; the results differ by rounding"),
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const gka = defineMatrixMemory({
  name: "gka",
  summary: "Gated KalmaNet: a decaying memory, read by ridge regression",
  source: "arXiv:2511.21016",
  config,

  traits: () => ({
    recurrence: { least: 0, complex: false, commuting: true },
    keeps: "decay",
  }),

  init(config: Config, width, rng) {
    const { heads } = config;
    const own = {
      strength: normal(rng.fork("strength"), [width, heads]),
      decay: decayParameters(rng.fork("decay"), width, heads, config.firstRate),
      share: normal(rng.fork("share"), [width, heads]),
      shareBias: constantParameter([heads], 0),
    };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: ridgeMemory,
  chunkOf: (_, { chunk }) => chunk,
  shape: ({ heads }, width) => ({ S: [heads, width / heads, (2 * width) / heads] }), // H and U side by side

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // [..., h, dk]
    const strength = sigmoid(linear(x, p.strength)); // [..., h]
    const share = sigmoid(add(linear(x, p.share), p.shareBias));
    const logs = logDecay(x, p.decay);
    const each = reshape(strength, [...strength.shape, 1]);
    return {
      given: { q, k: multiply(k, each), v: multiply(v, each), logDecay: logs, share },
      tapped: { query: q, key: k, value: v, strength, share, decay: exp(logs) },
    };
  },
});

function ridgeMemory({ ridge, iterations }: Config): MemoryRule<RidgeGiven> {
  const solver = { ridge, iterations, relative: true };
  return {
    read({ k, ...given }, options) {
      const [batch, , heads, own] = k.shape;
      const S = full(k.graph, [batch, heads, own, 2 * own], 0);
      return ridgeMemoryFrom(S, { k, ...given }, { ...solver, ...options }).o;
    },
    readFrom(state, given, options) {
      const { o, S } = ridgeMemoryFrom(state.S, given, { ...solver, ...options });
      return { o, state: { S } };
    },
    step(state, given) {
      const { o, S } = ridgeMemoryStep(state.S, given, solver);
      const [batch, ...perHead] = o.shape;
      return { o: reshape(o, [batch, 1, ...perHead]), state: { S } };
    },
  };
}

/**
 * @file Gated DeltaNet: DeltaNet with memory decay and an output gate.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     log a = -e^r softplus(x Wa + c)                              a, r and c one number a head
 *     S_t = a_t (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'          S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o silu(x_t Wg)) Wout                   RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The eigenvalue along k is a (1 - b): with b in (0, 2) in (-1, 1). A state that must persist over many steps needs a near 1.
 * fla's layer has expandV 2 by default. Source: Yang et al. 2024, arXiv:2412.06464; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import { exp, linear, scale, sigmoid, silu } from "../tensor/index.ts";
import {
  betaMaxField,
  firstRateField,
  keyHeadsField,
  memoryFields,
  outputGateField,
} from "./config-fields.ts";
import { decayParameters, logDecay, normal } from "./layers.ts";
import { atOnce, gatedDelta } from "./matrix-memory.ts";
import { defineMatrixMemory, gatedLayerParameters, unitQueryKeyValue } from "./matrix-memory-layer.ts";
import { READOUT } from "./model.ts";

const config = z.strictObject({
  ...memoryFields(4, 32),
  keyHeads: keyHeadsField,
  betaMax: betaMaxField,
  outputGate: outputGateField(true),
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const gatedDeltanet = defineMatrixMemory({
  name: "gated-deltanet",
  summary: "DeltaNet with a decay of the memory and an output gate",
  source: "arXiv:2412.06464, arXiv:2411.12537",
  config,
  startsFrom: ["S"],
  offers: [READOUT],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
    keeps: "decay",
  }),

  init(config: Config, width, rng) {
    const own = {
      beta: normal(rng.fork("beta"), [width, config.heads]),
      decay: decayParameters(rng.fork("decay"), width, config.heads, config.firstRate),
    };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: gatedDelta,
  chunkOf: atOnce,

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // [..., h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), config.betaMax); // [..., h]
    const logA = logDecay(x, p.decay);
    const tapped = { query: q, key: k, value: v, beta, decay: exp(logA) };
    return { given: { q, k, v, beta, logDecay: logA }, tapped };
  },
});

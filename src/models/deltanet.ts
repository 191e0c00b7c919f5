/**
 * @file DeltaNet: a linear RNN that corrects its memory instead of only adding to it.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     S_t = (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'              S [dk, dv] a head, S_0 = 0
 *     y_t = norm(S_t' q_t) Wout                                    RMSNorm over dv, one scale [dv] for all heads
 *     y_t = (norm(S_t' q_t) o silu(x_t Wg)) Wout                   with `outputGate`
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The transition has eigenvalue 1 - b along k. With b in (0, 1) it can only shrink; with b in (0, 2) it can reach -1, a
 * reflection: b = 2 and k = (e_i - e_j) / sqrt 2 exchanges the contents of two slots exactly.
 *
 * Source: Yang et al. 2024, arXiv:2406.06484; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import { linear, scale, sigmoid, silu } from "../tensor/index.ts";
import { betaMaxField, memoryFields, outputGateField } from "./config-fields.ts";
import { normal } from "./layers.ts";
import { atOnce, delta } from "./matrix-memory.ts";
import { defineMatrixMemory, gatedLayerParameters, unitQueryKeyValue } from "./matrix-memory-layer.ts";
import { READOUT } from "./model.ts";

const config = z.strictObject({
  ...memoryFields(4, 32),
  betaMax: betaMaxField,
  outputGate: outputGateField(false),
});
type Config = z.infer<typeof config>;

export const deltanet = defineMatrixMemory({
  name: "deltanet",
  summary: "linear RNN with the delta rule, with eigenvalues in [-1, 1] or [0, 1]",
  source: "arXiv:2406.06484, arXiv:2411.12537",
  config,
  startsFrom: ["S"],
  offers: [READOUT],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
  }),

  init(config: Config, width, rng) {
    const own = { beta: normal(rng.fork("beta"), [width, config.heads]) };
    return gatedLayerParameters(rng, width, config, own);
  },

  rule: delta,
  chunkOf: atOnce,

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // [..., h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), config.betaMax); // [..., h]
    return { given: { q, k, v, beta }, tapped: { query: q, key: k, value: v, beta } };
  },
});

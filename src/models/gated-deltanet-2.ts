/**
 * @file Gated DeltaNet-2: KDA with separate gates, by channel, for what is erased and what is written.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb);   w = sigmoid(x Ww)    b [dk], w [dv] a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                             in each head, |x| = sqrt(x'x + 1e-6)
 *     log a = -e^r softplus(x Wdown Wup + c)                            a and c [dk] a head, through dv numbers; r one number a head
 *     S_t = (I - k_t (b_t o k_t)') diag(a_t) S_{t-1} + k_t (w_t o v_t)'         S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o sigmoid(x_t Gdown Gup + g)) Wout          RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1                 one filter of K taps a channel
 *
 * With b = w the same number in all channels it is KDA. The transition has the eigenvalues of a symmetric matrix, A - m m' with A =
 * diag(a) and m = sqrt(a o b) o k: real ones, with b in (0, 2) in (-1, 1) and with b in (0, 1) in (0, 1).
 *
 * Source: Hatamizadeh et al. 2026, arXiv:2605.22791, as in flash-linear-attention; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import { exp, linear, multiply, negate, scale, sigmoid, silu } from "../tensor/index.ts";
import { betaMaxField, firstRateField, memoryFields } from "./config-fields.ts";
import { channelDecay, channelLogDecay, lowRankGate, throughLowRankGate } from "./kda.ts";
import { joinHeads, normal, splitHeads } from "./layers.ts";
import { atOnce, diagonalPlusRankOne } from "./matrix-memory.ts";
import {
  defineMatrixMemory,
  layerParameters,
  memoryWidths,
  unitQueryKeyValue,
} from "./matrix-memory-layer.ts";

const config = z.strictObject({
  ...memoryFields(4, 16),
  betaMax: betaMaxField,
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const gatedDeltanet2 = defineMatrixMemory({
  name: "gated-deltanet-2",
  summary: "KDA with separate erase and write gates per channel",
  source: "arXiv:2605.22791, arXiv:2411.12537",
  config,
  startsFrom: ["S"],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
  }),

  init(config: Config, width, rng) {
    const { keys, values } = memoryWidths(config, width);
    const own = {
      erase: normal(rng.fork("erase"), [width, keys]),
      write: normal(rng.fork("write"), [width, values]),
      decay: channelDecay(rng.fork("decay"), width, config),
    };
    const gate = lowRankGate(rng.fork("gate"), width, { ...config, gateBias: true });
    return layerParameters(rng, width, config, own, { gate });
  },

  rule: diagonalPlusRankOne,
  chunkOf: atOnce,
  gate: (p, x) => throughLowRankGate(x, p.gate),

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // [..., h, dk]
    const erase = splitHeads(scale(sigmoid(linear(x, p.erase)), config.betaMax), config.heads); // [..., h, dk]
    const write = splitHeads(sigmoid(linear(x, p.write)), config.heads); // [..., h, dv]
    const logDecay = channelLogDecay(x, p.decay);
    const decay = exp(logDecay);
    const removal = { read: multiply(multiply(k, erase), decay), write: negate(k) };
    return {
      given: { q, k, v: multiply(v, write), logDecay, removal },
      tapped: { query: q, key: k, value: v, erase, write, decay: joinHeads(decay) },
    };
  },
});

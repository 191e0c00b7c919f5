/**
 * @file Kimi Delta Attention (KDA): gated DeltaNet with a decay per channel.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     log a = -e^r softplus(x Wdown Wup + c)                       a and c [d], through dv numbers; r one number a head
 *     S_t = (I - b_t k_t k_t') diag(a_t) S_{t-1} + b_t k_t v_t'    S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o sigmoid(x_t Gdown Gup)) Wout         RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The memory decays before the error is computed. The transition has the eigenvalues of a symmetric matrix, real ones: with b in (0, 2)
 * in (-1, 1), so that one layer can represent one swap per token and no turn, with b in (0, 1) in (0, 1), which only decays. fla's
 * layer draws e^r from [1, 16], here from (0, 16], and its output gate has a bias (`gateBias`). Source: Kimi Team 2025,
 * arXiv:2510.26692; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import type { Rng } from "../core/rng.ts";
import {
  add,
  exp,
  linear,
  multiply,
  negate,
  reshape,
  scale,
  sigmoid,
  silu,
  size,
  softplus,
  type Tensor,
} from "../tensor/index.ts";
import { betaMaxField, firstRateField, keyHeadsField, memoryFields } from "./config-fields.ts";
import {
  constantParameter,
  joinHeads,
  logRates,
  lowRank,
  lowRankParameters,
  normal,
  rateFrom,
  splitHeads,
  stepBias,
  withSource,
} from "./layers.ts";
import { atOnce, diagonalPlusRankOne } from "./matrix-memory.ts";
import {
  defineMatrixMemory,
  layerParameters,
  memoryWidths,
  unitQueryKeyValue,
  type Widths,
} from "./matrix-memory-layer.ts";

const config = z.strictObject({
  ...memoryFields(4, 16),
  keyHeads: keyHeadsField,
  betaMax: betaMaxField,
  gateBias: z
    .boolean()
    .default(false)
    .describe("Whether the output gate has a bias, as in the authors' code"),
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const kda = defineMatrixMemory({
  name: "kda",
  summary: "Kimi Delta Attention: the delta rule with a decay per channel",
  source: "arXiv:2510.26692, arXiv:2411.12537",
  config,
  startsFrom: ["S"],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
  }),

  init(config: Config, width, rng) {
    const own = {
      beta: normal(rng.fork("beta"), [width, config.heads]),
      decay: channelDecay(rng.fork("decay"), width, config),
    };
    return layerParameters(rng, width, config, own, { gate: lowRankGate(rng.fork("gate"), width, config) });
  },

  rule: diagonalPlusRankOne,
  chunkOf: atOnce,

  gate: (p, x) => throughLowRankGate(x, p.gate),

  give(p, x, mixed, config) {
    const { q, k, v } = unitQueryKeyValue(silu(mixed), x.shape.at(-1)!, config); // [..., h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), config.betaMax); // [..., h]
    const logDecay = channelLogDecay(x, p.decay);
    const decay = exp(logDecay);
    const write = multiply(k, reshape(beta, [...beta.shape, 1]));
    const removal = { read: multiply(k, decay), write: negate(write) };
    return {
      given: { q, k: write, v, logDecay, removal },
      tapped: { query: q, key: k, value: v, beta, decay: joinHeads(decay) },
    };
  },
});

/** The parameters of `channelLogDecay`. */
export function channelDecay(rng: Rng, width: number, config: Widths & Pick<Config, "firstRate">) {
  const { heads, firstRate } = config;
  const { dk, dv } = memoryWidths(config, width);
  const rates = rng.fork("logRate");
  return {
    ...lowRankParameters(rng, width, dv, heads * dk),
    bias: stepBias(rng.fork("bias"), heads * dk),
    logRate: withSource(
      logRates(rates, heads, firstRate),
      rates,
      (rng) => logRates(rng, heads, firstRate, 1).data,
    ),
  };
}

/** x [..., d] -> -e^r softplus(x Wdown Wup + c), [..., h, dk]. */
export function channelLogDecay(
  x: Tensor,
  { bias, logRate, ...weights }: Readonly<Record<"down" | "up" | "bias" | "logRate", Tensor>>,
): Tensor {
  const heads = size(logRate.shape);
  const steps = softplus(add(lowRank(x, weights), bias)); // [..., h dk]
  return multiply(splitHeads(steps, heads), reshape(negate(rateFrom(logRate)), [heads, 1]));
}

/** The parameters of `throughLowRankGate`. */
export function lowRankGate(rng: Rng, width: number, config: Widths & Pick<Config, "gateBias">) {
  const { dv, values } = memoryWidths(config, width);
  return {
    ...lowRankParameters(rng, width, dv, values),
    ...(config.gateBias && { bias: constantParameter([values], 0) }),
  };
}

/** x [..., d] -> sigmoid(x Gdown Gup), with a bias if there is one. */
export function throughLowRankGate(
  x: Tensor,
  { bias, ...weights }: Readonly<Record<"down" | "up", Tensor>> & { readonly bias?: Tensor },
): Tensor {
  const logits = lowRank(x, weights);
  return sigmoid(bias ? add(logits, bias) : logits);
}

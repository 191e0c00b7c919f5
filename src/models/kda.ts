/**
 * @file Kimi Delta Attention (KDA): gated DeltaNet whose memory fades channel by channel.
 *
 *     q, k, v = silu(conv(x Wqkv));   b = betaMax sigmoid(x Wb)    b one number a head
 *     q = q / |q| / sqrt(dk);   k = k / |k|                        in each head, |x| = sqrt(x'x + 1e-6)
 *     log a = -e^r softplus(x Wdown Wup + c)                       a and c [d], through dv numbers; r one number a head
 *     S_t = (I - b_t k_t k_t') diag(a_t) S_{t-1} + b_t k_t v_t'    S [dk, dv] a head, S_0 = 0
 *     y_t = (norm(S_t' q_t) o sigmoid(x_t Gdown Gup)) Wout         RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * The memory fades before the error is taken. A transition has the eigenvalues of a symmetric matrix, real ones: with b in (0, 2)
 * in (-1, 1), so that one layer can hold one swap for each token and no turn, with b in (0, 1) in (0, 1), which only fades.
 * Source: Kimi Team 2025, arXiv:2510.26692; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import {
  add,
  dplrFrom,
  exp,
  full,
  linear,
  multiply,
  negate,
  reshape,
  scale,
  sigmoid,
  silu,
  softplus,
  type Tensor,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  logRates,
  lowRank,
  lowRankParameters,
  normal,
  pastOf,
  splitHeads,
  stepBias,
  tapAll,
  tapStep,
  unitQueryKeyValue,
} from "./layers.ts";
import { atOnce, recall, writeDplr } from "./memory.ts";
import { type Context, defineModel, type State } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** b in (0, betaMax): 1 is the original model, 2 admits negative eigenvalues. */
  betaMax: z.union([z.literal(1), z.literal(2)]).default(2),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(16),
});
type Config = z.infer<typeof config>;

export const kda = defineModel({
  name: "kda",
  summary: "Kimi Delta Attention: the delta rule with a decay for each channel",
  source: "arXiv:2510.26692, arXiv:2411.12537",
  config,
  startsFrom: ["S"],

  traits: ({ betaMax }: Config) => ({
    recurrence: { least: 1 - betaMax, complex: false, commuting: false },
    gate: { tap: "beta", maximum: betaMax },
  }),

  init({ heads, convolution }: Config, width, rng) {
    const own = headWidth(width, heads);
    const decay = rng.fork("decay");
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      beta: normal(rng.fork("beta"), [width, heads]),
      decay: {
        ...lowRankParameters(decay, width, own, width),
        bias: stepBias(decay.fork("bias"), width),
        logRate: logRates(decay.fork("logRate"), heads),
      },
      ...convolutionParameter(rng, convolution, 3 * width),
      norm: constantParameter([own], 1),
      gate: lowRankParameters(rng.fork("gate"), width, own, width),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, context) {
    const own = x.shape[2] / config.heads;
    const S = full(x.graph, [x.shape[0], config.heads, own, own], 0);
    return over(p, x, { S }, config.chunk, config, context).y;
  },

  state: ({ heads, convolution }, width) => ({
    S: [heads, width / heads, width / heads],
    ...pastOf(convolution, 3 * width),
  }),

  step(p, x, state, config, { taps, intervene, norm }) {
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { given, tapped } = partsOf(p, x, mixed, config); // [B, h, dk]
    tapStep(taps, tapped);
    const S = writeDplr(state.S, given);
    const o = reshape(joinHeads(intervene(norm(recall(S, given.q), p.norm))), x.shape);
    const y = multiply(o, sigmoid(lowRank(x, p.gate)));
    return { y: linear(y, p.out), state: { S, ...kept } };
  },

  extend: (p, x, state, config, context) => ({
    ...over(p, x, state, atOnce(x.shape[1]), config, context),
    rows: {},
  }),
});

type Parameters = Readonly<Record<"qkv" | "beta" | "norm" | "out", Tensor>> & {
  readonly decay: Readonly<Record<"down" | "up" | "bias" | "logRate", Tensor>>;
  readonly gate: Readonly<Record<"down" | "up", Tensor>>;
  readonly convolution?: Tensor;
};

/** All tokens of x [B, T, d], behind those that left the state. */
function over(
  p: Parameters,
  x: Tensor,
  state: State,
  chunk: number,
  config: Config,
  { taps, intervene, norm }: Context,
) {
  const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past); // [B, T, 3d]
  const { given, tapped } = partsOf(p, x, mixed, config); // [B, T, h, dk]
  tapAll(taps, tapped);
  const { o, S } = dplrFrom(state.S, given, { chunk });
  const y = multiply(joinHeads(intervene(norm(o, p.norm))), sigmoid(lowRank(x, p.gate)));
  return { y: linear(y, p.out), state: { S, ...kept } };
}

/** x [..., d] and its projections [..., 3d] -> what the memory is given, [..., h, dk], and what is tapped. */
function partsOf(p: Parameters, x: Tensor, mixed: Tensor, { heads, betaMax }: Config) {
  const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
  const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [..., h]
  const steps = softplus(add(lowRank(x, p.decay), p.decay.bias)); // [..., d]
  const rates = reshape(negate(exp(p.decay.logRate)), [heads, 1]);
  const logDecay = multiply(splitHeads(steps, heads), rates); // [..., h, dk]
  const decay = exp(logDecay);
  const write = multiply(k, reshape(beta, [...beta.shape, 1]));
  const removal = { read: multiply(k, decay), write: negate(write) };
  return {
    given: { q, k: write, v, logDecay, removal },
    tapped: { query: q, key: k, value: v, beta, decay: joinHeads(decay) },
  };
}

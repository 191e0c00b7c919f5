/**
 * @file Gated KalmaNet (GKA): gated linear attention that is read by ridge regression over what it has not forgotten.
 *
 *     q, k, v = silu(conv(x Wqkv));   q = q / |q| / sqrt(dk),  k = k / |k|        in each head, |x| = sqrt(x'x + 1e-6)
 *     b = sigmoid(x Wb)                                            how strongly a token is written, one number a head
 *     log a = -e^r softplus(x Wa + c)                              a, r and c one number a head
 *     H_t = a_t H_{t-1} + b_t^2 k_t k_t';   U_t = a_t U_{t-1} + b_t^2 k_t v_t'
 *     z_t = (H_t + m_t I)^-1 q_t,  m_t = ridge |H_t|;   o_t = U_t' (q_t + p_t (z_t - q_t)),  p = sigmoid(x Wp + e)
 *     y_t = (norm(o_t) o silu(x_t Wg)) Wout                        RMSNorm over dv, one scale [dv] for all heads
 *
 * With p = 0 it is linear attention; with p = 1 it recalls what the least squares of all pairs read so far recall, so keys that are alike
 * are told apart as by the delta rule, but of all pairs at once. z is found by `iterations` of Chebyshev's iteration (ridge-memory.ts): at the
 * authors' ridge it is within 4e-4 after their 30, and within float32's rounding after 50; its gradient is that of the solution.
 *
 * What it carries only fades, at rates in [0, 1], however it is read: neither a parity nor any other order of things is held.
 * Source: arXiv:2511.21016; gates and norm are those of gated-deltanet.ts.
 */

import { z } from "zod";
import {
  add,
  exp,
  full,
  linear,
  multiply,
  type RidgeOptions,
  reshape,
  ridgeMemoryFrom,
  ridgeMemoryStep,
  sigmoid,
  silu,
  type Tensor,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  type Decay,
  decayParameters,
  headWidth,
  joinHeads,
  logDecay,
  normal,
  pastOf,
  tapAll,
  tapStep,
  unitQueryKeyValue,
} from "./layers.ts";
import { type Context, defineModel, type State } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** What the regression adds to H, as a share of its norm. */
  ridge: z.number().positive().default(0.02),
  /** Steps of the iteration that solves for z. */
  iterations: z.int().positive().default(50),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(16),
});
type Config = z.infer<typeof config>;

export const gka = defineModel({
  name: "gka",
  summary: "Gated KalmaNet: a fading memory that is read by ridge regression",
  source: "arXiv:2511.21016",
  config,

  traits: () => ({
    recurrence: { least: 0, complex: false, commuting: true },
    keeps: "decay",
  }),

  init({ heads, convolution }: Config, width, rng) {
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      strength: normal(rng.fork("strength"), [width, heads]),
      decay: decayParameters(rng.fork("decay"), width, heads),
      share: normal(rng.fork("share"), [width, heads]),
      shareBias: constantParameter([heads], 0),
      ...convolutionParameter(rng, convolution, 3 * width),
      norm: constantParameter([headWidth(width, heads)], 1),
      gate: normal(rng.fork("gate"), [width, width]),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, context) {
    const own = x.shape[2] / config.heads;
    const S = full(x.graph, [x.shape[0], config.heads, own, 2 * own], 0);
    return over(p, x, { S }, config.chunk, config, context).y;
  },

  state: ({ heads, convolution }, width) => ({
    S: [heads, width / heads, (2 * width) / heads], // H and U side by side
    ...pastOf(convolution, 3 * width),
  }),

  step(p, x, state, config, { taps, intervene, norm }) {
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { given, tapped } = partsOf(p, x, mixed, config.heads); // [B, h, dk]
    tapStep(taps, tapped);
    const { o, S } = ridgeMemoryStep(state.S, given, solverOf(config));
    const [batch, ...perHead] = o.shape;
    const read = intervene(norm(reshape(o, [batch, 1, ...perHead]), p.norm)); // [B, 1, h, dv]
    const y = multiply(reshape(joinHeads(read), x.shape), silu(linear(x, p.gate)));
    return { y: linear(y, p.out), state: { S, ...kept } };
  },

  extend: (p, x, state, config, context) => ({
    ...over(p, x, state, config.chunk, config, context),
    rows: {},
  }),
});

type Parameters = Readonly<
  Record<"qkv" | "strength" | "share" | "shareBias" | "norm" | "gate" | "out", Tensor>
> & {
  readonly decay: Decay;
  readonly convolution?: Tensor;
};

const solverOf = ({ ridge, iterations }: Config): RidgeOptions => ({ ridge, iterations, relative: true });

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
  const { given, tapped } = partsOf(p, x, mixed, config.heads); // [B, T, h, dk]
  tapAll(taps, tapped);
  const { o, S } = ridgeMemoryFrom(state.S, given, { ...solverOf(config), chunk });
  const y = multiply(joinHeads(intervene(norm(o, p.norm))), silu(linear(x, p.gate)));
  return { y: linear(y, p.out), state: { S, ...kept } };
}

/** x [..., d] and its projections [..., 3d] -> what the memory is given, [..., h, dk] and [..., h], and what is tapped. */
function partsOf(p: Parameters, x: Tensor, mixed: Tensor, heads: number) {
  const { q, k, v } = unitQueryKeyValue(silu(mixed), heads);
  const strength = sigmoid(linear(x, p.strength)); // [..., h]
  const share = sigmoid(add(linear(x, p.share), p.shareBias));
  const logs = logDecay(x, p.decay);
  const each = reshape(strength, [...strength.shape, 1]);
  return {
    given: { q, k: multiply(k, each), v: multiply(v, each), logDecay: logs, share },
    tapped: { query: q, key: k, value: v, strength, share, decay: exp(logs) },
  };
}

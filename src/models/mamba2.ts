/**
 * @file Mamba-2: an additive memory for each head that fades by one number, which the input chooses.
 *
 *     z, u, B, C, l = x Win;   u, B, C = silu(conv(u, B, C) + c)   z, u [e d];  B, C [N], shared by the heads;  l [h]
 *     D = softplus(l + s);   a = e^(-D e^r)                        s, r, D, a one number a head
 *     S_t = a_t S_{t-1} + D_t B_t u_t'                             S [N, e d / h] a head, S_0 = 0
 *     y_t = norm((S_t' C_t + skip u_t) o silu(z_t)) Wout           skip one number a head;  RMSNorm over e d
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * a lies between 0 and 1: what it holds only fades, and no parity can be followed. Because a head has one a, a chunk of steps is a
 * product of matrices. Source: Dao and Gu 2024, arXiv:2405.21060.
 */

import { z } from "zod";
import {
  add,
  dplrFrom,
  exp,
  expand,
  full,
  linear,
  multiply,
  negate,
  reshape,
  silu,
  softplus,
  split,
  type Tensor,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  normal,
  parameterOf,
  pastOf,
  splitHeads,
  stepBias,
  tapAll,
  tapStep,
} from "./layers.ts";
import { recall, writeDplr } from "./memory.ts";
import { type Context, defineModel, type State } from "./model.ts";

const config = z.strictObject({
  /** They divide e d. */
  heads: z.int().positive().default(2),
  /** N. */
  stateSize: z.int().positive().default(16),
  /** e: channels for each of the d that come in. */
  expansion: z.int().positive().default(2),
  /** Taps of the short convolution on u, B, C; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(32),
});
type Config = z.infer<typeof config>;

export const mamba2 = defineModel({
  name: "mamba2",
  summary: "additive memory with one input-dependent decay for each head",
  source: "arXiv:2405.21060",
  config,

  traits: () => ({ recurrence: { least: 0, complex: false, commuting: true }, keeps: "decay" }),
  startsFrom: ["S"],

  init({ heads, stateSize, expansion, convolution }: Config, width, rng) {
    const channels = expansion * width;
    headWidth(channels, heads); // refuses heads that do not divide it
    const rate = rng.fork("logRate");
    const rates = () => Float32Array.from({ length: heads }, () => Math.log(1 + 15 * rate.next())); // e^r in [1, 16)
    return {
      input: normal(rng.fork("input"), [width, 2 * channels + 2 * stateSize + heads]),
      ...convolutionParameter(rng, convolution, channels + 2 * stateSize),
      convolutionBias: constantParameter([channels + 2 * stateSize], 0),
      stepBias: stepBias(rng.fork("stepBias"), heads),
      logRate: parameterOf([heads], rates),
      skip: constantParameter([heads], 1),
      norm: constantParameter([channels], 1),
      out: normal(rng.fork("out"), [channels, width]),
    };
  },

  apply(p, x, config, context) {
    const { heads, stateSize, expansion } = config;
    const S = full(x.graph, [x.shape[0], heads, stateSize, (expansion * x.shape[2]) / heads], 0);
    return over(p, x, { S }, config.chunk, config, context).y;
  },

  state: ({ heads, stateSize, expansion, convolution }, width) => ({
    S: [heads, stateSize, (expansion * width) / heads],
    ...pastOf(convolution, expansion * width + 2 * stateSize),
  }),

  step(p, x, state, config, { taps, intervene, norm }) {
    const { gate, inputs, steps } = projected(p, x, config);
    const { y: mixed, kept } = convolutionStepIfAny(inputs, p.convolution, state.past);
    const { given, tapped } = partsOf(p, mixed, steps, config); // [B, h, N or e d / h]
    tapStep(taps, tapped);
    const S = writeDplr(state.S, given);
    const read = add(reshape(recall(S, given.q), given.v.shape), skipped(p, given.v)); // [B, h, e d / h]
    const y = norm(multiply(joinHeads(read), silu(gate)), p.norm); // [B, e d]
    const o = intervene(reshape(y, [x.shape[0], 1, config.heads, -1]));
    return { y: linear(reshape(o, y.shape), p.out), state: { S, ...kept } };
  },

  extend: (p, x, state, config, context) => ({
    ...over(p, x, state, x.shape[1], config, context),
    rows: {},
  }),
});

type Parameters = Readonly<
  Record<"input" | "convolutionBias" | "stepBias" | "logRate" | "skip" | "norm" | "out", Tensor>
> & { readonly convolution?: Tensor };

/** All tokens of x [B, T, d], behind those that left the state. */
function over(
  p: Parameters,
  x: Tensor,
  state: State,
  chunk: number,
  config: Config,
  { taps, intervene, norm }: Context,
) {
  const { gate, inputs, steps } = projected(p, x, config);
  const { y: mixed, kept } = convolutionOver(inputs, p.convolution, state.past);
  const { given, tapped } = partsOf(p, mixed, steps, config); // [B, T, h, N or e d / h]
  tapAll(taps, tapped);
  const { o: read, S } = dplrFrom(state.S, given, { chunk });
  const y = norm(multiply(joinHeads(add(read, skipped(p, given.v))), silu(gate)), p.norm); // [B, T, e d]
  const o = intervene(splitHeads(y, config.heads));
  return { y: linear(joinHeads(o), p.out), state: { S, ...kept } };
}

/** x [..., d] -> z [..., e d], what the convolution is given [..., e d + 2 N], and l [..., h]. */
function projected(p: Parameters, x: Tensor, { heads, stateSize, expansion }: Config) {
  const channels = expansion * x.shape.at(-1)!;
  const lengths = [channels, channels + 2 * stateSize, heads];
  const [gate, inputs, steps] = split(linear(x, p.input), -1, lengths);
  return { gate, inputs, steps };
}

/** What came through the convolution, and l -> what the memory is given, and what is tapped. */
function partsOf(p: Parameters, mixed: Tensor, steps: Tensor, { heads, stateSize }: Config) {
  const both = silu(add(mixed, p.convolutionBias));
  const channels = both.shape.at(-1)! - 2 * stateSize;
  const [u, write, read] = split(both, -1, [channels, stateSize, stateSize]);
  const step = softplus(add(steps, p.stepBias)); // [..., h]
  const logDecay = negate(multiply(step, exp(p.logRate)));
  const leading = step.shape.slice(0, -1);
  const shared = (y: Tensor) =>
    expand(reshape(y, [...leading, 1, stateSize]), [...leading, heads, stateSize]);
  const k = multiply(reshape(write, [...leading, 1, stateSize]), reshape(step, [...leading, heads, 1]));
  return {
    given: { q: shared(read), k, v: splitHeads(u, heads), logDecay },
    tapped: { step, decay: exp(logDecay), write, read },
  };
}

/** u [..., h, e d / h], each head times its skip. */
function skipped({ skip }: Parameters, u: Tensor): Tensor {
  return multiply(u, reshape(skip, [-1, 1]));
}

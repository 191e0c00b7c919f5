/**
 * @file Mamba-2: an additive memory per head with one input-dependent decay.
 *
 *     z, u, B, C, l = x Win;   u, B, C = silu(conv(u, B, C) + c)   z, u [e d];  B, C [N], shared by the heads;  l [h]
 *     D = softplus(l + s);   a = e^(-D e^r)                        s, r, D, a one number a head
 *     S_t = a_t S_{t-1} + D_t B_t u_t'                             S [N, e d / h] a head, S_0 = 0
 *     y_t = norm((S_t' C_t + skip u_t) o silu(z_t)) Wout           skip one number a head;  RMSNorm over e d
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1            one filter of K taps a channel
 *
 * a is between 0 and 1: the state only decays, and parity cannot be tracked. Because a head has one a, a chunk of steps is a product of
 * matrices. Source: Dao and Gu 2024, arXiv:2405.21060. Projections start smaller than in the authors' code unless `initialization` is
 * `source`.
 */

import { z } from "zod";
import {
  add,
  exp,
  expand,
  linear,
  linearParts,
  multiply,
  negate,
  reshape,
  silu,
  softplus,
  split,
  type Tensor,
} from "../tensor/index.ts";
import { chunkField, convolutionField, firstRateField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  joinHeads,
  logRates,
  rateFrom,
  splitHeads,
  stepBias,
  torchConvolution,
  torchLinear,
} from "./layers.ts";
import { diagonalPlusRankOne } from "./matrix-memory.ts";
import { defineMatrixMemory } from "./matrix-memory-layer.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2).describe("Number of heads, which divides e d"),
  stateSize: z.int().positive().default(16).describe("State numbers N"),
  expansion: z.int().positive().default(2).describe("Inner width as a multiple e of d"),
  convolution: convolutionField(4),
  chunk: chunkField(32),
  firstRate: firstRateField,
});
type Config = z.infer<typeof config>;

export const mamba2 = defineMatrixMemory({
  name: "mamba2",
  summary: "additive memory with one input-dependent decay per head",
  source: "arXiv:2405.21060",
  config,

  traits: () => ({ recurrence: { least: 0, complex: false, commuting: true }, keeps: "decay" }),
  startsFrom: ["S"],

  init({ heads, stateSize, expansion, convolution, firstRate }: Config, width, rng) {
    const channels = expansion * width;
    headWidth(channels, heads); // refuses heads that do not divide it
    return {
      input: torchLinear(rng.fork("input"), [width, 2 * channels + 2 * stateSize + heads]),
      ...torchConvolution(rng, convolution, channels + 2 * stateSize),
      stepBias: stepBias(rng.fork("stepBias"), heads),
      logRate: logRates(rng.fork("logRate"), heads, firstRate, 1),
      skip: constantParameter([heads], 1),
      norm: constantParameter([channels], 1),
      out: torchLinear(rng.fork("out"), [channels, width]),
    };
  },

  rule: diagonalPlusRankOne,
  chunkOf: (tokens) => tokens,
  project: (p, x, config) => ({ inputs: projected(p, x, config).inputs, filters: p.convolution }),
  channels: ({ stateSize, expansion }, width) => expansion * width + 2 * stateSize,
  shape: ({ heads, stateSize, expansion }, width) => ({ S: [heads, stateSize, (expansion * width) / heads] }),

  give(p, x, mixed, config) {
    const { heads, stateSize } = config;
    const { gate, steps } = projected(p, x, config);
    const both = silu(add(mixed, p.convolutionBias));
    const channels = both.shape.at(-1)! - 2 * stateSize;
    const [u, write, read] = split(both, -1, [channels, stateSize, stateSize]);
    const step = softplus(add(steps, p.stepBias)); // [..., h]
    const logDecay = negate(multiply(step, rateFrom(p.logRate)));
    const leading = step.shape.slice(0, -1);
    const shared = (y: Tensor) =>
      expand(reshape(y, [...leading, 1, stateSize]), [...leading, heads, stateSize]);
    const k = multiply(reshape(write, [...leading, 1, stateSize]), reshape(step, [...leading, heads, 1]));
    return {
      given: { q: shared(read), k, v: splitHeads(u, heads), logDecay },
      tapped: { step, decay: exp(logDecay), write, read },
      gate,
    };
  },

  finish(p, _, read, { given: { v }, gate }, { intervene, norm }) {
    const skipped = multiply(v, reshape(p.skip, [-1, 1])); // [..., h, e d / h]
    const y = norm(multiply(joinHeads(add(reshape(read, v.shape), skipped)), silu(gate)), p.norm); // [..., e d]
    return linear(reshape(intervene(reshape(y, read.shape)), y.shape), p.out);
  },
});

/** x [..., d] -> z [..., e d], the convolution's input [..., e d + 2 N], and l [..., h]. */
function projected(p: { readonly input: Tensor }, x: Tensor, { heads, stateSize, expansion }: Config) {
  const channels = expansion * x.shape.at(-1)!;
  const lengths = [channels, channels + 2 * stateSize, heads];
  const [gate, inputs, steps] = linearParts(x, p.input, lengths);
  return { gate, inputs, steps };
}

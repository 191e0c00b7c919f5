/**
 * @file Mamba: a diagonal recurrence with N numbers per channel and an input-dependent step size.
 *
 *     u, z = x Win;   u = silu(conv(u) + c)                u, z [e d]
 *     l, B, C = u Wselect;   D = softplus(l Wstep + s)     l [d / 16, up];  B, C [N];  D [e d]
 *     h_t = a_t o h_{t-1} + (D_t o u_t) B_t';   h_0 = 0    h [e d, N]
 *     y_t = ((h_t C_t + skip o u_t) o silu(z_t)) Wout
 *     a = e^(-D e^r), or 2 e^(-D e^r) - 1                  r [e d, N]
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *
 * The second form of a reaches below 0, and so can track parity. h is a Scan: the powers of a for a chunkwise form would be unbounded
 * where a is near 0, and a negative a has no logarithm. Source: Gu and Dao 2023, arXiv:2312.00752; negative a: Grazzi et al. 2024,
 * arXiv:2411.12537. Projections start smaller than in the authors' code unless `initialization` is `source`.
 */

import { z } from "zod";
import { shift } from "../tensor/arithmetic.ts";
import {
  add,
  exp,
  full,
  linear,
  matmul,
  multiply,
  negate,
  reshape,
  scale,
  silu,
  softplus,
  split,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { convolutionField } from "./config-fields.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionPast,
  convolutionStepIfAny,
  makeParameter,
  normal,
  rateFrom,
  stepBias,
  tapAll,
  tapStep,
  torchConvolution,
  torchLinear,
  uniform,
  withSource,
} from "./layers.ts";
import { type Context, defineModel, type State } from "./model.ts";

const config = z.strictObject({
  /** Range of a: [0,1] is the original model, [-1,1] admits negative eigenvalues. Quote it in YAML, where it would be a list. */
  transition: z
    .preprocess(
      (value) => (Array.isArray(value) ? JSON.stringify(value) : value),
      z.enum(["[0,1]", "[-1,1]"]),
    )
    .default("[-1,1]")
    .describe("Range of the transition"),
  stateSize: z.int().positive().default(16).describe("State numbers N per channel"),
  expansion: z.int().positive().default(2).describe("Inner width as a multiple e of d"),
  convolution: convolutionField(4),
});
type Config = z.infer<typeof config>;

export const mamba = defineModel({
  name: "mamba",
  summary: "diagonal recurrence with input-dependent steps",
  source: "arXiv:2312.00752, arXiv:2411.12537",
  config,

  traits: ({ transition }: Config) => ({
    recurrence: { least: transition === "[0,1]" ? 0 : -1, complex: false, commuting: true },
  }),
  startsFrom: ["h"],

  init({ stateSize, expansion, convolution }: Config, width, rng) {
    const channels = expansion * width;
    const rank = rankOf(width);
    const steps = rng.fork("step");
    const rates = () =>
      Float32Array.from({ length: stateSize * channels }, (_, i) => Math.log(1 + Math.floor(i / channels)));
    return {
      input: torchLinear(rng.fork("input"), [width, 2 * channels]),
      ...torchConvolution(rng, convolution, channels),
      selection: torchLinear(rng.fork("selection"), [channels, rank + 2 * stateSize]),
      step: withSource(normal(steps, [rank, channels], rank ** -0.5), steps, uniform(rank ** -0.5)),
      stepBias: stepBias(rng.fork("stepBias"), channels),
      logRate: makeParameter([stateSize * channels], rates), // a vector, so that it has no weight decay
      skip: constantParameter([channels], 1),
      out: torchLinear(rng.fork("out"), [channels, width]),
    };
  },

  apply(p, x, config, context) {
    const [batch, , width] = x.shape;
    const h = full(x.graph, [batch, config.stateSize, config.expansion * width], 0);
    return over(p, x, { h }, config, context).y;
  },

  state: ({ stateSize, expansion, convolution }, width) => ({
    h: [stateSize, expansion * width],
    ...convolutionPast(convolution, expansion * width),
  }),

  step(p, x, state, config, { taps, intervene }) {
    const [batch, width] = x.shape;
    const channels = config.expansion * width;
    const [u0, gate] = split(linear(x, p.input), -1, [channels, channels]); // [B, e d]
    const { y: mixed, kept } = convolutionStepIfAny(u0, p.convolution, state.past);
    const u = silu(add(mixed, p.convolutionBias));
    const { step, write, read: output } = selected(p, u, config);
    tapStep(taps, { step, write, read: output });
    const row = (y: Tensor) => reshape(y, [batch, 1, -1]);
    const driven = row(multiply(step, u));
    const column = reshape(write, [batch, -1, 1]);
    const h = advance(state.h, row(step), driven, column, ratesOf(p.logRate, channels), config);
    const y = add(matmul(row(output), h), row(multiply(u, p.skip))); // [B, 1, e d]
    const o = reshape(intervene(reshape(y, [batch, 1, 1, channels])), [batch, channels]);
    return { y: linear(multiply(o, silu(gate)), p.out), state: { h, ...kept } };
  },

  extend: (p, x, state, config, context) => ({ ...over(p, x, state, config, context), rows: {} }),
  stepwise: true,
  packs: true,
});

type Parameters = Readonly<
  Record<"input" | "convolutionBias" | "selection" | "step" | "stepBias" | "logRate" | "skip" | "out", Tensor>
> & { readonly convolution?: Tensor };

/** All tokens of x [B, T, d], starting from the state. */
function over(p: Parameters, x: Tensor, state: State, config: Config, { taps, intervene, fresh }: Context) {
  const [batch, length, width] = x.shape;
  const channels = config.expansion * width;
  const [u0, gate] = split(linear(x, p.input), -1, [channels, channels]); // [B, T, e d]
  const { y: mixed, kept } = convolutionOver(u0, p.convolution, state.past, fresh);
  const u = silu(add(mixed, p.convolutionBias));
  const { step, write, read: output } = selected(p, u, config);
  tapAll(taps, { step, write, read: output });
  const rows = (y: Tensor) => transpose(reshape(y, [batch, length, 1, -1]), [1, 0, 2, 3]); // [T, B, 1, ...]
  const columns = (y: Tensor) => transpose(reshape(y, [batch, length, -1, 1]), [1, 0, 2, 3]);
  const rates = ratesOf(p.logRate, channels);
  const given = [rows(step), rows(multiply(step, u)), columns(write), rows(output)];
  const { states, outputs } = scanSessions(given, [state.h], fresh, ([h], [now, driven, B, C]) => {
    const after = advance(h, now, driven, B, rates, config);
    return { states: [after], outputs: [matmul(C, after)] }; // [B, 1, e d]
  });
  const y = add(
    transpose(outputs[0], [1, 0, 2, 3]),
    reshape(multiply(u, p.skip), [batch, length, 1, channels]),
  );
  const o = reshape(intervene(y), [batch, length, channels]);
  return { y: linear(multiply(o, silu(gate)), p.out), state: { h: states[0], ...kept } };
}

/** Rank of the step projection, for `width` channels of the model. */
function rankOf(width: number): number {
  return Math.ceil(width / 16);
}

/** u [..., e d] -> D [..., e d], B and C [..., N]. */
function selected(
  p: Readonly<Record<"selection" | "step" | "stepBias", Tensor>>,
  u: Tensor,
  { stateSize }: Config,
) {
  const [rank] = p.step.shape;
  const [low, write, read] = split(linear(u, p.selection), -1, [rank, stateSize, stateSize]);
  return { step: softplus(add(linear(low, p.step), p.stepBias)), write, read };
}

/** -e^r as [N, e d]. */
function ratesOf(logRate: Tensor, channels: number): Tensor {
  return reshape(negate(rateFrom(logRate)), [-1, channels]);
}

/** h [B, N, e d]; D and D o u [B, 1, e d]; B [B, N, 1]; rates [N, e d] -> h after. */
function advance(
  h: Tensor,
  step: Tensor,
  driven: Tensor,
  write: Tensor,
  rates: Tensor,
  { transition }: Config,
): Tensor {
  const decay = exp(multiply(step, rates));
  const a = transition === "[0,1]" ? decay : shift(scale(decay, 2), -1);
  return add(multiply(a, h), multiply(write, driven));
}

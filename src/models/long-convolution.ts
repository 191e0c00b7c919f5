/**
 * @file Long convolution: a learned filter over the past per channel, made sparse by squashing.
 *
 *     W = sign(K) max(|K| - q, 0)                   K [L, d], q = squash: soft thresholding
 *     y_t = sum_j W_j o x_{t-L+1+j} + skip o x_t,   j = 0 .. L-1
 *     out = a o sigmoid(b),   a, b = gelu(y_t) Wout      gelu(z) = z sigmoid(1.702 z)
 *
 * The filter is the same at every token, so it copies from a fixed distance, and can neither select nor track parity or any order.
 * Inputs older than L tokens are forgotten completely: a step carries the last L - 1 inputs themselves.
 *
 * K is initially normal with deviation 0.02 times e^(-(l/L) (d/2)^(i/d)) at lag l of channel i: slow filters and fast ones. With the
 * authors' other start (0.002) and their squash of 0.1 all of it would be 0 for good, and so would its gradient: hence 0.001 here.
 *
 * Source: Fu et al. 2023, arXiv:2302.06646, and the authors' code; without its dropout and its mean over neighbors.
 */

import { z } from "zod";
import type { Rng } from "../core/rng.ts";
import { shift } from "../tensor/arithmetic.ts";
import {
  add,
  causalConvolution,
  maximum,
  multiply,
  negate,
  type Parameter,
  reshape,
  slice,
  subtract,
  type Tensor,
} from "../tensor/index.ts";
import {
  convolutionOver,
  convolutionPast,
  convolutionStepIfAny,
  gatedLinear,
  gelu,
  makeParameter,
  normal,
} from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  taps: z.int().min(2).default(128).describe("Visible tokens L, with the present one"),
  squash: z.number().min(0).default(0.001).describe("Soft threshold q of the filter"),
});
type Config = z.infer<typeof config>;

export const longConvolution = defineModel({
  name: "long-convolution",
  summary: "a long convolution per channel with a learned filter",
  source: "arXiv:2302.06646",
  config,

  traits: () => ({ recurrence: "none" }),
  groups: [{ match: "filter", weightDecay: 0 }],

  init({ taps }: Config, width, rng) {
    return {
      filter: fadingFilter(rng.fork("filter"), taps, width),
      skip: normal(rng.fork("skip"), [width], 1),
      out: normal(rng.fork("out"), [width, 2 * width]),
    };
  },

  apply(p, x, { taps, squash }, context) {
    const [, length] = x.shape;
    const filter = squashed(p.filter, squash);
    const seen = length < taps ? slice(filter, 0, taps - length, taps) : filter; // the last tap applies to the present
    return read(p, causalConvolution(x, seen), x, context);
  },

  state: ({ taps }, width) => convolutionPast(taps, width),

  step(p, x, state, { squash }, context) {
    const [batch, width] = x.shape;
    const { y, kept } = convolutionStepIfAny(x, squashed(p.filter, squash), state.past);
    const alone = (each: Tensor) => reshape(each, [batch, 1, width]);
    return { y: reshape(read(p, alone(y), alone(x), context), x.shape), state: kept };
  },

  extend(p, x, state, { squash }, context) {
    const { y, kept } = convolutionOver(x, squashed(p.filter, squash), state.past);
    return { y: read(p, y, x, context), rows: {}, state: kept };
  },
  unpacked: "One long filter covers the whole row.",
});

/** sign(K) max(|K| - q, 0). */
function squashed(filter: Tensor, squash: number): Tensor {
  const none = filter.graph.scalar(0);
  const beyond = (side: Tensor) => maximum(shift(side, -squash), none);
  return subtract(beyond(filter), beyond(negate(filter)));
}

/** y without skip and x [B, T, d] -> [B, T, d]. */
function read(
  p: Readonly<Record<"skip" | "out", Tensor>>,
  y: Tensor,
  x: Tensor,
  { intervene }: Context,
): Tensor {
  const [batch, length, width] = x.shape;
  const o = intervene(reshape(add(y, multiply(x, p.skip)), [batch, length, 1, width]));
  return gatedLinear(gelu(reshape(o, x.shape)), p.out);
}

/** [L, d]; row j has lag L - 1 - j. */
function fadingFilter(rng: Rng, taps: number, width: number): Parameter {
  const fading = (i: number) => {
    const [lag, channel] = [taps - 1 - Math.floor(i / width), i % width];
    return Math.exp(-(lag / taps) * (width / 2) ** (channel / width));
  };
  return makeParameter([taps, width], () =>
    Float32Array.from({ length: taps * width }, (_, i) => 0.02 * rng.normal() * fading(i)),
  );
}

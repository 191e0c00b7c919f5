/** @file The parts that models share: initial weights, RMSNorm, SwiGLU, heads, the short convolution's step. */

import type { Rng } from "../math/rng.ts";
import { fail } from "../records/error.ts";
import {
  concat,
  linear,
  multiply,
  type Parameter,
  reshape,
  rmsNorm,
  type Shape,
  silu,
  size,
  split,
  sum,
  type Tensor,
} from "../tensor/index.ts";

/** N(0, deviation^2). */
export function normal(rng: Rng, shape: Shape, deviation = 0.02): Parameter {
  return { shape, data: Float32Array.from({ length: size(shape) }, () => deviation * rng.normal()) };
}

export function constantParameter(shape: Shape, value: number): Parameter {
  return { shape, data: new Float32Array(size(shape)).fill(value) };
}

/** RMSNorm with its learned scale [d]: scale o x / rms(x). */
export function norm(x: Tensor, scale: Tensor): Tensor {
  return multiply(rmsNorm(x), scale);
}

/** The width of one head. Errors: LabError where heads do not divide the width. */
export function headWidth(width: number, heads: number): number {
  if (width % heads !== 0) fail("model", `heads that divide width ${width}`, heads);
  return width / heads;
}

/** (silu(x Wg) o x Wu) Wd, with Wg and Wu side by side in one weight. Source: Shazeer 2020, arXiv:2002.05202. */
export function swiGlu(x: Tensor, gateAndUp: Tensor, down: Tensor): Tensor {
  const [width] = down.shape;
  const [gate, up] = split(linear(x, gateAndUp), -1, [width, width]);
  return linear(multiply(silu(gate), up), down);
}

/** [B, T, h d] -> [B, T, h, d]. */
export function splitHeads(x: Tensor, heads: number): Tensor {
  return reshape(x, [...x.shape.slice(0, -1), heads, -1]);
}

/** [..., h, d] -> [..., h d]. */
export function joinHeads(x: Tensor): Tensor {
  return reshape(x, [...x.shape.slice(0, -2), -1]);
}

/** One step of causalConvolution: x [B, D], past [B, K - 1, D], weight [K, D] -> y [B, D] and the past after it. */
export function convolutionStep(x: Tensor, past: Tensor, weight: Tensor): { y: Tensor; past: Tensor } {
  const [batch, kept, channels] = past.shape;
  const window = concat([past, reshape(x, [batch, 1, channels])], 1); // [B, K, D]
  const [, after] = split(window, 1, [1, kept]);
  return { y: sum(multiply(window, weight), { axes: [1] }), past: after };
}

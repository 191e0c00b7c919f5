/**
 * @file AdamW with decoupled weight decay and clipping by the global norm, over one flat array of all parameters.
 *
 *     g = g min(1, clip / |g|);  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *     p = p - lr (m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps) + decay p)
 *
 * Outside the graph: one pass over typed arrays costs less than moving the moments in and out of a session.
 * Source: Loshchilov and Hutter 2017, arXiv:1711.05101.
 */

import type { TrainConfig } from "../records/run.ts";

export interface Moments {
  /** Updates so far. */
  step: number;
  readonly first: Float32Array<ArrayBuffer>;
  readonly second: Float32Array<ArrayBuffer>;
}

export type AdamWConfig = Pick<TrainConfig, "beta1" | "beta2" | "epsilon" | "weightDecay" | "clip">;

export function emptyMoments(length: number): Moments {
  return { step: 0, first: new Float32Array(length), second: new Float32Array(length) };
}

/**
 * One update in place; all arrays have the same length. `decays` are the ranges [start, end) whose parameters decay.
 * A gradient that is not finite changes nothing: one such update would spoil every parameter for good.
 * @returns the gradient's norm before clipping; not finite where the gradient is not.
 */
export function adamW(
  parameters: Float32Array,
  gradient: Float32Array,
  moments: Moments,
  learningRate: number,
  { beta1, beta2, epsilon, weightDecay, clip }: AdamWConfig,
  decays: readonly (readonly [start: number, end: number])[],
): number {
  const { first, second } = moments;
  let squares = 0;
  for (let i = 0; i < gradient.length; i++) squares += gradient[i] * gradient[i];
  const norm = Math.sqrt(squares);
  if (!Number.isFinite(norm)) return norm;
  const step = ++moments.step;
  const factor = norm > clip ? clip / norm : 1;
  const kept = 1 - learningRate * weightDecay;
  for (const [start, end] of decays) for (let i = start; i < end; i++) parameters[i] *= kept;
  const rate = learningRate / (1 - beta1 ** step);
  const secondCorrection = 1 / Math.sqrt(1 - beta2 ** step);
  for (let i = 0; i < parameters.length; i++) {
    const g = gradient[i] * factor;
    const m = beta1 * first[i] + (1 - beta1) * g;
    const v = beta2 * second[i] + (1 - beta2) * g * g;
    first[i] = m;
    second[i] = v;
    parameters[i] -= (rate * m) / (Math.sqrt(v) * secondCorrection + epsilon);
  }
  return norm;
}

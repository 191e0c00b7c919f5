/**
 * @file What an optimizer is: a rule that moves parameters against their gradient, and what it remembers between updates.
 *
 * Outside the graph: one pass over typed arrays costs less than moving what is remembered in and out of a session.
 */

import type { TrainConfig } from "../../schemas/run-config.ts";
import type { Shape } from "../../tensor/index.ts";

/** Where a parameter stands in the flat array of all. */
export interface ParameterRange {
  readonly path: string;
  readonly shape: Shape;
  readonly start: number;
  readonly end: number;
}

/** All that is trained: one flat array, the same order as the ranges. */
export interface Trained {
  readonly values: Float32Array<ArrayBuffer>;
  readonly ranges: readonly ParameterRange[];
}

export type OptimizerConfig = Pick<TrainConfig, "beta1" | "beta2" | "epsilon" | "weightDecay" | "clip">;

export interface Optimizer {
  readonly name: string;
  /** What it remembers, by name: zeros at first, live, and saved in a checkpoint as they are. */
  readonly state: Readonly<Record<string, Float32Array<ArrayBuffer>>>;
  /**
   * Changes the parameters in place; `step` counts updates from 1. A gradient that is not finite changes nothing: one such
   * update would spoil every parameter for good.
   * @returns the gradient's norm before clipping; not finite where the gradient is not.
   */
  update(gradient: Float32Array, learningRate: number, step: number): number;
}

export type MakeOptimizer = (trained: Trained, config: OptimizerConfig) => Optimizer;

/** How parameters move, given that the gradient is `factor` times what stands in the array. */
export interface Rule {
  readonly state: Optimizer["state"];
  apply(gradient: Float32Array, factor: number, learningRate: number, step: number): void;
}

/** g = g min(1, clip / |g|), the norm over all parameters; then the rule. */
export function clipping(name: string, { state, apply }: Rule, { clip }: OptimizerConfig): Optimizer {
  return {
    name,
    state,
    update(gradient, learningRate, step) {
      let squares = 0;
      for (let i = 0; i < gradient.length; i++) squares += gradient[i] * gradient[i];
      const norm = Math.sqrt(squares);
      if (!Number.isFinite(norm)) return norm;
      apply(gradient, norm > clip ? clip / norm : 1, learningRate, step);
      return norm;
    },
  };
}

/** Whether a parameter shrinks by weight decay: matrices do, scales and biases do not. */
export function decays({ shape }: Pick<ParameterRange, "shape">): boolean {
  return shape.length >= 2;
}

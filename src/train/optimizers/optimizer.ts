/**
 * @file Type of optimizers: a rule that updates parameters by their gradient, with a state. And parameters as one flat array, with a
 * view for each path: the optimizer iterates over the array, the graph is fed the views.
 *
 * Updates run outside the graph: one pass over typed arrays costs less than moving the state in and out of a session.
 */

import { fail } from "../../core/error.ts";
import type { TrainConfig } from "../../schemas/run-config.ts";
import { flattenParameters, type ParameterTree, type Shape } from "../../tensor/index.ts";

/** The range of a parameter in the flat array. */
interface ParameterRange {
  readonly path: string;
  readonly shape: Shape;
  readonly start: number;
  readonly end: number;
}

/** All trained parameters: one flat array, in the order of the ranges. */
export interface Trained {
  readonly values: Float32Array<ArrayBuffer>;
  readonly ranges: readonly ParameterRange[];
}

export type OptimizerConfig = Pick<
  TrainConfig,
  "beta1" | "beta2" | "epsilon" | "weightDecay" | "maxGradNorm"
>;

export interface Optimizer {
  readonly name: string;
  /** Its state by name: initially zeros; live arrays, saved in checkpoints. */
  readonly state: Readonly<Record<string, Float32Array<ArrayBuffer>>>;
  /**
   * Changes the parameters in place; `step` counts updates from 1. A gradient that is not finite changes nothing, since
   * such an update would destroy every parameter.
   * @returns the norm of the gradient before clipping; not finite if the gradient is not.
   */
  update(gradient: Float32Array, learningRate: number, step: number): number;
}

export type MakeOptimizer = (trained: Trained, config: OptimizerConfig) => Optimizer;

/** An update rule; the gradient is `factor` times the array. */
export interface Rule {
  readonly state: Optimizer["state"];
  apply(gradient: Float32Array, factor: number, learningRate: number, step: number): void;
}

/** g = g min(1, clip / |g|), the norm over all parameters; then the rule. */
export function clipping(
  name: string,
  { state, apply }: Rule,
  { maxGradNorm: clip }: OptimizerConfig,
): Optimizer {
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

/** Whether weight decay applies: to matrices, not to scales and biases. */
export function decays({ shape }: Pick<ParameterRange, "shape">): boolean {
  return shape.length >= 2;
}

type Numbers = Readonly<Record<string, Float32Array<ArrayBuffer>>>;

export interface FlatParameters extends Trained {
  /** Path -> its range of an array with the length of all parameters, as live views. */
  views(array: Float32Array<ArrayBuffer>): Numbers;
}

/** The parameters of a tree whose paths `of` accepts; by default all. */
export function flatten(tree: ParameterTree, of: (path: string) => boolean = () => true): FlatParameters {
  const entries = flattenParameters(tree).filter(([path]) => of(path));
  const ranges: ParameterRange[] = [];
  let next = 0;
  for (const [path, { shape, data }] of entries) {
    ranges.push({ path, shape, start: next, end: next + data.length });
    next += data.length;
  }
  const values = new Float32Array(next);
  for (const [i, [, { data }]] of entries.entries()) values.set(data, ranges[i].start);
  return {
    values,
    ranges,
    views: (array) =>
      Object.fromEntries(ranges.map(({ path, start, end }) => [path, array.subarray(start, end)])),
  };
}

/** Copies saved values into the target. @throws LabError of kind "corrupt" if a length differs. */
export function load(target: Numbers, saved: Readonly<Record<string, Float32Array>>): void {
  for (const [path, numbers] of Object.entries(target)) {
    if (saved[path]?.length !== numbers.length) {
      const got = saved[path]?.length ?? "nothing";
      fail("checkpoint", `${numbers.length} numbers for ${path}`, got, undefined, "corrupt");
    }
    numbers.set(saved[path]);
  }
}

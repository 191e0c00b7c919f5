/**
 * @file Type of optimizers: a rule that updates parameters by their gradient, with a state. And parameters as one flat array, with a
 * view for each path: the optimizer iterates over the array, the graph is fed the views.
 *
 * On the CPU updates run outside the graph: one pass over typed arrays costs less than moving the state in and out of a session.
 */

import { fail } from "../../core/error.ts";
import type { LayerMixer } from "../../models/model.ts";
import type { TrainConfig } from "../../schemas/run-config.ts";
import { shift } from "../../tensor/arithmetic.ts";
import {
  concat,
  divide,
  expand,
  flattenParameters,
  type Graph,
  maximum,
  multiply,
  type ParameterTree,
  reshape,
  type Shape,
  scale,
  size,
  slice,
  sqrt,
  subtract,
  sum,
  type Tensor,
} from "../../tensor/index.ts";
import type { Settings } from "./groups.ts";

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
  "beta1" | "beta2" | "epsilon" | "weightDecay" | "groups" | "maxGradNorm"
>;

export interface Optimizer {
  readonly name: string;
  /** Its state by name: initially zeros; live arrays, saved in checkpoints. */
  readonly state: Readonly<Record<string, Float32Array<ArrayBuffer>>>;
  /**
   * Changes the parameters in place; `step` counts updates from 1. A gradient that is not finite changes nothing, since
   * such an update would destroy every parameter. Neither does one of zeros: that of a batch without questions.
   * @returns the norm of the gradient before clipping; not finite if the gradient is not.
   */
  update(gradient: Float32Array, learningRate: number, step: number): number;
  readonly onDevice: DeviceUpdate;
}

/** The update as nodes of the graph that computes the gradients, for parameters and state that stay on a device. */
export interface DeviceUpdate {
  /**
   * From the inputs of the graph by path, and their gradients: the next parameters by path, the next state by `stateName`, and
   * `gradientNorm`. Adds inputs for the state and `feeds`.
   */
  append(graph: Graph, gradients: Readonly<Record<string, Tensor>>): Record<string, Tensor>;
  feeds(learningRate: number, step: number): Readonly<Record<string, Float32Array>>;
}

/** Input and output of an array of the state, [N] for N trained parameters. */
export function stateName(name: string): string {
  return `optimizer.${name}`;
}

/** @param mixers those of the layers, for the groups of their sources. */
export type MakeOptimizer = (
  trained: Trained,
  config: OptimizerConfig,
  mixers?: readonly LayerMixer[],
) => Optimizer;

/** An update rule; the gradient is `factor` times the array. */
export interface Rule {
  readonly state: Optimizer["state"];
  apply(gradient: Float32Array, factor: number, learningRate: number, step: number): void;
  /**
   * The same in a graph: gradient and state [N]; `scalars` and `constant` give [] or, if betas differ, [N]. Parameters change by
   * -`change` [N] times the ratio of their group, after their decay.
   */
  nodes(
    gradient: Tensor,
    state: Readonly<Record<string, Tensor>>,
    scalars: Readonly<Record<string, Tensor>>,
    constant: (of: (settings: Settings) => number) => Tensor,
  ): { readonly state: Readonly<Record<string, Tensor>>; readonly change: Tensor };
  /** Of a step; they depend on the betas of a group alone. */
  scalars(settings: Settings, learningRate: number, step: number): Readonly<Record<string, number>>;
}

/** g = g min(1, clip / |g|), the norm over all parameters; then the rule. `settings` are those of the ranges. */
export function clipping(
  name: string,
  { state, apply, nodes, scalars }: Rule,
  { ranges }: Trained,
  settings: readonly Settings[],
  clip: number,
): Optimizer {
  const betasOf = ({ beta1, beta2 }: Settings) => `${beta1} ${beta2}`;
  const kinds = [...new Map(settings.map((each) => [betasOf(each), each])).values()];
  const prefixed = <Value>(values: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [stateName(key), value]));
  const kindOf = settings.map((each) => kinds.findIndex((kind) => betasOf(kind) === betasOf(each)));
  /** The scalars [] of the kinds for each parameter: [], or [N] if there are several. */
  const perParameter = (scalars: readonly Tensor[]) =>
    scalars.length === 1
      ? scalars[0]
      : concat(
          ranges.map(({ shape }, i) => expand(scalars[kindOf[i]], [size(shape)])),
          0,
        );
  return {
    name,
    state,
    update(gradient, learningRate, step) {
      let squares = 0;
      for (let i = 0; i < gradient.length; i++) squares += gradient[i] * gradient[i];
      const norm = Math.sqrt(squares);
      if (!Number.isFinite(norm) || norm === 0) return norm;
      apply(gradient, norm > clip ? clip / norm : 1, learningRate, step);
      return norm;
    },
    onDevice: {
      append(graph, gradients) {
        const all = concat(
          ranges.map(({ path, shape }) => reshape(gradients[path], [size(shape)])),
          0,
        );
        const gradientNorm = sqrt(sum(multiply(all, all)));
        const limit = graph.scalar(clip);
        const clipped = multiply(all, divide(limit, maximum(gradientNorm, limit)));
        const inputs = (names: readonly string[], of: (name: string) => Tensor) =>
          Object.fromEntries(names.map((each) => [each, of(each)]));
        const input = (name: string, shape: Shape) => graph.input(stateName(name), shape);
        const next = nodes(
          clipped,
          inputs(Object.keys(state), (each) => input(each, all.shape)),
          inputs(Object.keys(scalars(settings[0], 1, 1)), (each) =>
            perParameter(kinds.map((_, kind) => input(`${each}.${kind}`, []))),
          ),
          (of) => perParameter(kinds.map((kind) => graph.scalar(of(kind)))),
        );
        const learningRate = input("learningRate", []);
        const kept = new Map<number, Tensor>();
        const decayed = (now: Tensor, decay: number) => {
          if (decay === 0) return now;
          if (!kept.has(decay)) kept.set(decay, shift(scale(learningRate, -decay), 1));
          return multiply(now, kept.get(decay)!); // set above
        };
        let at = 0;
        const parameters = ranges.map(({ path, shape }, i) => {
          const now = graph.inputs.find(({ name }) => name === path)!; // the graph has every parameter
          const { learningRateRatio: ratio, weightDecay } = settings[i];
          const change = reshape(slice(next.change, 0, at, at + size(shape)), shape);
          at += size(shape);
          return [
            path,
            subtract(decayed(now, ratio * weightDecay), ratio === 1 ? change : scale(change, ratio)),
          ] as const;
        });
        return { ...Object.fromEntries(parameters), ...prefixed(next.state), gradientNorm };
      },
      feeds(learningRate, step) {
        const values = kinds.flatMap((settings, kind) =>
          Object.entries(scalars(settings, learningRate, step)).map(
            ([each, value]) => [`${each}.${kind}`, Float32Array.of(value)] as const,
          ),
        );
        return prefixed({ ...Object.fromEntries(values), learningRate: Float32Array.of(learningRate) });
      },
    },
  };
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

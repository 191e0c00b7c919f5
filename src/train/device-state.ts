/**
 * @file Weights and the state of the optimizer in the memory of a device, between steps.
 *
 * The graph of a step contains the update. Each array exists twice: a run reads the current one and writes the other, and `commit`
 * exchanges them.
 */

import type { TrainConfig } from "../schemas/run-config.ts";
import type { Graph, Runtime, Tensor } from "../tensor/index.ts";
import type { DeviceArray, Feeds } from "../tensor/session.ts";
import { gradientName } from "./graph.ts";
import { type FlatParameters, type Optimizer, stateName } from "./optimizers/optimizer.ts";
import { learningRateAt } from "./schedule.ts";

type Tensors = Readonly<Record<string, DeviceArray["tensor"]>>;

export interface DeviceState {
  /** Current weights by path. */
  parameters(): Tensors;
  /** The outputs of the graph of a step, with the update and `gradientNorm` in place of the gradients. */
  withUpdate(graph: Graph, outputs: Readonly<Record<string, Tensor>>): Record<string, Tensor>;
  feeds(step: number): Feeds;
  into(): Tensors;
  /** Makes the results of the last run current. */
  commit(): void;
  /** Copies the state to the host: into the flat parameters and the state of the optimizer. */
  read(): Promise<void>;
  release(): void;
}

export function deviceState(
  place: NonNullable<Runtime["place"]>,
  flat: FlatParameters,
  /** Parameters that are not trained, with their shapes. */
  still: FlatParameters,
  optimizer: Optimizer,
  train: TrainConfig,
): DeviceState {
  const numbers = {
    ...flat.views(flat.values),
    ...Object.fromEntries(Object.entries(optimizer.state).map(([name, data]) => [stateName(name), data])),
  };
  const shapes = Object.fromEntries(
    [...flat.ranges, ...still.ranges].map(({ path, shape }) => [path, shape]),
  );
  const placed = (arrays: typeof numbers) =>
    Object.entries(arrays).map(
      ([name, data]) => [name, place(data, shapes[name] ?? [data.length])] as const, // the state is flat
    );
  const frozen = placed(still.views(still.values));
  let current = placed(numbers);
  let next = placed(numbers);
  const tensors = (arrays: typeof current) =>
    Object.fromEntries(arrays.map(([name, { tensor }]) => [name, tensor]));
  const gradientNames = new Set(flat.ranges.map(({ path }) => gradientName(path)));
  return {
    parameters: () => tensors([...frozen, ...current.slice(0, flat.ranges.length)]),
    withUpdate(graph, outputs) {
      const gradients = Object.fromEntries(
        flat.ranges.map(({ path }) => [path, outputs[gradientName(path)]]),
      );
      const others = Object.entries(outputs).filter(([name]) => !gradientNames.has(name));
      return { ...Object.fromEntries(others), ...optimizer.onDevice.append(graph, gradients) };
    },
    feeds: (step) => ({
      ...tensors([...frozen, ...current]),
      ...optimizer.onDevice.feeds(learningRateAt(step, train), step),
    }),
    into: () => tensors(next),
    commit() {
      [current, next] = [next, current];
    },
    async read() {
      for (const [name, array] of current) await array.read(numbers[name]);
    },
    release() {
      for (const [, array] of [...frozen, ...current, ...next]) array.release();
    },
  };
}

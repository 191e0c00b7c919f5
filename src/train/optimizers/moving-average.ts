/**
 * @file Exponential moving average of the weights, in the state of the optimizer: so checkpoints hold it, and a device computes it.
 *
 *     a_1 = w_1;   a_t = w_t + decay (a_{t-1} - w_t)
 *
 * Source: `AveragedModel` with `get_ema_multi_avg_fn` of PyTorch.
 */

import { add, concat, multiply, reshape, size, subtract } from "../../tensor/index.ts";
import { type Optimizer, stateName, type Trained } from "./optimizer.ts";

/** The optimizer with `average` [N] in its state. A step that changes no weight leaves it alone. */
export function withMovingAverage(
  optimizer: Optimizer,
  { values, ranges }: Trained,
  decay: number,
): Optimizer {
  const average = values.slice();
  const keptAt = (step: number) => (step === 1 ? 0 : decay);
  const [state, input] = ["average", "kept"].map(stateName);
  return {
    ...optimizer,
    state: { ...optimizer.state, average },
    update(gradient, learningRate, step) {
      const norm = optimizer.update(gradient, learningRate, step);
      if (norm === 0 || !Number.isFinite(norm)) return norm;
      const kept = keptAt(step);
      for (let i = 0; i < average.length; i++) average[i] = values[i] + kept * (average[i] - values[i]);
      return norm;
    },
    onDevice: {
      append(graph, gradients) {
        const next = optimizer.onDevice.append(graph, gradients);
        const all = concat(
          ranges.map(({ path, shape }) => reshape(next[path], [size(shape)])),
          0,
        );
        const change = subtract(graph.input(state, all.shape), all);
        return { ...next, [state]: add(all, multiply(change, graph.input(input, []))) };
      },
      feeds: (learningRate, step) => ({
        ...optimizer.onDevice.feeds(learningRate, step),
        [input]: Float32Array.of(keptAt(step)),
      }),
    },
  };
}

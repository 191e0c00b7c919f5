/**
 * @file The state-regularized GRU's mixer in plain numbers.
 *
 *     u = GRU(x, h);   p = softmax over the centroids c of u . c / tau;   h = sum p c
 */

import { constructCentroids } from "./constructions/rnn-cell.ts";
import { constructedTasks } from "./constructions/task-automaton.ts";
import { dot, linear, type Rows, type Subject, sigmoid, softmax, sum, type Weights } from "./naive.ts";

interface Own {
  readonly temperature: number;
}

/** x [T][d] -> [T][d]. */
function srGruNaive(x: Rows, weights: Weights, { temperature }: Own): number[][] {
  const width = x[0].length;
  const [bias] = weights.bias;
  const [recurrentBias] = weights.recurrentBias;
  let h = new Array<number>(width).fill(0);
  return x.map((row) => {
    const given = sum(linear(row, weights.input), bias);
    const recurrent = linear(h, weights.recurrent);
    const u = h.map((before, i) => {
      const [r, z] = [i, width + i].map((at) => sigmoid(given[at] + recurrent[at]));
      const fresh = Math.tanh(given[2 * width + i] + r * (recurrent[2 * width + i] + recurrentBias[i]));
      return (1 - z) * fresh + z * before;
    });
    const p = softmax(weights.centroids.map((centroid) => dot(u, centroid) / temperature));
    h = h.map((_, i) => weights.centroids.reduce((all, centroid, k) => all + p[k] * centroid[i], 0));
    return linear(h, weights.out);
  });
}

export const subject: Subject = {
  twin: srGruNaive,
  configs: [{ centroids: 12 }, { centroids: 20, temperature: 0.5 }],
  parameters: (d, { centroids }) => 3 * d * d + 3 * d * d + 4 * d + centroids * d + d * d,
  taps: (B, T, d, { centroids }) => ({ hidden: [B, T, d], choice: [B, T, centroids] }),
  constructions: constructedTasks.map((task) => constructCentroids(task)),
};

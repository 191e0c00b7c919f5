/**
 * @file The GRU's mixer in plain numbers, unit by unit.
 *
 *     n = tanh(x Wx + b + r (h Wh + c)),   h = (1 - z) n + z h;   r, z, n in this order in the columns of the weights
 *
 * h Wh combines units of the same head only.
 */

import { constructCell, gruCell } from "./constructions/rnn-cell.ts";
import { constructedTasks } from "./constructions/task-automaton.ts";
import { linear, linearInHeads, type Rows, type Subject, sigmoid, sum, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. Runs without heads name none. */
function gruNaive(x: Rows, weights: Weights, { heads = 1 }: { readonly heads?: number }): number[][] {
  const width = x[0].length;
  const [bias] = weights.bias;
  const [recurrentBias] = weights.recurrentBias;
  let h = new Array<number>(width).fill(0);
  return x.map((row) => {
    const given = sum(linear(row, weights.input), bias);
    const recurrent = linearInHeads(h, weights.recurrent, heads);
    h = h.map((before, i) => {
      const [r, z] = [i, width + i].map((at) => sigmoid(given[at] + recurrent[at]));
      const fresh = Math.tanh(given[2 * width + i] + r * (recurrent[2 * width + i] + recurrentBias[i]));
      return (1 - z) * fresh + z * before;
    });
    return linear(h, weights.out);
  });
}

export const subject: Subject = {
  twin: gruNaive,
  configs: [{}, { heads: 2 }],
  parameters: (d, { heads: h }) => 3 * d * d + (3 * d * d) / h + 4 * d + d * d,
  taps: (B, T, d) => ({ hidden: [B, T, d] }),
  constructions: constructedTasks.map((task) => ({
    task,
    config: { heads: 1 },
    set: constructCell(task, gruCell),
  })),
};

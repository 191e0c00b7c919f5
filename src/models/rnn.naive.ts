/**
 * @file The simple recurrent network's mixer in plain numbers, unit by unit.
 *
 *     h_i = tanh((x W)_i + b_i + sum over the units j of the same head of h_j R_ji),   with the previous token's h on the right
 */

import { constructCell, elmanCell } from "./constructions/rnn-cell.ts";
import { constructedTasks } from "./constructions/task-automaton.ts";
import { linear, type Rows, type Subject, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
function rnnNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const [bias] = weights.bias;
  let h = new Array<number>(width).fill(0);
  return x.map((row) => {
    const given = linear(row, weights.input);
    h = h.map((_, unit) => {
      const first = unit - (unit % own); // of its head
      let total = given[unit] + bias[unit];
      for (let from = first; from < first + own; from++)
        total += h[from] * weights.recurrent[from][unit % own];
      return Math.tanh(total);
    });
    return linear(h, weights.out);
  });
}

export const subject: Subject = {
  twin: rnnNaive,
  configs: [{}, { heads: 2, start: "identity" }],
  parameters: (d, { heads: h }) => d * d + (d * d) / h + d + d * d,
  taps: (B, T, d) => ({ hidden: [B, T, d] }),
  constructions: constructedTasks.map((task) => ({
    task,
    config: { heads: 1 },
    set: constructCell(task, elmanCell),
  })),
};

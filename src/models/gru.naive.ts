/**
 * @file The GRU's mixer in plain numbers, unit by unit.
 *
 *     n = tanh(x Wx + b + r (h Wh + c)),   h = (1 - z) n + z h;   r, z, n stand in this order in the columns of the weights
 */

import { tasksHeld } from "./held/automaton.ts";
import { gruCell, heldInCell } from "./held/cell.ts";
import { linear, type Rows, type Subject, sigmoid, sum, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
export function gruNaive(x: Rows, weights: Weights): number[][] {
  const width = x[0].length;
  const [bias] = weights.bias;
  const [recurrentBias] = weights.recurrentBias;
  let h = new Array<number>(width).fill(0);
  return x.map((row) => {
    const given = sum(linear(row, weights.input), bias);
    const recurrent = linear(h, weights.recurrent);
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
  configs: [{}],
  parameters: (d) => 2 * d * 3 * d + 4 * d + d * d,
  taps: (B, T, d) => ({ hidden: [B, T, d] }),
  holds: tasksHeld.map((task) => ({ task, config: {}, set: heldInCell(task, gruCell) })),
};

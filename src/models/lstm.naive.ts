/**
 * @file The LSTM's mixer in plain numbers, unit by unit.
 *
 *     c_t = f c_{t-1} + i g,   h_t = o tanh(c_t);   i, f, o, g stand in this order in the columns of the weights
 */

import { tasksHeld } from "./held/automaton.ts";
import { heldInCell, lstmCell } from "./held/cell.ts";
import { convolve, linear, type Rows, type Subject, sigmoid, sum, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
export function lstmNaive(x: Rows, weights: Weights): number[][] {
  const width = x[0].length;
  let h = new Array<number>(width).fill(0);
  let c = h;
  const projected = x.map((row) => linear(row, weights.input));
  const given = weights.convolution ? convolve(projected, weights.convolution) : projected;
  return given.map((row) => {
    const [bias] = weights.bias;
    const gates = sum(sum(row, linear(h, weights.recurrent)), bias);
    c = c.map((before, n) => {
      const [i, f, g] = [gates[n], gates[width + n], gates[3 * width + n]];
      return sigmoid(f) * before + sigmoid(i) * Math.tanh(g);
    });
    h = c.map((now, n) => sigmoid(gates[2 * width + n]) * Math.tanh(now));
    return linear(h, weights.out);
  });
}

export const subject: Subject = {
  twin: lstmNaive,
  configs: [{}, { convolution: 3 }, { convolution: 1 }],
  parameters: (d, { convolution }) => 2 * d * 4 * d + 4 * d + d * d + convolution * 4 * d,
  taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d] }),
  holds: tasksHeld.map((task) => ({ task, config: { convolution: 0 }, set: heldInCell(task, lstmCell) })),
};

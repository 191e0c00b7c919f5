/**
 * @file The LSTM's mixer in plain numbers, unit by unit.
 *
 *     c_t = f c_{t-1} + i g,   h_t = o tanh(c_t);   i, f, o, g in this order in the columns of the weights
 *
 * h Wh combines units of the same head only.
 */

import { constructCell, lstmCell } from "./constructions/rnn-cell.ts";
import { constructedTasks } from "./constructions/task-automaton.ts";
import {
  convolve,
  linear,
  linearInHeads,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. Runs without heads name none. */
function lstmNaive(
  x: Rows,
  weights: Weights,
  { heads = 1 }: { readonly heads?: number },
  offered?: Map<string, Rows>,
): number[][] {
  const width = x[0].length;
  let h = new Array<number>(width).fill(0);
  let c = h;
  const projected = x.map((row) => linear(row, weights.input));
  const given = weights.convolution ? convolve(projected, weights.convolution) : projected;
  const read = given.map((row) => {
    const [bias] = weights.bias;
    const gates = sum(sum(row, linearInHeads(h, weights.recurrent, heads)), bias);
    c = c.map((before, n) => {
      const [i, f, g] = [gates[n], gates[width + n], gates[3 * width + n]];
      return sigmoid(f) * before + sigmoid(i) * Math.tanh(g);
    });
    h = c.map((now, n) => sigmoid(gates[2 * width + n]) * Math.tanh(now));
    return h;
  });
  offered?.set("readout", read);
  return read.map((row) => linear(row, weights.out));
}

export const subject: Subject = {
  twin: lstmNaive,
  configs: [{}, { heads: 2, convolution: 3 }, { convolution: 1 }],
  parameters: (d, { heads: h, convolution }) =>
    4 * d * d + (4 * d * d) / h + 4 * d + d * d + convolution * 4 * d,
  taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d] }),
  constructions: constructedTasks.map((task) => ({
    task,
    config: { heads: 1, convolution: 0 },
    set: constructCell(task, lstmCell),
  })),
};

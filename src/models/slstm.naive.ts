/**
 * @file The sLSTM's mixer in plain numbers, unit by unit, without a stabilizer, as float64 suffices.
 *
 *     c = sigmoid(f) c + e^i tanh(z);   n = sigmoid(f) n + e^i;   h = sigmoid(o) c / n;   columns in the order i, f, z, o
 */

import { constructCell, slstmCell } from "./constructions/rnn-cell.ts";
import { constructedTasks } from "./constructions/task-automaton.ts";
import { linear, type Rows, rmsNorm, type Subject, sigmoid, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
function slstmNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const [[bias], [scale]] = [weights.bias, weights.norm];
  let h = new Array<number>(width).fill(0);
  const [c, n] = [h.slice(), h.slice()];
  return x.map((row) => {
    const given = linear(row, weights.input);
    const before = h;
    h = before.map((_, unit) => {
      const head = Math.floor(unit / own);
      const gate = (which: number) => {
        let total = given[which * width + unit] + bias[which * width + unit];
        // Only the units of the same head are visible.
        for (let from = head * own; from < (head + 1) * own; from++)
          total += before[from] * weights.recurrent[from][which * own + (unit % own)];
        return total;
      };
      const [write, keep] = [Math.exp(gate(0)), sigmoid(gate(1))];
      c[unit] = keep * c[unit] + write * Math.tanh(gate(2));
      n[unit] = keep * n[unit] + write;
      return (sigmoid(gate(3)) * c[unit]) / n[unit];
    });
    const normed = Array.from({ length: heads }, (_, head) =>
      rmsNorm(h.slice(head * own, (head + 1) * own), scale),
    );
    return linear(normed.flat(), weights.out);
  });
}

export const subject: Subject = {
  twin: slstmNaive,
  configs: [{}, { heads: 1 }],
  parameters: (d, { heads: h }) => 4 * d * d + (4 * d * d) / h + 4 * d + d / h + d * d,
  taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d], normalizer: [B, T, d] }),
  // Two heads of 16 units are not enough for six states of S_3 by three swaps.
  constructions: constructedTasks
    .filter(({ generators }) => generators !== "swaps")
    .map((task) => ({ task, config: { heads: 2 }, set: constructCell(task, slstmCell) })),
};

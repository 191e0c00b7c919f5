/**
 * @file S5's mixer in plain numbers, token by token, each complex number as its real and its imaginary part.
 *
 *     h_n = e^(D_n A_n) h_n + (e^(D_n A_n) - 1) / A_n (x B)_n;   y = 2 Re sum_n C_n h_n + skip x;   A_n = -e^(r_n) + i w_n
 */

import { linear, type Rows, type Subject, type Weights } from "./naive.ts";
import { type Complex, gatedGelu, over, times } from "./s4d.naive.ts";

/** x [T][d] -> [T][d]. */
function s5Naive(x: Rows, weights: Weights): number[][] {
  const [[logRate], [frequency], [logStep], [skip]] = ["logRate", "frequency", "logStep", "skip"].map(
    (name) => weights[name],
  );
  const pairs = frequency.length;
  let h = frequency.map((): Complex => [0, 0]);
  return x.map((row) => {
    const written = linear(row, weights.write);
    h = h.map((before, n) => {
      const A: Complex = [-Math.exp(logRate[n]), frequency[n]];
      const step = Math.exp(logStep[n]);
      const size = Math.exp(step * A[0]);
      const move: Complex = [size * Math.cos(step * A[1]), size * Math.sin(step * A[1])];
      const [re, im] = times(move, before);
      const [addRe, addIm] = times(over([move[0] - 1, move[1]], A), [written[n], written[pairs + n]]);
      return [re + addRe, im + addIm];
    });
    const read = row.map((u, channel) => {
      const y = h.reduce(
        (sum, each, n) =>
          sum + 2 * times([weights.read[n][channel], weights.read[pairs + n][channel]], each)[0],
        0,
      );
      return y + skip[channel] * u;
    });
    return gatedGelu(read, weights.out);
  });
}

export const subject: Subject = {
  twin: s5Naive,
  configs: [{ stateSize: 4 }, { stateSize: 10 }],
  parameters: (d, { stateSize: N }) => 3 * (N / 2) + 2 * d * N + d + 2 * d * d,
  taps: (B, T, _d, { stateSize: N }) => ({ hidden: [B, T, N / 2, 2] }),
};

/**
 * @file S4D's mixer in plain numbers, token by token, each complex number as its real and its imaginary part.
 *
 *     h_n = e^(D A_n) h_n + x;   y = 2 Re sum_n C_n (e^(D A_n) - 1) / A_n h_n + skip x;   A_n = -e^(r_n) + i w_n
 */

import { linear, type Row, type Rows, type Subject, sigmoid, type Weights } from "./naive.ts";

/** A real and an imaginary part. */
export type Complex = readonly [number, number];

export const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
export const over = (x: Complex, [c, d]: Complex): Complex =>
  times(x, [c / (c * c + d * d), -d / (c * c + d * d)]);

/** out = a o sigmoid(b),   a, b = gelu(y) W          gelu(z) = z sigmoid(1.702 z) */
export function gatedGelu(y: Row, W: Rows): number[] {
  const both = linear(
    y.map((each) => each * sigmoid(1.702 * each)),
    W,
  );
  return y.map((_, i) => both[i] * sigmoid(both[y.length + i]));
}

/** x [T][d] -> [T][d]. */
function s4dNaive(x: Rows, weights: Weights): number[][] {
  const width = x[0].length;
  const pairs = weights.read.length / 2;
  const [[logRate], [frequency], [logStep], [skip]] = ["logRate", "frequency", "logStep", "skip"].map(
    (name) => weights[name],
  );
  const h = Array.from({ length: width }, () => Array.from({ length: pairs }, (): Complex => [0, 0]));
  return x.map((row) => {
    const read = row.map((u, channel) => {
      const step = Math.exp(logStep[channel]);
      const y = h[channel].reduce((total, before, n) => {
        const A: Complex = [-Math.exp(logRate[n * width + channel]), frequency[n * width + channel]];
        const size = Math.exp(step * A[0]);
        const move: Complex = [size * Math.cos(step * A[1]), size * Math.sin(step * A[1])];
        const [re, im] = times(move, before);
        const after: Complex = [re + u, im];
        h[channel][n] = after;
        const C: Complex = [weights.read[n][channel], weights.read[pairs + n][channel]];
        return total + 2 * times(times(C, over([move[0] - 1, move[1]], A)), after)[0];
      }, 0);
      return y + skip[channel] * u;
    });
    return gatedGelu(read, weights.out);
  });
}

export const subject: Subject = {
  twin: s4dNaive,
  configs: [{ stateSize: 4 }, { stateSize: 6, start: "inv", chunk: 5 }],
  parameters: (d, { stateSize: N }) => 2 * (N / 2) * d + d + N * d + d + 2 * d * d,
  taps: () => ({}),
};

/**
 * @file The long convolution's mixer in plain numbers, tap by tap.
 *
 *     y_t = sum over lags l < L of squash(K)_l x_{t-l} + skip x_t;   squash(k): soft thresholding by q
 */

import { linear, type Rows, type Subject, sigmoid, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
function longConvolutionNaive(
  x: Rows,
  weights: Weights,
  { squash }: { readonly squash: number },
): number[][] {
  const [skip] = weights.skip;
  const taps = weights.filter.length;
  const weight = (lag: number, channel: number) => {
    const k = weights.filter[taps - 1 - lag][channel];
    if (Math.abs(k) <= squash) return 0;
    return k > 0 ? k - squash : k + squash;
  };
  return x.map((row, t) => {
    const active = row.map((now, channel) => {
      let y = skip[channel] * now;
      for (let lag = 0; lag < taps && lag <= t; lag++) y += weight(lag, channel) * x[t - lag][channel];
      return y * sigmoid(1.702 * y);
    });
    const both = linear(active, weights.out);
    return row.map((_, i) => both[i] * sigmoid(both[row.length + i]));
  });
}

export const subject: Subject = {
  twin: longConvolutionNaive,
  configs: [{}, { taps: 5, squash: 0.01 }],
  parameters: (d, { taps }) => taps * d + d + 2 * d * d,
  taps: () => ({}),
};

/**
 * @file Mamba-2's mixer in plain numbers: one channel c of head g, and one state entry n, at a time.
 *
 *     S_cn = a_g S_cn + D_g B_n u_c,   a_g = e^(-D_g e^(r_g));   y_c = sum_n S_cn C_n + skip_g u_c
 */

import {
  convolve,
  linear,
  product,
  type Rows,
  rmsNorm,
  type Subject,
  silu,
  softplus,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function mamba2Naive(
  x: Rows,
  weights: Weights,
  { heads, stateSize: N }: { readonly heads: number; readonly stateSize: number },
): number[][] {
  const channels = weights.out.length;
  const inner = channels + 2 * N;
  const [[convolutionBias], [stepBias], [logRate], [skip], [scale]] = [
    weights.convolutionBias,
    weights.stepBias,
    weights.logRate,
    weights.skip,
    weights.norm,
  ];
  const projected = x.map((row) => linear(row, weights.input));
  const driving = projected.map((row) => row.slice(channels, channels + inner));
  const convolved = weights.convolution ? convolve(driving, weights.convolution) : driving;
  const S = Array.from({ length: channels }, () => new Array<number>(N).fill(0));
  return convolved.map((row, t) => {
    const both = sum(row, convolutionBias).map(silu);
    const steps = sum(projected[t].slice(channels + inner), stepBias).map(softplus);
    const y = S.map((state, c) => {
      const g = Math.floor((c * heads) / channels);
      const a = Math.exp(-steps[g] * Math.exp(logRate[g]));
      let read = skip[g] * both[c];
      for (const n of state.keys()) {
        state[n] = a * state[n] + steps[g] * both[channels + n] * both[c];
        read += state[n] * both[channels + N + n];
      }
      return read;
    });
    const gated = product(y, projected[t].slice(0, channels).map(silu));
    return linear(rmsNorm(gated, scale), weights.out);
  });
}

export const subject: Subject = {
  twin: mamba2Naive,
  configs: [{ stateSize: 5 }, { heads: 4, stateSize: 3, expansion: 1, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, stateSize: N, expansion, convolution }) => {
    const e = expansion * d;
    return d * (2 * e + 2 * N + h) + (convolution + 1) * (e + 2 * N) + 3 * h + e + e * d;
  },
  taps: (B, T, _d, { heads: h, stateSize: N }) => ({
    step: [B, T, h],
    decay: [B, T, h],
    write: [B, T, N],
    read: [B, T, N],
  }),
  headWidth: (d, { heads: h, expansion }) => (expansion * d) / h,
};

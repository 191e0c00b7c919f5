/**
 * @file Mamba's mixer in plain numbers: channel c by channel, state entry n by entry.
 *
 *     h_cn = a h_cn + D_c u_c B_n,   a = e^(-D_c e^(r_nc)) or 2 e^(-D_c e^(r_nc)) - 1;   y_c = sum_n h_cn C_n + skip_c u_c
 */

import { constructParityBySign } from "./constructions/parity.ts";
import {
  convolve,
  linear,
  product,
  type Rows,
  type Subject,
  silu,
  softplus,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function mambaNaive(
  x: Rows,
  weights: Weights,
  { transition, stateSize }: { readonly transition: "[0,1]" | "[-1,1]"; readonly stateSize: number },
): number[][] {
  const channels = weights.out.length;
  const rank = weights.step.length;
  const [[convolutionBias], [stepBias], [logRate], [skip]] = [
    weights.convolutionBias,
    weights.stepBias,
    weights.logRate,
    weights.skip,
  ];
  const projected = x.map((row) => linear(row, weights.input));
  const driving = projected.map((row) => row.slice(0, channels));
  const convolved = weights.convolution ? convolve(driving, weights.convolution) : driving;
  const h = Array.from({ length: channels }, () => new Array<number>(stateSize).fill(0));
  return convolved.map((row, t) => {
    const u = sum(row, convolutionBias).map(silu);
    const selection = linear(u, weights.selection);
    const step = sum(linear(selection.slice(0, rank), weights.step), stepBias).map(softplus);
    const y = h.map((state, c) => {
      let read = skip[c] * u[c];
      for (const n of state.keys()) {
        const decay = Math.exp(-step[c] * Math.exp(logRate[n * channels + c]));
        const a = transition === "[0,1]" ? decay : 2 * decay - 1;
        state[n] = a * state[n] + step[c] * u[c] * selection[rank + n];
        read += state[n] * selection[rank + stateSize + n];
      }
      return read;
    });
    return linear(product(y, projected[t].slice(channels).map(silu)), weights.out);
  });
}

const reflecting = { transition: "[-1,1]", stateSize: 16, expansion: 2, convolution: 0 };

export const subject: Subject = {
  twin: mambaNaive,
  configs: [{}, { transition: "[0,1]", stateSize: 3, expansion: 1, convolution: 0 }],
  parameters: (d, { stateSize: N, expansion, convolution }) => {
    const [e, rank] = [expansion * d, Math.ceil(d / 16)];
    return 3 * d * e + convolution * e + e + e * (rank + 2 * N) + rank * e + e + N * e + e;
  },
  taps: (B, T, d, { stateSize: N, expansion }) => ({
    step: [B, T, expansion * d],
    write: [B, T, N],
    read: [B, T, N],
  }),
  headWidth: (d, { expansion }) => expansion * d,
  constructions: [{ task: { name: "parity" }, config: reflecting, set: constructParityBySign }],
};

/**
 * @file The Transformer's mixer in plain numbers: each query looks back over all keys, one by one.
 *
 *     o_t = sum_{s <= t} e^(q_t' k_s / sqrt(dk)) v_s / sum_{s <= t} e^(q_t' k_s / sqrt(dk))
 *
 * Position t rotates channels i and i + dk/2, as one complex number, by the angle t base^(-2i/dk).
 */

import {
  dot,
  linear,
  projections,
  queryKeyValue,
  type Row,
  type Rows,
  type Subject,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function transformerNaive(
  x: Rows,
  weights: Weights,
  { heads, rotaryBase }: { readonly heads: number; readonly rotaryBase: number },
  offered?: Map<string, Rows>,
): number[][] {
  const read = projections(x, weights, heads, false).map(({ q, k, v }) => {
    const keys = k.map((key, s) => turned(key, s, rotaryBase));
    return q.map((query, t) => {
      const here = turned(query, t, rotaryBase);
      const scores = keys.slice(0, t + 1).map((key) => dot(here, key) / Math.sqrt(key.length));
      const largest = Math.max(...scores); // e^1000 would overflow
      const shares = scores.map((score) => Math.exp(score - largest));
      const total = shares.reduce((a, b) => a + b, 0);
      return v[0].map((_, i) => shares.reduce((o, share, s) => o + (share / total) * v[s][i], 0));
    });
  });
  const joined = x.map((_, t) => read.flatMap((o) => o[t]));
  offered?.set("readout", joined);
  return joined.map((row) => linear(row, weights.out));
}

function turned(x: Row, position: number, base: number): number[] {
  const half = x.length / 2;
  return x.map((_, channel) => {
    const i = channel % half;
    const angle = position * base ** ((-2 * i) / x.length);
    const [real, imaginary] = [x[i], x[i + half]];
    return channel < half
      ? real * Math.cos(angle) - imaginary * Math.sin(angle)
      : real * Math.sin(angle) + imaginary * Math.cos(angle);
  });
}

export const subject: Subject = {
  twin: transformerNaive,
  configs: [{}, { heads: 1, convolution: 4, rotaryBase: 100 }, { heads: 4, convolution: 1 }],
  parameters: (d, { convolution }) => 4 * d * d + convolution * 3 * d,
  taps: (B, T, d, { heads: h }) => queryKeyValue(B, T, d, h),
};

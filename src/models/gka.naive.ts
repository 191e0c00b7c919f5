/**
 * @file Gated KalmaNet's mixer in plain numbers, step by step, its regression solved by elimination.
 *
 *     H = a H + b^2 k k',  U = a U + b^2 k v';   z = (H + ridge |H| I)^-1 q;   y_t = (norm(U' (q + p (z - q))) o silu(x_t Wg)) Wo
 */

import { ridgeMemoryNaive } from "../tensor/ridge-memory.naive.ts";
import {
  gatedOutput,
  linear,
  logDecays,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  unit,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly ridge: number;
}

/** x [T][d] -> [T][d]. */
function gkaNaive(x: Rows, weights: Weights, { heads, ridge }: Own): number[][] {
  const strengths = x.map((row) => linear(row, weights.strength).map(sigmoid)); // [T][h]
  const shares = x.map((row) => sum(linear(row, weights.share), weights.shareBias[0]).map(sigmoid)); // [T][h]
  const decays = logDecays(x, weights); // [T][h]
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const asked = q.map((row) => unit(row).map((each) => each / Math.sqrt(row.length)));
    const of = (rows: Rows) => rows.map((row) => row[head]);
    const written = (rows: Rows) => rows.map((row, t) => row.map((each) => each * strengths[t][head]));
    const [keys, values] = [written(k.map(unit)), written(v)];
    return ridgeMemoryNaive(asked, keys, values, of(decays), of(shares), { ridge, relative: true }); // [T][dv]
  });
  return gatedOutput(x, read, weights);
}

export const subject: Subject = {
  twin: gkaNaive,
  configs: [{}, { heads: 1, ridge: 0.1, iterations: 30, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, convolution }) => 5 * d * d + 3 * h * d + 3 * h + convolution * 3 * d + d / h,
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    strength: [B, T, h],
    share: [B, T, h],
    decay: [B, T, h],
  }),
};

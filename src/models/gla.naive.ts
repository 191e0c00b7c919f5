/**
 * @file Gated linear attention's mixer in plain numbers, step by step.
 *
 *     S_t = diag(a_t) S_{t-1} + k_t v_t',   a = sigmoid(x Wdown Wup + c)^(1/16) or 1;   y_t = (norm(S_t' q_t / sqrt(dk)) o silu(x_t Wg)) Wo
 */

import { dplrNaive } from "../tensor/dplr.naive.ts";
import {
  gatedOutput,
  linear,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function glaNaive(
  x: Rows,
  weights: Weights,
  { heads, decay }: { readonly heads: number; readonly decay: boolean },
): number[][] {
  const own = x[0].length / heads;
  const logs = x.map((row) => {
    if (!decay) return row.map(() => 0);
    const logits = sum(
      linear(linear(row, weights["decay.down"]), weights["decay.up"]),
      weights["decay.bias"][0],
    );
    return logits.map((each) => Math.log(sigmoid(each)) / 16);
  });
  const read = projections(x, weights, heads, false).map(({ q, k, v }, head) => {
    const scaled = q.map((row) => row.map((each) => each / Math.sqrt(own)));
    const ofHead = logs.map((row) => row.slice(head * own, (head + 1) * own));
    return dplrNaive(scaled, k, v, ofHead); // [T][dv]
  });
  return gatedOutput(x, read, weights);
}

export const subject: Subject = {
  twin: glaNaive,
  configs: [{}, { heads: 1, decay: false, convolution: 4, chunk: 3 }],
  parameters: (d, { heads: h, decay, convolution }) =>
    5 * d * d + Number(decay) * (2 * 16 * d + d) + convolution * 3 * d + d / h,
  taps: (B, T, d, { heads: h, decay }) => ({
    ...queryKeyValue(B, T, d, h),
    ...(decay && { decay: [B, T, d] }),
  }),
};

/**
 * @file Gated linear attention's mixer in plain numbers, step by step.
 *
 *     S_t = diag(a_t) S_{t-1} + k_t v_t',   a = sigmoid(x Wdown Wup + c)^(1/16) or 1;   y_t = (norm(S_t' q_t / sqrt(dk)) o silu(x_t Wg)) Wo
 */

import { dplrNaive } from "../tensor/dplr.naive.ts";
import {
  type Fields,
  gatedOutput,
  layerParameters,
  linear,
  memoryWidths,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  sum,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function glaNaive(
  x: Rows,
  weights: Weights,
  { heads, decay }: { readonly heads: number; readonly decay: boolean },
): number[][] {
  const own = (weights.qkv[0].length - weights.out.length) / 2 / heads;
  const logs = x.map((row) => {
    if (!decay) return new Array<number>(heads * own).fill(0);
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

const keysOf = (d: number, own: Fields) => own.heads * memoryWidths(d, own).dk;

export const subject: Subject = {
  twin: glaNaive,
  configs: [
    { expandK: 0.5, expandV: 2 },
    { heads: 1, decay: false, convolution: 4, chunk: 3, outputGate: false },
  ],
  parameters: (d, own) => layerParameters(d, own) + Number(own.decay) * (16 * d + 17 * keysOf(d, own)),
  taps: (B, T, d, own) => ({
    ...queryKeyValue(B, T, d, own.heads, own),
    ...(own.decay && { decay: [B, T, keysOf(d, own)] }),
  }),
  headWidth: valueWidth,
};

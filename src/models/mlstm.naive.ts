/**
 * @file The mLSTM's mixer in plain numbers, step by step, without a stabilizer.
 *
 *     S = f S + e^i k v';   n = f n + e^i k;   h = S' q / max(|n' q|, 1);   y = (norm(h) o sigmoid(x Wo + c)) Wout
 */

import { matrixMemoryNaive } from "../tensor/matrix-memory.naive.ts";
import {
  gatedOutput,
  linear,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  softplus,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function mlstmNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const [gatesBias] = weights.gatesBias;
  const gates = x.map((row) => sum(linear(row, weights.gates), gatesBias)); // [T][2h]
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const scaled = q.map((row) => row.map((each) => each / Math.sqrt(row.length)));
    const input = gates.map((row) => row[head]);
    const logForget = gates.map((row) => -softplus(-row[heads + head]));
    return matrixMemoryNaive(scaled, k, v, input, logForget); // [T][dv]
  });
  return gatedOutput(x, read, weights, (row) =>
    sum(linear(row, weights.outputGate), weights.outputGateBias[0]).map(sigmoid),
  );
}

export const subject: Subject = {
  twin: mlstmNaive,
  configs: [{}, { heads: 1, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, convolution }) =>
    5 * d * d + 2 * h * d + 2 * h + convolution * 3 * d + d / h + d,
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    input: [B, T, h],
    forget: [B, T, h],
  }),
};

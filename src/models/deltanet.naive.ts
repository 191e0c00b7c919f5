/**
 * @file DeltaNet's mixer in plain numbers: the recurrence of `deltanet.ts`, step by step.
 *
 *     S_t = S_{t-1} + b_t k_t (v_t - S_{t-1}' k_t)',   o_t = S_t' q_t / sqrt(dk)
 */

import { deltaRuleNaive } from "../tensor/delta-rule.naive.ts";
import { constructReflections } from "./constructions/delta-two-layer.ts";
import {
  gatedOutput,
  layerParameters,
  linear,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  unit,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
export function deltanetNaive(
  x: Rows,
  weights: Weights,
  { heads, betaMax }: { readonly heads: number; readonly betaMax: number },
  offered?: Map<string, Rows>,
): number[][] {
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each))); // [T][h]
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const scaled = q.map((row) => unit(row).map((each) => each / Math.sqrt(row.length)));
    const beta = betas.map((row) => row[head]);
    return deltaRuleNaive(scaled, k.map(unit), v, beta); // [T][dv]
  });
  return gatedOutput(x, read, weights, undefined, offered);
}

export const subject: Subject = {
  twin: deltanetNaive,
  configs: [
    {},
    { betaMax: 1, convolution: 0, expandK: 0.5, expandV: 1.5, outputGate: true },
    { convolution: 1, chunk: 1 },
    { heads: 1, chunk: 3 },
    { convolution: 0, feedForward: 0 },
  ],
  parameters: (d, own) => layerParameters(d, own) + own.heads * d,
  taps: (B, T, d, own) => ({ ...queryKeyValue(B, T, d, own.heads, own), beta: [B, T, own.heads] }),
  headWidth: valueWidth,
  constructions: constructReflections(),
};

/**
 * @file Gated DeltaNet's mixer in plain numbers, step by step.
 *
 *     S_t = a_t S_{t-1} + b_t k_t (v_t - a_t S_{t-1}' k_t)',   y_t = (norm(S_t' q_t / sqrt(dk)) o silu(x_t Wg)) Wo
 */

import { gatedDeltaRuleNaive } from "../tensor/gated-delta-rule.naive.ts";
import { openGates } from "./constructions/delta-rule.ts";
import { constructReflections } from "./constructions/delta-two-layer.ts";
import {
  linear,
  logDecays,
  product,
  projections,
  queryKeyValue,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  silu,
  unit,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function gatedDeltanetNaive(
  x: Rows,
  weights: Weights,
  { heads, betaMax }: { readonly heads: number; readonly betaMax: number },
  offered?: Map<string, Rows>,
): number[][] {
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each))); // [T][h]
  const decays = logDecays(x, weights); // [T][h]
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const scaled = q.map((row) => unit(row).map((each) => each / Math.sqrt(row.length)));
    const of = (rows: Rows) => rows.map((row) => row[head]);
    return gatedDeltaRuleNaive(scaled, k.map(unit), v, of(betas), of(decays)); // [T][dv]
  });
  const [scale] = weights.norm;
  const joined = x.map((_, t) => read.flatMap((o) => rmsNorm(o[t], scale)));
  offered?.set("readout", joined);
  return x.map((row, t) => linear(product(joined[t], linear(row, weights.gate).map(silu)), weights.out));
}

export const subject: Subject = {
  twin: gatedDeltanetNaive,
  configs: [{}, { heads: 1, betaMax: 1, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, convolution }) => 5 * d * d + 2 * h * d + 2 * h + convolution * 3 * d + d / h,
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    beta: [B, T, h],
    decay: [B, T, h],
  }),
  constructions: constructReflections({ extra: openGates, gain: silu(10) }),
};

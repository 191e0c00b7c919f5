/**
 * @file Gated DeltaNet's mixer in plain numbers, step by step.
 *
 *     S_t = a_t S_{t-1} + b_t k_t (v_t - a_t S_{t-1}' k_t)',   y_t = (norm(S_t' q_t / sqrt(dk)) o silu(x_t Wg)) Wo
 */

import { gatedDeltaRuleNaive } from "../tensor/gated-delta-rule.naive.ts";
import { openGates } from "./constructions/delta-rule.ts";
import { constructReflections } from "./constructions/delta-two-layer.ts";
import {
  gatedOutput,
  layerParameters,
  linear,
  logDecays,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  silu,
  unit,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function gatedDeltanetNaive(
  x: Rows,
  weights: Weights,
  own: { readonly heads: number; readonly keyHeads?: number; readonly betaMax: number },
  offered?: Map<string, Rows>,
): number[][] {
  const { heads, keyHeads, betaMax } = own;
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each))); // [T][h]
  const decays = logDecays(x, weights); // [T][h]
  const read = projections(x, weights, heads, true, keyHeads).map(({ q, k, v }, head) => {
    const scaled = q.map((row) => unit(row).map((each) => each / Math.sqrt(row.length)));
    const of = (rows: Rows) => rows.map((row) => row[head]);
    return gatedDeltaRuleNaive(scaled, k.map(unit), v, of(betas), of(decays)); // [T][dv]
  });
  return gatedOutput(x, read, weights, undefined, offered);
}

export const subject: Subject = {
  twin: gatedDeltanetNaive,
  configs: [
    {},
    { heads: 4, keyHeads: 2, expandV: 2, chunk: 8 },
    { heads: 1, betaMax: 1, convolution: 0, chunk: 3, outputGate: false },
  ],
  parameters: (d, own) => layerParameters(d, own) + 2 * own.heads * (d + 1),
  taps: (B, T, d, own) => ({
    ...queryKeyValue(B, T, d, own.heads, own),
    beta: [B, T, own.heads],
    decay: [B, T, own.heads],
  }),
  headWidth: valueWidth,
  constructions: constructReflections({ extra: openGates, gain: silu(10) }),
};

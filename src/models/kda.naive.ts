/**
 * @file Kimi Delta Attention's mixer in plain numbers, step by step.
 *
 *     S = diag(a_t) S;  S = S + b_t k_t (v_t - S' k_t)';   y_t = (norm(S' q_t / sqrt(dk)) o sigmoid(x_t Gdown Gup)) Wo
 */

import { openLowRankGates } from "./constructions/delta-rule.ts";
import { constructReflections } from "./constructions/delta-two-layer.ts";
import {
  dot,
  gatedOutput,
  linear,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  softplus,
  sum,
  unit,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function kdaNaive(
  x: Rows,
  weights: Weights,
  { heads, betaMax }: { readonly heads: number; readonly betaMax: number },
): number[][] {
  const own = x[0].length / heads;
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each))); // [T][h]
  const [[bias], [logRate]] = [weights["decay.bias"], weights["decay.logRate"]];
  const decays = x.map((row) => {
    const steps = sum(linear(linear(row, weights["decay.down"]), weights["decay.up"]), bias).map(softplus);
    return steps.map((step, i) => Math.exp(-Math.exp(logRate[Math.floor(i / own)]) * step));
  }); // [T][d]
  const read = projections(x, weights, heads, true).map(({ q, k, v }, head) => {
    const S = Array.from({ length: own }, () => new Array<number>(own).fill(0)); // [dv][dk]
    return q.map((query, t) => {
      const key = unit(k[t]);
      for (const [j, row] of S.entries()) {
        for (const i of row.keys()) row[i] *= decays[t][head * own + i];
        const error = v[t][j] - dot(row, key);
        for (const i of row.keys()) row[i] += betas[t][head] * error * key[i];
      }
      return S.map((row) => dot(row, unit(query)) / Math.sqrt(own));
    });
  });
  return gatedOutput(x, read, weights, (row) =>
    linear(linear(row, weights["gate.down"]), weights["gate.up"]).map(sigmoid),
  );
}

export const subject: Subject = {
  twin: kdaNaive,
  configs: [{}, { heads: 1, betaMax: 1, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, convolution }) =>
    4 * d * d + h * d + (4 * d * d) / h + d + h + convolution * 3 * d + d / h,
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    beta: [B, T, h],
    decay: [B, T, d],
  }),
  constructions: constructReflections({ extra: openLowRankGates(2), gain: 1 }),
};

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
  layerParameters,
  linear,
  memoryWidths,
  projections,
  queryKeyValue,
  type Rows,
  type Subject,
  sigmoid,
  softplus,
  sum,
  unit,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function kdaNaive(
  x: Rows,
  weights: Weights,
  { heads, keyHeads, betaMax }: Readonly<Record<"heads" | "keyHeads" | "betaMax", number>>,
): number[][] {
  const own = weights["decay.up"][0].length / heads;
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each))); // [T][h]
  const [[bias], [logRate]] = [weights["decay.bias"], weights["decay.logRate"]];
  const decays = x.map((row) => {
    const steps = sum(linear(linear(row, weights["decay.down"]), weights["decay.up"]), bias).map(softplus);
    return steps.map((step, i) => Math.exp(-Math.exp(logRate[Math.floor(i / own)]) * step));
  }); // [T][d]
  const read = projections(x, weights, heads, true, keyHeads).map(({ q, k, v }, head) => {
    const S = v[0].map(() => new Array<number>(own).fill(0)); // [dv][dk]
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
  return gatedOutput(x, read, weights, (row) => {
    const logits = linear(linear(row, weights["gate.down"]), weights["gate.up"]);
    const [gateBias] = weights["gate.bias"] ?? [logits.map(() => 0)];
    return sum(logits, gateBias).map(sigmoid);
  });
}

export const subject: Subject = {
  twin: kdaNaive,
  configs: [
    { expandV: 2 },
    { heads: 2, keyHeads: 1, expandK: 0.5, gateBias: true, betaMax: 1, convolution: 0, chunk: 3 },
  ],
  parameters(d, own) {
    const { dk, dv } = memoryWidths(d, own);
    const [keys, values] = [own.heads * dk, own.heads * dv];
    const lowRanks = dv * (d + keys) + dv * (d + values);
    return layerParameters(d, own) + own.heads * (d + 1) + lowRanks + keys + Number(own.gateBias) * values;
  },
  taps: (B, T, d, own) => ({
    ...queryKeyValue(B, T, d, own.heads, own),
    beta: [B, T, own.heads],
    decay: [B, T, own.heads * memoryWidths(d, own).dk],
  }),
  headWidth: valueWidth,
  constructions: constructReflections({ extra: openLowRankGates(2), gain: 1 }),
};

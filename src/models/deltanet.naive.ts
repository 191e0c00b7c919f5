/**
 * @file DeltaNet's mixer in plain numbers: the recurrence of `deltanet.ts`, step by step.
 *
 *     S_t = S_{t-1} + b_t k_t (v_t - S_{t-1}' k_t)',   o_t = S_t' q_t / sqrt(dk)
 */

import { deltaRuleNaive } from "../tensor/delta-rule.naive.ts";
import { heldParity, heldStrings, heldWords } from "./held/delta.ts";
import { heldInTwoLayers, heldThirdsInTwoLayers } from "./held/two-layers.ts";
import {
  linear,
  projections,
  queryKeyValue,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  unit,
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
  const [scale] = weights.norm;
  const joined = x.map((_, t) => read.flatMap((o) => rmsNorm(o[t], scale)));
  offered?.set("readout", joined);
  return joined.map((row) => linear(row, weights.out));
}

const reflecting = { heads: 2, betaMax: 2, convolution: 0 };

export const subject: Subject = {
  twin: deltanetNaive,
  configs: [
    {},
    { betaMax: 1, convolution: 0 },
    { convolution: 1, chunk: 1 },
    { heads: 1, chunk: 3 },
    { convolution: 0, feedForward: 0 },
  ],
  parameters: (d, { heads: h, convolution }) => 4 * d * d + h * d + convolution * 3 * d + d / h,
  taps: (B, T, d, { heads: h }) => ({ ...queryKeyValue(B, T, d, h), beta: [B, T, h] }),
  holds: [
    { task: { name: "parity" }, config: reflecting, set: heldParity({ heads: 2, mirrors: 1 }) },
    ...["S_3", "S_5"].map((group) => ({
      task: { name: "group-words", group, generators: "swaps" },
      config: reflecting,
      set: heldWords(group, { heads: 2, mirrors: 1 }),
    })),
    {
      task: { name: "tomita", language: 5 },
      config: reflecting,
      set: heldStrings(5, { heads: 2, mirrors: 1 }),
    },
    {
      task: { name: "group-words", group: "S_3" },
      config: { ...reflecting, layers: 2 },
      set: heldInTwoLayers(),
    },
    {
      task: { name: "tomita", language: 6 },
      config: { ...reflecting, layers: 2 },
      set: heldThirdsInTwoLayers(),
    },
  ],
};

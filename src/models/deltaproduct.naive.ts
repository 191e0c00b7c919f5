/**
 * @file DeltaProduct's mixer in plain numbers: per token the memory decays once, takes n steps, and is read once.
 *
 *     S = a_t S;  for j = 1 .. n: S = S + b_tj k_tj (v_tj - S' k_tj)';   o_t = S' q_t / sqrt(dk)
 */

import { constructParity, constructStrings, constructWords } from "./constructions/delta-rule.ts";
import {
  convolve,
  linear,
  logDecays,
  type Rows,
  rmsNorm,
  type Subject,
  sigmoid,
  silu,
  unit,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function deltaproductNaive(
  x: Rows,
  weights: Weights,
  own: { readonly heads: number; readonly householders: number; readonly betaMax: number },
): number[][] {
  const { heads, householders, betaMax } = own;
  const width = x[0].length;
  const dk = width / heads;
  const projected = x.map((row) => linear(row, weights.qkv));
  const convolved = weights.convolution ? convolve(projected, weights.convolution) : projected;
  const mixed = convolved.map((row) => row.map(silu));
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each)));
  const decays = weights["decay.weight"] && logDecays(x, weights);
  const memories = Array.from({ length: heads }, () =>
    Array.from({ length: dk }, () => new Array<number>(dk).fill(0)),
  ); // [h][dk][dv]
  const [scale] = weights.norm;
  return x.map((_, t) => {
    const joined = memories.flatMap((S, head) => {
      const part = (start: number) => mixed[t].slice(start + head * dk, start + (head + 1) * dk);
      const recall = (key: readonly number[]) =>
        key.map((_, j) => S.reduce((o, row, i) => o + row[j] * key[i], 0));
      const a = decays === undefined ? 1 : Math.exp(decays[t][head]);
      for (const row of S) for (const j of row.keys()) row[j] *= a;
      for (let n = 0; n < householders; n++) {
        const k = unit(part((1 + n) * width));
        const v = part((1 + householders + n) * width);
        const recalled = recall(k);
        const beta = betas[t][n * heads + head];
        for (const [i, row] of S.entries())
          for (const j of row.keys()) row[j] += beta * k[i] * (v[j] - recalled[j]);
      }
      const o = recall(unit(part(0)).map((each) => each / Math.sqrt(dk)));
      return rmsNorm(o, scale);
    });
    return linear(joined, weights.out);
  });
}

export const subject: Subject = {
  twin: deltaproductNaive,
  configs: [{}, { heads: 1, householders: 3, betaMax: 1, decay: true, convolution: 1, chunk: 5 }],
  parameters: (d, { heads: h, householders: n, decay, convolution }) =>
    (2 + 2 * n) * d * d + n * h * d + (decay ? h * d + 2 * h : 0) + convolution * (1 + 2 * n) * d + d / h,
  taps: (B, T, d, { heads: h, householders: n, decay }) => ({
    query: [B, T, h, d / h],
    key: [B, T, n * h, d / h],
    value: [B, T, n * h, d / h],
    beta: [B, T, n * h],
    ...(decay && { decay: [B, T, h] }),
  }),
  constructions: [2, 4].flatMap((householders) => {
    const config = { heads: 2, betaMax: 2, householders, convolution: 0 };
    const shape = { heads: 2, mirrors: householders };
    const words = ["Z_3", "S_3", "A_5", ...(householders === 4 ? ["S_5"] : [])].map((group) => ({
      task: { name: "group-words", group },
      config,
      set: constructWords(group, shape),
    }));
    const swaps = ["S_3", "S_5"].map((group) => ({
      task: { name: "group-words", group, generators: "swaps" },
      config,
      set: constructWords(group, shape),
    }));
    const strings = ([5, 6] as const).map((language) => ({
      task: { name: "tomita", language },
      config,
      set: constructStrings(language, shape),
    }));
    return [
      { task: { name: "parity" }, config, set: constructParity(shape) },
      ...swaps,
      ...words,
      ...strings,
    ];
  }),
};

/**
 * @file DeltaProduct's mixer in plain numbers: per token the memory decays once, takes n steps, and is read once.
 *
 *     S = a_t S;  for j = 1 .. n: S = S + b_tj k_tj (v_tj - S' k_tj)';   o_t = S' q_t / sqrt(dk)
 */

import { constructParity, constructWords } from "./constructions/delta-rule.ts";
import {
  convolve,
  gatedOutput,
  layerParameters,
  linear,
  logDecays,
  memoryWidths,
  type Rows,
  type Subject,
  sigmoid,
  silu,
  unit,
  valueWidth,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function deltaproductNaive(
  x: Rows,
  weights: Weights,
  own: { readonly heads: number; readonly householders: number; readonly betaMax: number },
): number[][] {
  const { heads, householders, betaMax } = own;
  const values = weights.out.length;
  const keys = (weights.qkv[0].length - householders * values) / (1 + householders);
  const [dk, dv] = [keys / heads, values / heads];
  const projected = x.map((row) => linear(row, weights.qkv));
  const convolved = weights.convolution ? convolve(projected, weights.convolution) : projected;
  const mixed = convolved.map((row) => row.map(silu));
  const betas = x.map((row) => linear(row, weights.beta).map((each) => betaMax * sigmoid(each)));
  const decays = weights["decay.weight"] && logDecays(x, weights);
  const memories = Array.from({ length: heads }, () =>
    Array.from({ length: dk }, () => new Array<number>(dv).fill(0)),
  ); // [h][dk][dv]
  const outputs = x.map((_, t) =>
    memories.map((S, head) => {
      const part = (start: number, own: number) =>
        mixed[t].slice(start + head * own, start + (head + 1) * own);
      const recall = (key: readonly number[]) =>
        S[0].map((_, j) => S.reduce((o, row, i) => o + row[j] * key[i], 0));
      const a = decays === undefined ? 1 : Math.exp(decays[t][head]);
      for (const row of S) for (const j of row.keys()) row[j] *= a;
      for (let n = 0; n < householders; n++) {
        const k = unit(part((1 + n) * keys, dk));
        const v = part((1 + householders) * keys + n * values, dv);
        const recalled = recall(k);
        const beta = betas[t][n * heads + head];
        for (const [i, row] of S.entries())
          for (const j of row.keys()) row[j] += beta * k[i] * (v[j] - recalled[j]);
      }
      return recall(unit(part(0, dk)).map((each) => each / Math.sqrt(dk)));
    }),
  ); // [T][h][dv]
  const read = memories.map((_, head) => outputs.map((heads) => heads[head]));
  return gatedOutput(x, read, weights);
}

export const subject: Subject = {
  twin: deltaproductNaive,
  configs: [
    { outputGate: true, expandV: 2 },
    { heads: 1, householders: 3, betaMax: 1, decay: true, convolution: 1, chunk: 5, expandK: 0.5 },
  ],
  parameters: (d, own) =>
    layerParameters(d, own) + own.householders * own.heads * d + Number(own.decay) * own.heads * (d + 2),
  taps(B, T, d, own) {
    const { heads: h, householders: n, decay } = own;
    const { dk, dv } = memoryWidths(d, own);
    return {
      query: [B, T, h, dk],
      key: [B, T, n * h, dk],
      value: [B, T, n * h, dv],
      beta: [B, T, n * h],
      ...(decay && { decay: [B, T, h] }),
    };
  },
  headWidth: valueWidth,
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
    return [{ task: { name: "parity" }, config, set: constructParity(shape) }, ...swaps, ...words];
  }),
};

/**
 * @file The mixer of FoX in plain numbers, one query at a time.
 *
 *     o_t = sum_s w_s v_s / sum_s w_s,   w_s = e^(q_t' k_s / sqrt(dk)) f_{s+1} f_{s+2} ... f_t
 */

import {
  linear,
  product,
  projections,
  queryKeyValue,
  type Row,
  type Rows,
  type Subject,
  sigmoid,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function foxNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const projected = projections(x, weights, heads, false);
  const normed = (row: Row, head: number, scale: Rows | undefined) => {
    if (scale === undefined) return row;
    const size = Math.sqrt(row.reduce((sum, each) => sum + each ** 2, 0) / own + 1e-5);
    return row.map((each, i) => (each / size) * scale[0][head * own + i]);
  };
  const forgets = x.map((row) =>
    linear(row, weights.forget).map((each, head) => 1 / (1 + Math.exp(-each - weights.forgetBias[0][head]))),
  );
  return x.map((_, t) => {
    const read = Array.from({ length: heads }, (_, head) => {
      const q = normed(projected[head].q[t], head, weights.queryNorm);
      let faded = 1;
      let total = 0;
      const o = new Array<number>(own).fill(0);
      for (let s = t; s >= 0; s--) {
        const k = normed(projected[head].k[s], head, weights.keyNorm);
        const score = k.reduce((sum, each, i) => sum + each * q[i], 0) / Math.sqrt(own);
        const weight = Math.exp(score) * faded;
        total += weight;
        for (const [i, each] of projected[head].v[s].entries()) o[i] += weight * each;
        faded *= forgets[s][head];
      }
      return o.map((each) => each / total);
    });
    const gate = weights.gate && linear(x[t], weights.gate).map(sigmoid);
    return linear(gate ? product(read.flat(), gate) : read.flat(), weights.out);
  });
}

export const subject: Subject = {
  twin: foxNaive,
  configs: [{ convolution: 3, outputGate: true }, { heads: 1 }, { queryKeyNorm: true }],
  parameters: (d, { heads: h, convolution, queryKeyNorm, outputGate }) =>
    (4 + Number(outputGate)) * d * d + d * h + h + (3 * convolution + 2 * Number(queryKeyNorm)) * d,
  taps: (B, T, d, { heads: h }) => ({ ...queryKeyValue(B, T, d, h), logForget: [B, T, h] }),
};

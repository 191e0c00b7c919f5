/**
 * @file The mixer of FoX in plain numbers, one query at a time.
 *
 *     o_t = sum_s w_s v_s / sum_s w_s,   w_s = e^(q_t' k_s / sqrt(dk)) f_{s+1} f_{s+2} ... f_t
 */

import { linear, queryKeyValue, type Rows, type Subject, type Weights } from "./naive.ts";

/** x [T][d] -> [T][d]. */
function foxNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const projected = x.map((row) => linear(row, weights.qkv));
  const part = (t: number, index: number, head: number) =>
    projected[t].slice(index * width + head * own, index * width + (head + 1) * own);
  const forgets = x.map((row) =>
    linear(row, weights.forget).map((each, head) => 1 / (1 + Math.exp(-each - weights.forgetBias[0][head]))),
  );
  return x.map((_, t) => {
    const read = Array.from({ length: heads }, (_, head) => {
      const q = part(t, 0, head);
      let faded = 1;
      let total = 0;
      const o = new Array<number>(own).fill(0);
      for (let s = t; s >= 0; s--) {
        const score = part(s, 1, head).reduce((sum, each, i) => sum + each * q[i], 0) / Math.sqrt(own);
        const weight = Math.exp(score) * faded;
        total += weight;
        for (const [i, each] of part(s, 2, head).entries()) o[i] += weight * each;
        faded *= forgets[s][head];
      }
      return o.map((each) => each / total);
    });
    return linear(read.flat(), weights.out);
  });
}

export const subject: Subject = {
  twin: foxNaive,
  configs: [{}, { heads: 1 }],
  parameters: (d, { heads: h }) => 3 * d * d + d * h + h + d * d,
  taps: (B, T, d, { heads: h }) => ({ ...queryKeyValue(B, T, d, h), logForget: [B, T, h] }),
};

/**
 * @file The mixer of SD-SSM in plain numbers, entry by entry.
 *
 *     h_i = sum_j A_ij h_j + (x Win)_i,   A_ij = M_ij / (sum_r |M_rj|^1.2)^(1/1.2),   M = sum_k s_k D_k
 */

import { constructDictionary, dense } from "./constructions/dictionary-ssm.ts";
import { linear, type Row, type Rows, type Subject, softmax, type Weights } from "./naive.ts";

const P = 1.2;

/** x [T][d] -> [T][d]. The dictionary's rows are those of D_1, then of D_2 ... */
function sdSsmNaive(x: Rows, weights: Weights, { stateSize: N }: { readonly stateSize: number }) {
  const [bias] = weights.selectorBias;
  const [scale] = weights.norm;
  let h = new Array<number>(N).fill(0);
  return x.map((row) => {
    const shares = softmax(linear(row, weights.selector).map((each, k) => each + bias[k]));
    const mixed = (i: number, j: number) =>
      shares.reduce((sum, share, k) => sum + share * weights.dictionary[k * N + i][j], 0);
    const given = linear(row, weights.input);
    const after = [...given];
    for (let j = 0; j < N; j++) {
      const column = Array.from({ length: N }, (_, i) => mixed(i, j));
      const length = column.reduce((sum, each) => sum + Math.abs(each) ** P, 0) ** (1 / P);
      for (let i = 0; i < N; i++) after[i] += (column[i] / length) * h[j];
    }
    h = after;
    return linear(layerNorm(h, scale), weights.out);
  });
}

function layerNorm(x: Row, scale: Row): number[] {
  const mean = x.reduce((sum, each) => sum + each, 0) / x.length;
  const variance = x.reduce((sum, each) => sum + (each - mean) ** 2, 0) / x.length;
  return x.map((each, i) => ((each - mean) / Math.sqrt(variance + 1e-6)) * scale[i]);
}

export const subject: Subject = {
  twin: sdSsmNaive,
  configs: [{ stateSize: 6, dictionary: 4 }],
  parameters: (d, { stateSize: N, dictionary: K }) => d * K + K + K * N * N + d * N + N + N * d,
  taps: (B, T, _d, { stateSize: N, dictionary: K }) => ({ shares: [B, T, K], hidden: [B, T, N] }),
  headWidth: (_d, { stateSize: N }) => N,
  constructions: constructDictionary(dense),
};

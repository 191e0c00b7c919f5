/**
 * @file The mixer of PaTH in plain numbers: each later reflection is applied to every key.
 *
 *     z_ts = q_t' k_s(t) / sqrt(dk),   k_s(s) = k_s,   k_s(t) = k_s(t-1) - b_t w_t (w_t' k_s(t-1))
 */

import {
  constructReflectedSwaps,
  constructReflectedTwoLayers,
  REFLECTING_CONFIG,
} from "./constructions/path-attention.ts";
import {
  convolve,
  dot,
  linear,
  queryKeyValue,
  type Row,
  type Rows,
  type Subject,
  sigmoid,
  silu,
  unit,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function pathNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const own = width / heads;
  const projected = x.map((row) => linear(row, weights.qkv));
  const low = x.map((row) => linear(linear(row, weights["reflection.down"]), weights["reflection.up"]));
  const mixed = weights.convolution ? convolve(low, weights.convolution).map((row) => row.map(silu)) : low;
  const read = x.map((): number[] => []);
  for (let head = 0; head < heads; head++) {
    const part = (row: Row, index = 0) =>
      row.slice(index * width + head * own, index * width + (head + 1) * own);
    const keys: number[][] = [];
    for (const [t, row] of x.entries()) {
      const w = unit(part(mixed[t]));
      const b = 2 * sigmoid(linear(row, weights.beta)[head] + weights.betaBias[0][head]);
      for (const [s, key] of keys.entries()) {
        const along = dot(key, w);
        keys[s] = key.map((each, i) => each - b * w[i] * along);
      }
      keys.push(part(projected[t], 1));
      const q = part(projected[t]).map((each) => each / Math.sqrt(own));
      const scores = keys.map((key) => dot(q, key));
      const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
      const total = powers.reduce((sum, each) => sum + each, 0);
      const o = new Array<number>(own).fill(0);
      for (const [s, power] of powers.entries())
        for (const [i, each] of part(projected[s], 2).entries()) o[i] += (power / total) * each;
      read[t].push(...o);
    }
  }
  return read.map((row) => linear(row, weights.out));
}

export const subject: Subject = {
  twin: pathNaive,
  configs: [{}, { heads: 1, convolution: 0, chunk: 5 }],
  parameters: (d, { heads: h, convolution }) => 3 * d * d + 2 * 32 * d + convolution * d + d * h + h + d * d,
  taps: (B, T, d, { heads: h }) => ({
    ...queryKeyValue(B, T, d, h),
    reflection: [B, T, h, d / h],
    strength: [B, T, h],
  }),
  constructions: [
    {
      task: { name: "group-words", group: "S_3", generators: "swaps" },
      config: REFLECTING_CONFIG,
      set: constructReflectedSwaps,
    },
    {
      task: { name: "group-words", group: "S_3" },
      config: { ...REFLECTING_CONFIG, layers: 2 },
      set: constructReflectedTwoLayers,
    },
  ],
};

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
  const { convolution } = weights;
  const isOverAll = convolution !== undefined && convolution[0].length > width;
  const inputs = isOverAll ? low.map((row, t) => [...row, ...projected[t]]) : low;
  const mixed = convolution ? convolve(inputs, convolution).map((row) => row.map(silu)) : low;
  const qkv = isOverAll ? mixed.map((row) => row.slice(width)) : projected;
  const read = x.map((): number[] => []);
  for (let head = 0; head < heads; head++) {
    const part = (row: Row, index = 0) =>
      row.slice(index * width + head * own, index * width + (head + 1) * own);
    const keys: number[][] = [];
    const faded: number[] = [];
    for (const [t, row] of x.entries()) {
      const w = unit(part(mixed[t]));
      const b = 2 * sigmoid(linear(row, weights.beta)[head] + weights.betaBias[0][head]);
      for (const [s, key] of keys.entries()) {
        const along = dot(key, w);
        keys[s] = key.map((each, i) => each - b * w[i] * along);
      }
      keys.push(part(qkv[t], 1));
      if (weights.forget) {
        const f = sigmoid(linear(row, weights.forget)[head] + weights.forgetBias[0][head]);
        for (const s of faded.keys()) faded[s] += Math.log(f) / Math.sqrt(own);
      }
      faded.push(0);
      const q = part(qkv[t]).map((each) => each / Math.sqrt(own));
      const scores = keys.map((key, s) => dot(q, key) + faded[s]);
      const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
      const total = powers.reduce((sum, each) => sum + each, 0);
      const o = new Array<number>(own).fill(0);
      for (const [s, power] of powers.entries())
        for (const [i, each] of part(qkv[s], 2).entries()) o[i] += (power / total) * each;
      read[t].push(...o);
    }
  }
  return read.map((row) => linear(row, weights.out));
}

export const subject: Subject = {
  twin: pathNaive,
  configs: [{ forgetGate: true }, { heads: 1, convolution: 0, chunk: 5 }, { convolveAll: true, chunk: 16 }],
  parameters: (d, { heads: h, convolution, convolveAll, forgetGate }) =>
    4 * d * d + 2 * 32 * d + convolution * (convolveAll ? 4 : 1) * d + (1 + Number(forgetGate)) * (d * h + h),
  taps: (B, T, d, { heads: h, forgetGate }) => ({
    ...queryKeyValue(B, T, d, h),
    reflection: [B, T, h, d / h],
    strength: [B, T, h],
    ...(forgetGate && { logForget: [B, T, h] }),
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

/**
 * @file The mLSTM block in plain numbers, without a stabilizer.
 *
 *     S = f S + e^i k v';   n = f n + e^i k;   h = S' q / max(|n' q|, 1);   y = ((norm(h) + s o c) o silu(z)) Wdown
 */

import { matrixMemoryNaive } from "../tensor/matrix-memory.naive.ts";
import {
  convolve,
  layerNormInHeads,
  linear,
  linearInHeads,
  product,
  type Rows,
  type Subject,
  silu,
  softplus,
  sum,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly blockSize: number;
}

/** x [T][d] -> [T][d]. */
function mlstmBlockNaive(x: Rows, weights: Weights, { heads, blockSize }: Own): number[][] {
  const channels = weights.out.length;
  const own = channels / heads;
  const [[gatesBias], [norm], [skip]] = [weights.gatesBias, weights.norm, weights.skip];
  const projected = x.map((row) => linear(row, weights.up));
  const a = projected.map((row) => row.slice(0, channels));
  const c = weights.convolution
    ? convolve(a, weights.convolution).map((row) => sum(row, weights.convolutionBias[0]).map(silu))
    : a;
  const inBlocks = (rows: Rows, name: string) =>
    rows.map((row) => linearInHeads(row, weights[name], channels / blockSize));
  const [q, k, v] = [inBlocks(c, "query"), inBlocks(c, "key"), inBlocks(a, "value")];
  const gates = x.map((_, t) => sum(linear([...q[t], ...k[t], ...v[t]], weights.gates), gatesBias)); // [T][2h]
  const read = Array.from({ length: heads }, (_, head) => {
    const part = (rows: Rows) => rows.map((row) => row.slice(head * own, (head + 1) * own));
    const scaled = part(q).map((row) => row.map((each) => each / Math.sqrt(own)));
    const input = gates.map((row) => row[head]);
    const logForget = gates.map((row) => -softplus(-row[heads + head]));
    return matrixMemoryNaive(scaled, part(k), part(v), input, logForget); // [T][dv]
  });
  return x.map((_, t) => {
    const normed = layerNormInHeads(
      read.flatMap((h) => h[t]),
      heads,
      norm,
    );
    const gate = projected[t].slice(channels).map(silu);
    return linear(product(sum(normed, product(skip, c[t])), gate), weights.out);
  });
}

export const subject: Subject = {
  twin: mlstmBlockNaive,
  configs: [{}, { heads: 1, blockSize: 2, convolution: 0, chunk: 3 }],
  parameters: (d, { heads: h, blockSize, convolution }) => {
    const e = 2 * d;
    const convolved = convolution > 0 ? convolution * e + e : 0;
    return d * 2 * e + convolved + 3 * e * blockSize + 3 * e * 2 * h + 2 * h + e + e + e * d;
  },
  taps: (B, T, d, { heads: h }) => ({
    query: [B, T, h, (2 * d) / h],
    key: [B, T, h, (2 * d) / h],
    value: [B, T, h, (2 * d) / h],
    input: [B, T, h],
    forget: [B, T, h],
  }),
  headWidth: (d, { heads }) => (2 * d) / heads,
};

/**
 * @file The sLSTM block's mixer in plain numbers, unit by unit, without a stabilizer.
 *
 *     c = sigmoid(f) c + e^i tanh(z);   n = sigmoid(f) n + e^i;   h = sigmoid(o) c / n;   y = norm(h)
 */

import {
  convolve,
  layerNormInHeads,
  linearInHeads,
  type Rows,
  type Subject,
  sigmoid,
  silu,
  sum,
  type Weights,
} from "./naive.ts";

/** x [T][d] -> [T][d]. */
function slstmBlockNaive(x: Rows, weights: Weights, { heads }: { readonly heads: number }): number[][] {
  const width = x[0].length;
  const [[bias], [scale]] = [weights.bias, weights.norm];
  const convolved = weights.convolution
    ? convolve(x, weights.convolution).map((row) => sum(row, weights.convolutionBias[0]).map(silu))
    : x;
  let h = new Array<number>(width).fill(0);
  const [c, n] = [h.slice(), h.slice()];
  return x.map((row, t) => {
    const recurrent = linearInHeads(h, weights.recurrent, heads); // [4d]
    const [i, f, z, o] = (["input", "forget", "cell", "output"] as const).map((name, gate) => {
      const given = linearInHeads(gate < 2 ? convolved[t] : row, weights[name], heads);
      return given.map((each, unit) => each + recurrent[gate * width + unit] + bias[gate * width + unit]);
    });
    h = h.map((_, unit) => {
      const [write, keep] = [Math.exp(i[unit]), sigmoid(f[unit])];
      c[unit] = keep * c[unit] + write * Math.tanh(z[unit]);
      n[unit] = keep * n[unit] + write;
      return (sigmoid(o[unit]) * c[unit]) / n[unit];
    });
    return layerNormInHeads(h, heads, scale);
  });
}

export const subject: Subject = {
  twin: slstmBlockNaive,
  configs: [{ heads: 2 }, { heads: 1, convolution: 0 }], // with two units a norm keeps only the signs
  parameters: (d, { heads: h, convolution }) => {
    const convolved = convolution > 0 ? convolution * d + d : 0;
    return convolved + (4 * d * d) / h + (4 * d * d) / h + 4 * d + d;
  },
  taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d], normalizer: [B, T, d] }),
  feedForwardGate: "gelu",
  readBy: "norm",
};

/**
 * @file The Transformer's mixer in plain numbers: each query looks back over all keys, one by one.
 *
 *     o_t = sum_{s <= t} e^(q_t' k_s / sqrt(dk)) v_s / sum_{s <= t} e^(q_t' k_s / sqrt(dk))
 *
 * Position t rotates channels i and i + dk/2, as one complex number, by the angle t base^(-2i/dk), scaled as `rotaryScaling` says,
 * unless the layer has no positions (`rotary`).
 */

import {
  convolve,
  dot,
  linear,
  type Row,
  type Rows,
  rmsNorm,
  type Subject,
  silu,
  sum,
  type Weights,
} from "./naive.ts";

interface Own {
  readonly heads: number;
  readonly keyValueHeads?: number;
  readonly rotaryBase: number;
  readonly rotary?: readonly [boolean];
  readonly rotaryScaling?: { readonly kind: string } & Readonly<Record<string, number>>;
}

/** x [T][d] -> [T][d]. */
function transformerNaive(x: Rows, weights: Weights, own: Own, offered?: Map<string, Rows>): number[][] {
  const { heads, keyValueHeads: keyHeads = heads } = own;
  const width = weights.out.length / heads;
  const { bias, convolution, queryNorm, keyNorm } = weights;
  const projected = x.map((row) => linear(row, weights.qkv)).map((row) => (bias ? sum(row, bias[0]) : row));
  const mixed = convolution ? convolve(projected, convolution).map((row) => row.map(silu)) : projected;
  /** Heads from a column on: [T][count][dk]. */
  const headsFrom = (column: number, count: number, gain: Rows | undefined) =>
    mixed.map((row) => {
      const all = row.slice(column, column + count * width);
      const scale = gain?.[0] ?? [];
      const parts = gain ? partsOf(all, scale.length).flatMap((part) => rmsNorm(part, scale)) : all;
      return partsOf(parts, width);
    });
  const q = headsFrom(0, heads, queryNorm);
  const k = headsFrom(heads * width, keyHeads, keyNorm);
  const v = headsFrom((heads + keyHeads) * width, keyHeads, undefined);
  const keys = k.map((row, s) => row.map((key) => turned(key, s, own)));
  const joined = q.map((row, t) =>
    row.flatMap((query, head) => {
      const from = Math.floor((head * keyHeads) / heads);
      const here = turned(query, t, own);
      const scores = keys.slice(0, t + 1).map((key) => dot(here, key[from]) / Math.sqrt(width));
      const largest = Math.max(...scores); // e^1000 would overflow
      const shares = scores.map((score) => Math.exp(score - largest));
      const total = shares.reduce((a, b) => a + b, 0);
      return here.map((_, i) => shares.reduce((o, share, s) => o + (share / total) * v[s][from][i], 0));
    }),
  );
  offered?.set("readout", joined);
  return joined.map((row) => linear(row, weights.out));
}

const partsOf = (row: Row, length: number) =>
  Array.from({ length: row.length / length }, (_, i) => row.slice(i * length, (i + 1) * length));

function turned(x: Row, position: number, { rotaryBase, rotaryScaling, rotary }: Own): readonly number[] {
  if (rotary?.[0] === false) return x;
  const half = x.length / 2;
  const yarn = rotaryScaling?.kind === "yarn" ? 0.1 * Math.log(rotaryScaling.factor) + 1 : 1;
  return x.map((_, channel) => {
    const i = channel % half;
    const angle = position * frequency(i, x.length, position, rotaryBase, rotaryScaling);
    const [real, imaginary] = [x[i], x[i + half]];
    return channel < half
      ? yarn * (real * Math.cos(angle) - imaginary * Math.sin(angle))
      : yarn * (real * Math.sin(angle) + imaginary * Math.cos(angle));
  });
}

/** As `_compute_yarn_parameters` and `_compute_dynamic_ntk_parameters` of transformers have it. */
function frequency(
  i: number,
  width: number,
  position: number,
  base: number,
  scaling: Own["rotaryScaling"],
): number {
  const plain = base ** ((-2 * i) / width);
  if (scaling?.kind === "dynamic") {
    const length = Math.max(position + 1, scaling.original);
    const slower =
      base * ((scaling.factor * length) / scaling.original - (scaling.factor - 1)) ** (width / (width - 2));
    return slower ** ((-2 * i) / width);
  }
  if (scaling?.kind === "yarn") {
    const pair = (turns: number) =>
      (width * Math.log(scaling.original / (turns * 2 * Math.PI))) / (2 * Math.log(base));
    const low = Math.max(Math.floor(pair(scaling.fast)), 0);
    const high = Math.min(Math.ceil(pair(scaling.slow)), width - 1);
    const ramp = Math.min(Math.max((i - low) / (low === high ? 0.001 : high - low), 0), 1);
    return (plain / scaling.factor) * ramp + plain * (1 - ramp);
  }
  return plain;
}

export const subject: Subject = {
  twin: transformerNaive,
  configs: [
    {},
    { heads: 1, convolution: 4, rotaryBase: 100 },
    { heads: 4, convolution: 1 },
    { heads: 2, rotary: [false] },
    { heads: 4, keyValueHeads: 2, rotary: [true, false], rotaryBase: 100 },
    {
      ...{ heads: 4, keyValueHeads: 2, headWidth: 6, bias: true, queryKeyNorm: "head", convolution: 2 },
      rotaryScaling: { kind: "yarn", factor: 4, original: 16, fast: 2, slow: 0.5 },
    },
    {
      ...{ heads: 2, keyValueHeads: 1, queryKeyNorm: "width", rotaryBase: 50, normPosition: "after" },
      rotaryScaling: { kind: "dynamic", factor: 3, original: 9 },
    },
  ],
  parameters: (d, own) => {
    const { heads: h, keyValueHeads: k = h, headWidth: w = d / h, convolution } = own;
    const gains = { head: 2 * w, width: (h + k) * w }[String(own.queryKeyNorm)] ?? 0;
    return (h + 2 * k) * w * (d + convolution + Number(own.bias ?? 0)) + gains + h * w * d;
  },
  taps: (B, T, d, { heads: h, headWidth: w = d / h }) => ({
    query: [B, T, h, w],
    key: [B, T, h, w],
    value: [B, T, h, w],
  }),
  headWidth: (d, { heads: h, headWidth: w = d / h }) => w,
};

/**
 * @file A whole model in plain float64 numbers, one sequence at a time: the reference for the graphs, and the shortest complete account
 * of what they compute.
 *
 *     x = E[token];  for each layer: x += mixer(norm(x)), x += swiglu(norm(x));  logits = norm(x) H
 *
 * A sequence is its rows, [T][d]; a weight is its rows, a vector one row. The mixers are in `NAME.naive.ts`.
 */

import { flattenParameters, type ParameterTree } from "../tensor/index.ts";
import type { Construction } from "./constructions/construction.ts";

export type Row = readonly number[];
export type Rows = readonly Row[];
/** Rows by the paths of `stack.ts`, or by the mixer's own names. */
export type Weights = Readonly<Record<string, Rows>>;
/** x [T][d] -> [T][d]. */
type NaiveMixer = (x: Rows, weights: Weights, layer: number) => number[][];

/** A mixer's configuration, as far as sizes depend on it. */
export type Fields = Readonly<Record<string, number>>;

/**
 * Records non-differentiable choices at the weights at which the gradient is taken, and replays them at perturbed weights. Elsewhere
 * choices are made directly.
 */
export type Remember = (make: () => number[][]) => number[][];

/** The exports of `NAME.naive.ts`: the reference and all that the conformance suite needs to test a mixer. */
export interface Subject {
  /** The mixer in plain numbers; `own` is the mixer's configuration, `offered` the values that layers below offer for the same tokens. */
  readonly twin: (
    x: Rows,
    weights: Weights,
    own: never,
    offered: Map<string, Rows>,
    remember?: Remember,
  ) => number[][];
  /** Configurations that together cover all features, apart from hybrids; with a `pattern`, a hybrid with it. */
  readonly configs: readonly object[];
  /** Number of parameters of one mixer of width d, in this layer. */
  readonly parameters: (d: number, own: Fields, layer: number) => number;
  /** Shapes of its taps other than `heads` and `residual`, for B, T and d. */
  readonly taps: (B: number, T: number, d: number, own: Fields) => Record<string, number[]>;
  /** Width of its heads' outputs; d/h each by default. */
  readonly headWidth?: (d: number, own: Fields) => number;
  /** The gate of its feed-forward layer; silu by default. */
  readonly feedForwardGate?: "gelu";
  /** The parameter that is zeroed to remove a head: for a matrix the head's rows, for a vector the head's entries; `out` by default. */
  readonly readBy?: string;
  /** Hand-set weights that solve a task at length 1,000. */
  readonly constructions?: readonly Construction[];
}

/** Widths of a memory's keys and values: d/h each, unless the configuration has other ones. */
export const memoryWidths = (d: number, { heads: h, keyHeads = h, expandK = 1, expandV = 1 }: Fields) => ({
  dk: (expandK * d) / keyHeads,
  dv: (expandV * d) / h,
});

/** Shapes of the taps of a mixer with queries, keys and values. */
export function queryKeyValue(B: number, T: number, d: number, h: number, own: Fields = { heads: h }) {
  const { dk, dv } = memoryWidths(d, own);
  return { query: [B, T, h, dk], key: [B, T, h, dk], value: [B, T, h, dv] };
}

/** Width of the heads' outputs. */
export const valueWidth = (d: number, own: Fields) => memoryWidths(d, own).dv;

/** Number of parameters of q, k, v, their filters, the norm, a gate if any and the output projection. */
export function layerParameters(d: number, own: Fields): number {
  const { heads: h, keyHeads = h, convolution, outputGate, householders: n = 1 } = own;
  const { dk, dv } = memoryWidths(d, own);
  const channels = (1 + n) * keyHeads * dk + n * h * dv;
  return channels * (d + convolution) + dv + (1 + Number(outputGate ?? 0)) * d * h * dv;
}

/** tokens [T] -> logits [T][V]; `gateOf` returns the gate of a layer's feed-forward part; `after`: norms are after the parts. */
export function logitsNaive(
  tokens: Row,
  weights: Weights,
  layers: number,
  mixer: NaiveMixer,
  gateOf: (layer: number) => Subject["feedForwardGate"] = () => undefined,
  after = false,
): number[][] {
  let x: Rows = tokens.map((token) => weights.embedding[token]);
  for (let layer = 0; layer < layers; layer++) {
    const prefix = `layers.${layer}.`;
    const [mixerScale] = weights[`${prefix}mixerNorm`];
    const normed = (rows: Rows, scale: Row, here: boolean) =>
      here ? rows.map((row) => rmsNorm(row, scale)) : rows;
    const mixed = mixer(normed(x, mixerScale, !after), below(weights, `${prefix}mixer.`), layer);
    const added = normed(mixed, mixerScale, after);
    x = x.map((row, t) => sum(row, added[t]));
    if (weights[`${prefix}feedForwardNorm`] === undefined) continue; // feedForward: 0
    const [scale] = weights[`${prefix}feedForwardNorm`];
    const gateAndUp = weights[`${prefix}feedForward.gateAndUp`];
    const down = weights[`${prefix}feedForward.down`];
    const g = gateOf(layer) === "gelu" ? gelu : silu;
    const fed = normed(x, scale, !after).map((row) => swiGlu(row, gateAndUp, down, g));
    const more = normed(fed, scale, after);
    x = x.map((row, t) => sum(row, more[t]));
  }
  const [scale] = weights.norm;
  return x.map((row) => linear(rmsNorm(row, scale), weights.head));
}

/** The numbers of a tree of parameters. */
export function weightsOf(tree: ParameterTree): Record<string, number[][]> {
  return Object.fromEntries(
    flattenParameters(tree).map(([path, { shape, data }]) => {
      const width = shape.at(-1) ?? 1;
      const rows = Array.from({ length: data.length / width }, (_, i) => [
        ...data.subarray(i * width, (i + 1) * width),
      ]);
      return [path, rows];
    }),
  );
}

/** x W. */
export function linear(x: Row, W: Rows): number[] {
  const y = W[0].map((w) => x[0] * w); // an array of doubles from the start: engines are several times faster on these
  for (let i = 1; i < x.length; i++) {
    const [own, row] = [x[i], W[i]];
    for (let j = 0; j < y.length; j++) y[j] += own * row[j];
  }
  return y;
}

/** h W for n gates, [n d], where each head's rows [d, n d/h] see only the units of that head. */
export function linearInHeads(h: Row, W: Rows, heads: number): number[] {
  const own = h.length / heads;
  return Array.from({ length: W[0].length * heads }, (_, at) => {
    const [gate, unit] = [Math.floor(at / h.length), at % h.length];
    const first = unit - (unit % own); // of its head
    let total = 0;
    for (let from = first; from < first + own; from++) total += h[from] * W[from][gate * own + (unit % own)];
    return total;
  });
}

/** (g(x Wg) o x Wu) Wd, with Wg and Wu side by side. */
function swiGlu(x: Row, gateAndUp: Rows, down: Rows, g: (x: number) => number): number[] {
  const both = linear(x, gateAndUp);
  const hidden = down.map((_, i) => g(both[i]) * both[down.length + i]);
  return linear(hidden, down);
}

export function rmsNorm(x: Row, scale: Row): number[] {
  const r = 1 / Math.sqrt(dot(x, x) / x.length + 1e-6);
  return x.map((each, i) => each * r * scale[i]);
}

/** LayerNorm over each head, with a scale and no bias. */
export function layerNormInHeads(x: Row, heads: number, scale: Row): number[] {
  const own = x.length / heads;
  return x.map((each, i) => {
    const head = x.slice(i - (i % own), i - (i % own) + own);
    const mean = head.reduce((a, b) => a + b, 0) / own;
    const variance = head.reduce((a, b) => a + (b - mean) ** 2, 0) / own;
    return ((each - mean) / Math.sqrt(variance + 1e-5)) * scale[i];
  });
}

export function unit(x: Row): number[] {
  const r = 1 / Math.sqrt(dot(x, x) + 1e-6);
  return x.map((each) => each * r);
}

/** y_t = sum_j w_j x_{t - K + 1 + j}, channel by channel; the last tap applies to the present. */
export function convolve(x: Rows, taps: Rows): number[][] {
  return x.map((row, t) =>
    row.map((_, channel) =>
      taps.reduce((y, tap, j) => y + tap[channel] * (x[t - taps.length + 1 + j]?.[channel] ?? 0), 0),
    ),
  );
}

/** The mixer's input [T][d] -> q, k, v of each head, [h][T][dk or dv]; a convolution is followed by SiLU. */
export function projections(
  x: Rows,
  { qkv, convolution, out }: Weights,
  heads: number,
  always: boolean,
  keyHeads = heads,
) {
  const projected = x.map((row) => linear(row, qkv));
  const convolved = convolution === undefined ? projected : convolve(projected, convolution);
  const mixed = always || convolution !== undefined ? convolved.map((row) => row.map(silu)) : convolved;
  const [dk, dv] = [(qkv[0].length - out.length) / 2 / keyHeads, out.length / heads];
  const part = (start: number, own: number) => mixed.map((row) => row.slice(start, start + own)); // [T][own]
  return Array.from({ length: heads }, (_, head) => {
    const shared = Math.floor((head * keyHeads) / heads);
    return {
      q: part(shared * dk, dk),
      k: part((keyHeads + shared) * dk, dk),
      v: part(2 * keyHeads * dk + head * dv, dv),
    };
  });
}

/**
 * The heads' outputs, [h][T][dv] -> (norm(o) o gate) Wout [T][d], one scale of the norm for all heads; the default `gate` is silu(x
 * Wgate), or none without that weight. Offers the normed outputs.
 */
export function gatedOutput(
  x: Rows,
  read: readonly Rows[],
  weights: Weights,
  gate = (row: Row) => weights.gate && linear(row, weights.gate).map(silu),
  offered?: Map<string, Rows>,
): number[][] {
  const [scale] = weights.norm;
  const joined = x.map((_, t) => read.flatMap((o) => rmsNorm(o[t], scale)));
  offered?.set("readout", joined);
  return x.map((row, t) => {
    const opened = gate(row);
    return linear(opened ? product(joined[t], opened) : joined[t], weights.out);
  });
}

/** log a = -e^logRate softplus(x W + bias) for each head, [T][h]. */
export function logDecays(x: Rows, weights: Weights): number[][] {
  const [bias] = weights["decay.bias"];
  const [logRate] = weights["decay.logRate"];
  return x.map((row) =>
    linear(row, weights["decay.weight"]).map(
      (each, head) => -Math.exp(logRate[head]) * softplus(each + bias[head]),
    ),
  );
}

export const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
export const silu = (x: number) => x * sigmoid(x);
export const gelu = (x: number) => x * sigmoid(1.702 * x);
export const softplus = (x: number) => Math.log1p(Math.exp(-Math.abs(x))) + Math.max(x, 0); // avoids overflow
export const sum = (x: Row, y: Row) => x.map((each, i) => each + y[i]);
export const product = (x: Row, y: Row) => x.map((each, i) => each * y[i]);
export function softmax(x: Row): number[] {
  const most = Math.max(...x);
  const powers = x.map((each) => Math.exp(each - most));
  const total = powers.reduce((all, each) => all + each, 0);
  return powers.map((each) => each / total);
}

export const dot = (x: Row, y: Row) => x.reduce((total, each, i) => total + each * y[i], 0);

function below(weights: Weights, prefix: string): Weights {
  const own = Object.entries(weights).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(own.map(([path, rows]) => [path.slice(prefix.length), rows]));
}

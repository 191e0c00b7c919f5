/** @file What the conformance suite needs to know of every mixer. A mixer missing here does not compile. */

import { deltanetNaive } from "./deltanet.naive.ts";
import { deltaproductNaive } from "./deltaproduct.naive.ts";
import { gatedDeltanetNaive } from "./gated-deltanet.naive.ts";
import { gruNaive } from "./gru.naive.ts";
import type { LayerMixer, MixerName } from "./index.ts";
import { lstmNaive } from "./lstm.naive.ts";
import { mambaNaive } from "./mamba.naive.ts";
import { mlstmNaive } from "./mlstm.naive.ts";
import type { Rows, Weights } from "./naive.ts";
import { slstmNaive } from "./slstm.naive.ts";
import { transformerNaive } from "./transformer.naive.ts";

/** A mixer's own configuration, as far as sizes follow from it. */
type Fields = Readonly<Record<string, number>>;

interface Subject {
  /** The mixer in plain numbers; `own` is the mixer's configuration. */
  readonly twin: (x: Rows, weights: Weights, own: never) => number[][];
  /** Configurations to be tested, besides those that hybrids have. */
  readonly configs: readonly object[];
  /** Numbers in one mixer of width d. */
  readonly parameters: (d: number, own: Fields) => number;
  /** Shapes of what it hands out besides `heads` and `residual`, for B, T and d. */
  readonly taps: (B: number, T: number, d: number, own: Fields) => Record<string, number[]>;
  /** What its heads have read; d/h each where it is left out. */
  readonly headWidth?: (d: number, own: Fields) => number;
}

const queryKeyValue = (B: number, T: number, d: number, h: number) => ({
  query: [B, T, h, d / h],
  key: [B, T, h, d / h],
  value: [B, T, h, d / h],
});

const subjects: Record<MixerName, Subject> = {
  deltanet: {
    twin: deltanetNaive,
    configs: [
      {},
      { betaMax: 1, convolution: 0 },
      { convolution: 1, chunk: 1 },
      { heads: 1, chunk: 3 },
      { convolution: 0, feedForward: 0 },
    ],
    parameters: (d, { heads: h, convolution }) => 4 * d * d + h * d + convolution * 3 * d + d / h,
    taps: (B, T, d, { heads: h }) => ({ ...queryKeyValue(B, T, d, h), beta: [B, T, h] }),
  },
  "gated-deltanet": {
    twin: gatedDeltanetNaive,
    configs: [{}, { heads: 1, betaMax: 1, convolution: 0, chunk: 3 }],
    parameters: (d, { heads: h, convolution }) => 5 * d * d + 2 * h * d + 2 * h + convolution * 3 * d + d / h,
    taps: (B, T, d, { heads: h }) => ({
      ...queryKeyValue(B, T, d, h),
      beta: [B, T, h],
      decay: [B, T, h],
    }),
  },
  deltaproduct: {
    twin: deltaproductNaive,
    configs: [{}, { heads: 1, householders: 3, betaMax: 1, decay: true, convolution: 1, chunk: 5 }],
    parameters: (d, { heads: h, householders: n, decay, convolution }) =>
      (2 + 2 * n) * d * d + n * h * d + (decay ? h * d + 2 * h : 0) + convolution * (1 + 2 * n) * d + d / h,
    taps: (B, T, d, { heads: h, householders: n, decay }) => ({
      query: [B, T, h, d / h],
      key: [B, T, n * h, d / h],
      value: [B, T, n * h, d / h],
      beta: [B, T, n * h],
      ...(decay && { decay: [B, T, h] }),
    }),
  },
  mamba: {
    twin: mambaNaive,
    configs: [{}, { transition: "[0,1]", stateSize: 3, expansion: 1, convolution: 0 }],
    parameters: (d, { stateSize: N, expansion, convolution }) => {
      const [e, rank] = [expansion * d, Math.ceil(d / 16)];
      return 3 * d * e + convolution * e + e + e * (rank + 2 * N) + rank * e + e + N * e + e;
    },
    taps: (B, T, d, { stateSize: N, expansion }) => ({
      step: [B, T, expansion * d],
      write: [B, T, N],
      read: [B, T, N],
    }),
    headWidth: (d, { expansion }) => expansion * d,
  },
  mlstm: {
    twin: mlstmNaive,
    configs: [{}, { heads: 1, convolution: 0, chunk: 3 }],
    parameters: (d, { heads: h, convolution }) =>
      5 * d * d + 2 * h * d + 2 * h + convolution * 3 * d + d / h + d,
    taps: (B, T, d, { heads: h }) => ({
      ...queryKeyValue(B, T, d, h),
      input: [B, T, h],
      forget: [B, T, h],
    }),
  },
  transformer: {
    twin: transformerNaive,
    configs: [{}, { heads: 1, convolution: 4, rotaryBase: 100 }, { heads: 4, convolution: 1 }],
    parameters: (d, { convolution }) => 4 * d * d + convolution * 3 * d,
    taps: (B, T, d, { heads: h }) => queryKeyValue(B, T, d, h),
  },
  gru: {
    twin: gruNaive,
    configs: [{}],
    parameters: (d) => 2 * d * 3 * d + 4 * d + d * d,
    taps: (B, T, d) => ({ hidden: [B, T, d] }),
  },
  lstm: {
    twin: lstmNaive,
    configs: [{}],
    parameters: (d) => 2 * d * 4 * d + 4 * d + d * d,
    taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d] }),
  },
  slstm: {
    twin: slstmNaive,
    configs: [{}, { heads: 1 }],
    parameters: (d, { heads: h }) => 4 * d * d + (4 * d * d) / h + 4 * d + d / h + d * d,
    taps: (B, T, d) => ({ hidden: [B, T, d], cell: [B, T, d], normalizer: [B, T, d] }),
  },
};

/** A linear layer and one of attention; and a pattern that ends in its middle. */
const hybrids = [
  { pattern: ["gated-deltanet", "transformer"], transformer: { heads: 1 } },
  { layers: 3, pattern: ["slstm", "mamba"], mamba: { stateSize: 3 } },
];

export const configsToTest = [
  ...Object.entries(subjects).flatMap(([name, { configs }]) =>
    configs.map((config) => ({ name: name as MixerName | "hybrid", config })),
  ),
  ...hybrids.map((config) => ({ name: "hybrid" as const, config })),
];

/** The subject of a layer, with the layer's configuration filled in. */
export function subjectOf({ mixer, own }: LayerMixer, d: number) {
  const subject = subjects[mixer.name as MixerName];
  const fields = own as Fields; // of other types are only fields from which no size follows
  const heads = fields.heads ?? 1;
  const headWidth = subject.headWidth?.(d, fields) ?? d / heads;
  return {
    heads,
    twin: (x: Rows, weights: Weights) => subject.twin(x, weights, own as never), // its own twin
    parameters: subject.parameters(d, fields),
    taps: (B: number, T: number): Record<string, number[]> => ({
      ...subject.taps(B, T, d, fields),
      heads: [B, T, heads, headWidth],
      residual: [B, T, d],
    }),
  };
}

/** @file Scans written once and computed twice, on tensors and in plain numbers; the step of an LSTM; the directions of a scan. */

import { activationsNaive, eachNaive } from "./activations.naive.ts";
import { sigmoid, tanh } from "./activations.ts";
import { elementwiseNaive } from "./arithmetic.naive.ts";
import { add, multiply, reshape } from "./arithmetic.ts";
import type { Case, Input } from "./check.test-helper.ts";
import { scanInGroups } from "./checkpointed-scan.ts";
import { embeddingNaive, oneHotNaive } from "./embedding.naive.ts";
import { embedding, oneHot } from "./embedding.ts";
import type { Shape, Tensor } from "./graph.ts";
import { matmulNaive } from "./matmul.naive.ts";
import { matmul } from "./matmul.ts";
import type { Numbers } from "./naive.ts";
import { scanNaive } from "./scan.naive.ts";
import { type ScanOptions, scan } from "./scan.ts";
import { splitNaive } from "./shape.naive.ts";
import { split } from "./shape.ts";

interface Shaped {
  readonly shape: Shape;
}

interface Result<T> {
  readonly states: readonly T[];
  readonly outputs: readonly T[];
}
type Step<T> = (states: readonly T[], inputs: readonly T[]) => Result<T>;

/** What a step may use: on tensors, or each op's twin on plain numbers. */
export interface Ops<T> {
  readonly add: (x: T, y: T) => T;
  readonly multiply: (x: T, y: T) => T;
  readonly tanh: (x: T) => T;
  readonly sigmoid: (x: T) => T;
  readonly matmul: (x: T, y: T, options?: { transposeX?: boolean }) => T;
  readonly reshape: (x: T, shape: Shape) => T;
  readonly split: (x: T, axis: number, sizes: readonly number[]) => readonly T[];
  readonly embedding: (table: T, words: T) => T;
  readonly oneHot: (words: T, count: number) => T;
  readonly scan: (
    inputs: readonly T[],
    initial: readonly T[],
    step: Step<T>,
    options?: ScanOptions,
  ) => Result<T>;
  readonly scanInGroups: (
    inputs: readonly T[],
    initial: readonly T[],
    step: Step<T>,
    size: number,
  ) => Result<T>;
}

export const onTensors: Ops<Tensor> = {
  ...{ add, multiply, tanh, sigmoid, matmul, reshape, split, embedding, oneHot, scan, scanInGroups },
};
const { sigmoid: s, tanh: t } = activationsNaive;
const onNumbers: Ops<Numbers> = {
  add: (x, y) => elementwiseNaive(x, y, (a, b) => a + b),
  multiply: (x, y) => elementwiseNaive(x, y, (a, b) => a * b),
  tanh: (x) => eachNaive(x, t),
  sigmoid: (x) => eachNaive(x, s),
  matmul: matmulNaive,
  reshape: ({ data }, shape) => ({ shape, data }),
  split: splitNaive,
  embedding: embeddingNaive,
  oneHot: oneHotNaive,
  scan: scanNaive,
  scanInGroups: (inputs, initial, step) => scanNaive(inputs, initial, step),
};

/** A case whose op and naive twin are the same text with other ops. */
export function scanCase(
  name: string,
  inputs: readonly Input[],
  compute: <T extends Shaped>(ops: Ops<T>, ...given: T[]) => readonly T[],
): Case {
  return {
    ...{ name, inputs },
    op: (...given) => compute(onTensors, ...given),
    naive: (...given) => compute(onNumbers, ...given),
  };
}

/** inputs [T, B, d], h and c [B, d], W and V [d, 4d], bias [4d]. */
export const lstmStep =
  <T extends Shaped>({ add, multiply, matmul, split, sigmoid, tanh }: Ops<T>, W: T, V: T, bias: T): Step<T> =>
  ([h, c], [x]) => {
    const width = h.shape[1];
    const gates = add(add(matmul(x, W), matmul(h, V)), bias);
    const [i, f, g, o] = split(gates, 1, [width, width, width, width]);
    const next = add(multiply(sigmoid(f), c), multiply(sigmoid(i), tanh(g)));
    const out = multiply(sigmoid(o), tanh(next));
    return { states: [out, next], outputs: [out] };
  };

export const lstmInputs = (T: number, B: number, d: number): Input[] =>
  [[T, B, d], [B, d], [B, d], [d, 4 * d], [d, 4 * d], [4 * d]].map((shape) => ({ shape }));
/** Both directions, each also with a backward step that computes the forward one again. */
export const directions: ScanOptions[] = [
  { reverse: false },
  { reverse: true },
  { reverse: false, recompute: true },
  { reverse: true, recompute: true },
];

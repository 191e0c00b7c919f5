/** @file The step of an LSTM, as tensors and in plain numbers, and the two directions of a scan. */

import { activationsNaive, eachNaive } from "./activations.naive.ts";
import { sigmoid, tanh } from "./activations.ts";
import { elementwiseNaive } from "./arithmetic.naive.ts";
import { add, multiply } from "./arithmetic.ts";
import type { Input } from "./check.test-helper.ts";
import type { Tensor } from "./graph.ts";
import { matmulNaive } from "./matmul.naive.ts";
import { matmul } from "./matmul.ts";
import type { Numbers } from "./naive.ts";
import type { ScanOptions } from "./scan.ts";
import { splitNaive } from "./shape.naive.ts";
import { split } from "./shape.ts";

export const plus = (x: Numbers, y: Numbers) => elementwiseNaive(x, y, (a, b) => a + b);
export const times = (x: Numbers, y: Numbers) => elementwiseNaive(x, y, (a, b) => a * b);
const { sigmoid: s, tanh: t } = activationsNaive;

/** inputs [T, B, d], h and c [B, d], W and V [d, 4d], bias [4d]. */
export function lstmStep(
  [h, c]: readonly Tensor[],
  [x]: readonly Tensor[],
  W: Tensor,
  V: Tensor,
  bias: Tensor,
) {
  const width = h.shape[1];
  const gates = add(add(matmul(x, W), matmul(h, V)), bias);
  const [i, f, g, o] = split(gates, 1, [width, width, width, width]);
  const next = add(multiply(sigmoid(f), c), multiply(sigmoid(i), tanh(g)));
  const out = multiply(sigmoid(o), tanh(next));
  return { states: [out, next], outputs: [out] };
}

export function lstmStepNaive(
  [h, c]: readonly Numbers[],
  [x]: readonly Numbers[],
  W: Numbers,
  V: Numbers,
  bias: Numbers,
) {
  const width = h.shape[1];
  const gates = plus(plus(matmulNaive(x, W), matmulNaive(h, V)), bias);
  const [i, f, g, o] = splitNaive(gates, 1, [width, width, width, width]);
  const next = plus(times(eachNaive(f, s), c), times(eachNaive(i, s), eachNaive(g, t)));
  const out = times(eachNaive(o, s), eachNaive(next, t));
  return { states: [out, next], outputs: [out] };
}

export const lstmInputs = (T: number, B: number, d: number): Input[] =>
  [[T, B, d], [B, d], [B, d], [d, 4 * d], [d, 4 * d], [4 * d]].map((shape) => ({ shape }));
/** Both directions, each also with a backward step that computes the forward one again. */
export const directions: ScanOptions[] = [
  { reverse: false },
  { reverse: true },
  { reverse: false, recompute: true },
  { reverse: true, recompute: true },
];

/**
 * @file Sums and means over axes, and sums along one.
 *
 *     y = sum_i x_i, dx_i = dy;   y = (1/n) sum_i x_i, dx_i = dy / n;   y_i = x_1 + ... + x_i, dx_i = dy_i + ... + dy_n
 */

import { scale } from "./arithmetic.ts";
import { node, type Tensor } from "./graph.ts";
import { axisOf, expand, reshape } from "./shape.ts";

export interface ReduceOptions {
  /** All of them by default; negative ones count from the end. */
  readonly axes?: readonly number[];
  /** Keep the reduced axes with length 1. */
  readonly keep?: boolean;
}

export function sum(x: Tensor, options: ReduceOptions = {}): Tensor {
  return reduce("ReduceSum", x, options, (dy) => dy);
}

export function mean(x: Tensor, options: ReduceOptions = {}): Tensor {
  const count = normalAxes(x, options).reduce((product, axis) => product * x.shape[axis], 1);
  return reduce("ReduceMean", x, options, (dy) => scale(dy, 1 / count));
}

/** x [..., n, ...] -> the same shape: the sum of all up to each place of the axis, itself included. */
export function cumulativeSum(x: Tensor, axis: number): Tensor {
  const along = axisOf("cumulativeSum", x.shape, axis);
  const at = x.graph.constant(BigInt64Array.of(BigInt(along)), []);
  const over = (y: Tensor, reverse: number, gradient?: (dy: Tensor) => readonly Tensor[]): Tensor =>
    node("CumSum", [y, at], { shape: y.shape, attributes: { reverse }, ...(gradient && { gradient }) });
  return over(x, 0, (dy) => [over(dy, 1)]);
}

function reduce(op: string, x: Tensor, options: ReduceOptions, share: (dy: Tensor) => Tensor): Tensor {
  const axes = normalAxes(x, options);
  if (axes.length === 0) return x; // ONNX would take an empty list for all axes
  const kept = x.shape.map((length, axis) => (axes.includes(axis) ? 1 : length));
  const shape = options.keep ? kept : x.shape.filter((_, axis) => !axes.includes(axis));
  const list = x.graph.constant(BigInt64Array.from(axes, BigInt), [axes.length]);
  return node(op, [x, list], {
    shape,
    attributes: { keepdims: options.keep ? 1 : 0 },
    gradient: (dy) => [expand(reshape(share(dy), kept), x.shape)],
  });
}

function normalAxes(x: Tensor, { axes }: ReduceOptions): number[] {
  if (axes === undefined) return [...x.shape.keys()];
  return [...new Set(axes.map((axis) => axisOf("reduce", x.shape, axis)))];
}

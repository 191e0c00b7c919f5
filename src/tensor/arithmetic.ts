/**
 * @file Elementwise sums, differences, products and quotients with NumPy broadcasting; sums over axes, reshape and expand, which their
 * gradients need.
 *
 *     z = x * y;  dx = dz * y, summed over the axes along which x was broadcast
 */

import { fail } from "../core/error.ts";
import { type Graph, node, type Shape, size, type Tensor } from "./graph.ts";

export function add(x: Tensor, y: Tensor): Tensor {
  return elementwise("Add", x, y, (dz) => [dz, dz]);
}

export function subtract(x: Tensor, y: Tensor): Tensor {
  return elementwise("Sub", x, y, (dz) => [dz, negate(dz)]);
}

export function multiply(x: Tensor, y: Tensor): Tensor {
  return elementwise("Mul", x, y, (dz, a, b) => [multiply(dz, b), multiply(dz, a)]);
}

export function divide(x: Tensor, y: Tensor): Tensor {
  return elementwise("Div", x, y, (dz, _, b, z) => [divide(dz, b), negate(divide(multiply(dz, z), b))]);
}

export function negate(x: Tensor): Tensor {
  return node("Neg", [x], { shape: x.shape, gradient: (dy) => [negate(dy)] });
}

/** x * factor, for a number. */
export function scale(x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : multiply(x, x.graph.scalar(factor));
}

/** x + amount, for a number. */
export function shift(x: Tensor, amount: number): Tensor {
  return add(x, x.graph.scalar(amount));
}

function elementwise(
  op: string,
  x: Tensor,
  y: Tensor,
  gradient: (dz: Tensor, x: Tensor, y: Tensor, z: Tensor) => readonly [Tensor, Tensor],
): Tensor {
  const shape = broadcast(op, x.shape, y.shape);
  // ONNX Runtime takes [..., 1] and a number one element at a time, five times as slow as a vector and a number.
  const isColumn = shape.at(-1) === 1 && size(shape) > 1 && (size(x.shape) === 1 || size(y.shape) === 1);
  if (isColumn) {
    const flat = (each: Tensor) => reshape(each, size(each.shape) === 1 ? [] : [-1]);
    return reshape(elementwise(op, flat(x), flat(y), gradient), shape);
  }
  return node(op, [x, y], {
    shape,
    dtype: x.dtype,
    gradient: (dz, z) => {
      const [dx, dy] = gradient(dz, x, y, z);
      return [sumTo(dx, x.shape), sumTo(dy, y.shape)];
    },
  });
}

/** The broadcast shape of two operands, aligned at the last axis. */
export function broadcast(at: string, x: Shape, y: Shape): Shape {
  const rank = Math.max(x.length, y.length);
  return Array.from({ length: rank }, (_, axis) => {
    const a = x[axis - rank + x.length] ?? 1;
    const b = y[axis - rank + y.length] ?? 1;
    if (a !== b && a !== 1 && b !== 1) fail(at, "shapes that broadcast", `[${x}] and [${y}]`);
    return a === 1 ? b : a;
  });
}

/** Sums a gradient over the axes along which its operand, of the given shape, was broadcast. */
export function sumTo(dy: Tensor, shape: Shape): Tensor {
  if (dy.shape.join() === shape.join()) return dy;
  const extra = dy.shape.length - shape.length;
  const axes = dy.shape.flatMap((length, axis) =>
    axis < extra || (shape[axis - extra] === 1 && length !== 1) ? [axis] : [],
  );
  return reshape(axes.length === 0 ? dy : sum(dy, { axes }), shape);
}

export interface ReduceOptions {
  /** All axes by default; negative ones count from the end. */
  readonly axes?: readonly number[];
  /** Keep the reduced axes with length 1. */
  readonly keep?: boolean;
}

/** The sum over `axes`, by default all; with `keep` they stay, with length 1. */
export function sum(x: Tensor, options: ReduceOptions = {}): Tensor {
  return reduce("ReduceSum", x, options, (dy) => dy);
}

/** The mean over `axes`, by default all; with `keep` they stay, with length 1. */
export function mean(x: Tensor, options: ReduceOptions = {}): Tensor {
  const count = normalAxes(x, options).reduce((product, axis) => product * x.shape[axis], 1);
  return reduce("ReduceMean", x, options, (dy) => scale(dy, 1 / count));
}

/** x [..., n, ...] -> the same shape: the inclusive prefix sums along the axis. */
export function cumulativeSum(x: Tensor, axis: number): Tensor {
  const along = normalizeAxis("cumulativeSum", x.shape, axis);
  const at = x.graph.constant(BigInt64Array.of(BigInt(along)), []);
  const over = (y: Tensor, reverse: number, gradient?: (dy: Tensor) => readonly Tensor[]): Tensor =>
    node("CumSum", [y, at], { shape: y.shape, attributes: { reverse }, ...(gradient && { gradient }) });
  return over(x, 0, (dy) => [over(dy, 1)]);
}

function reduce(op: string, x: Tensor, options: ReduceOptions, share: (dy: Tensor) => Tensor): Tensor {
  const axes = normalAxes(x, options);
  if (axes.length === 0) return x; // ONNX interprets an empty list as all axes
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
  return [...new Set(axes.map((axis) => normalizeAxis("reduce", x.shape, axis)))];
}

/** The same numbers in the same order with another shape; one dimension may be -1. */
export function reshape(x: Tensor, wanted: Shape): Tensor {
  const known = wanted.reduce((product, length) => (length === -1 ? product : product * length), 1);
  const shape = wanted.map((length) => (length === -1 ? size(x.shape) / known : length));
  if (size(shape) !== size(x.shape) || !shape.every(Number.isInteger)) {
    fail("reshape", `${size(x.shape)} elements, as in [${x.shape}]`, wanted);
  }
  if (shape.join() === x.shape.join()) return x;
  return node("Reshape", [x, integers(x.graph, shape)], {
    shape,
    dtype: x.dtype,
    gradient: (dy) => [reshape(dy, x.shape)],
  });
}

/** Repeats axes of length 1 until x has the shape; the gradient sums over them. */
export function expand(x: Tensor, shape: Shape): Tensor {
  if (x.shape.join() === shape.join()) return x;
  if (broadcast("expand", x.shape, shape).join() !== shape.join()) {
    fail("expand", `a shape that [${x.shape}] broadcasts to`, shape);
  }
  return node("Expand", [x, integers(x.graph, shape)], {
    shape,
    dtype: x.dtype,
    gradient: (dy) => [sumTo(dy, x.shape)],
  });
}

/** The axis, counted from the start; negative ones count from the end. */
export function normalizeAxis(op: string, shape: Shape, axis: number): number {
  const at = axis < 0 ? axis + shape.length : axis;
  return shape[at] === undefined ? fail(op, `an axis of [${shape}]`, axis) : at;
}

export function integers(graph: Graph, values: readonly number[]): Tensor {
  return graph.constant(BigInt64Array.from(values, BigInt), [values.length]);
}

/** @file Changes of shape without arithmetic: reshape, transpose, expand, slice, concat, split, pad. */

import { fail } from "../records/error.ts";
import { sumTo } from "./arithmetic.ts";
import { type Graph, node, nodes, type Shape, size, type Tensor } from "./graph.ts";

/** The same numbers in the same order under another shape; one dimension may be -1. */
export function reshape(x: Tensor, wanted: Shape): Tensor {
  const known = wanted.reduce((product, length) => (length === -1 ? product : product * length), 1);
  const shape = wanted.map((length) => (length === -1 ? size(x.shape) / known : length));
  if (size(shape) !== size(x.shape)) fail("reshape", `${size(x.shape)} elements`, shape);
  if (shape.join() === x.shape.join()) return x;
  return node("Reshape", [x, integers(x.graph, shape)], {
    shape,
    dtype: x.dtype,
    gradient: (dy) => [reshape(dy, x.shape)],
  });
}

/** y's axis i is x's axis order[i]. */
export function transpose(x: Tensor, order: readonly number[]): Tensor {
  if (order.every((axis, i) => axis === i)) return x;
  const shape = order.map((axis) => x.shape[axis]);
  if (shape.length !== x.shape.length || shape.includes(undefined as never)) {
    fail("transpose", `an order of ${x.shape.length} axes`, order);
  }
  const inverse = order.map((_, axis) => order.indexOf(axis));
  return node("Transpose", [x], {
    shape,
    dtype: x.dtype,
    attributes: { perm: order },
    gradient: (dy) => [transpose(dy, inverse)],
  });
}

/** Repeats axes of length 1 until x has the shape; the gradient sums over them. */
export function expand(x: Tensor, shape: Shape): Tensor {
  if (x.shape.join() === shape.join()) return x;
  return node("Expand", [x, integers(x.graph, shape)], {
    shape,
    dtype: x.dtype,
    gradient: (dy) => [sumTo(dy, x.shape)],
  });
}

/** x[..., start:end, ...] along one axis; the gradient is padded with zeros. */
export function slice(x: Tensor, axis: number, start: number, end: number): Tensor {
  const at = (axis + x.shape.length) % x.shape.length;
  const length = x.shape[at];
  if (!(start >= 0 && start < end && end <= length)) {
    fail("slice", `0 <= start < end <= ${length} on axis ${at}`, [start, end]);
  }
  if (start === 0 && end === length) return x;
  const { graph } = x;
  const bounds = [[start], [end], [at]].map((value) => integers(graph, value));
  return node("Slice", [x, ...bounds], {
    shape: x.shape.with(at, end - start),
    dtype: x.dtype,
    gradient: (dy) => [pad(dy, at, start, length - end)],
  });
}

/** Zeros before and after along one axis. */
export function pad(x: Tensor, axis: number, before: number, after: number): Tensor {
  if (before === 0 && after === 0) return x;
  const rank = x.shape.length;
  const at = (axis + rank) % rank;
  const pads = new Array<number>(2 * rank).fill(0);
  pads[at] = before;
  pads[rank + at] = after;
  const length = x.shape[at];
  return node("Pad", [x, integers(x.graph, pads)], {
    shape: x.shape.with(at, before + length + after),
    dtype: x.dtype,
    gradient: (dy) => [slice(dy, at, before, before + length)],
  });
}

/** Joins tensors along one axis. */
export function concat(parts: readonly Tensor[], axis: number): Tensor {
  if (parts.length === 1) return parts[0];
  const at = (axis + parts[0].shape.length) % parts[0].shape.length;
  const lengths = parts.map((part) => part.shape[at]);
  for (const part of parts) {
    if (part.shape.with(at, 0).join() !== parts[0].shape.with(at, 0).join()) {
      fail("concat", `shapes equal but for axis ${at}`, parts.map((each) => `[${each.shape}]`).join(" "));
    }
  }
  return node("Concat", parts, {
    shape: parts[0].shape.with(at, lengths.reduce((a, b) => a + b, 0)),
    dtype: parts[0].dtype,
    attributes: { axis: at },
    gradient: (dy) => split(dy, at, lengths),
  });
}

/** Cuts x into parts of the given lengths along one axis. */
export function split(x: Tensor, axis: number, lengths: readonly number[]): readonly Tensor[] {
  if (lengths.length === 1) return [x];
  const at = (axis + x.shape.length) % x.shape.length;
  if (lengths.reduce((a, b) => a + b, 0) !== x.shape[at]) {
    fail("split", `lengths that add up to ${x.shape[at]}`, lengths);
  }
  const zeros = (length: number) => {
    const shape = x.shape.with(at, length);
    return expand(reshape(x.graph.scalar(0), shape.map(() => 1)), shape);
  };
  return nodes("Split", [x, integers(x.graph, lengths)], {
    outputs: lengths.map((length) => ({ shape: x.shape.with(at, length), dtype: x.dtype })),
    attributes: { axis: at },
    gradient: (dy) => [concat(dy.map((each, i) => each ?? zeros(lengths[i])), at)],
  });
}

function integers(graph: Graph, values: readonly number[]): Tensor {
  return graph.constant(BigInt64Array.from(values, BigInt), [values.length]);
}

/** @file Changes of shape without arithmetic: transpose, slice, concat, split, pad. `reshape` and `expand` are in arithmetic.ts. */

import { fail } from "../core/error.ts";
import { expand, integers, normalizeAxis, reshape } from "./arithmetic.ts";
import { type Graph, node, nodes, type Shape, type Tensor } from "./graph.ts";

/** y's axis i is x's axis order[i]. */
export function transpose(x: Tensor, order: readonly number[]): Tensor {
  const rank = x.shape.length;
  const isOrder = order.length === rank && x.shape.every((_, axis) => order.includes(axis));
  if (!isOrder) fail("transpose", `an order of the ${rank} axes of [${x.shape}]`, order);
  if (order.every((axis, i) => axis === i)) return x;
  const shape = order.map((axis) => x.shape[axis]);
  const inverse = order.map((_, axis) => order.indexOf(axis));
  return node("Transpose", [x], {
    shape,
    dtype: x.dtype,
    attributes: { perm: order },
    gradient: (dy) => [transpose(dy, inverse)],
  });
}

/** y if x = transpose(y, order). */
export function untransposed(x: Tensor, order: readonly number[]): Tensor | undefined {
  const producer = x.graph.producer(x);
  const isIt = producer?.op === "Transpose" && String(producer.attributes.perm) === String(order);
  return isIt ? producer.inputs[0] : undefined;
}

/** A tensor filled with one number, stored once. */
export function full(graph: Graph, shape: Shape, value: number): Tensor {
  const ones = shape.map(() => 1);
  return expand(reshape(graph.scalar(value), ones), shape);
}

/** x[..., start:end, ...] along one axis; the gradient is padded with zeros. */
export function slice(x: Tensor, axis: number, start: number, end: number): Tensor {
  const at = normalizeAxis("slice", x.shape, axis);
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
  const rank = x.shape.length;
  const at = normalizeAxis("pad", x.shape, axis);
  if (!(before >= 0 && after >= 0)) fail("pad", "no fewer than 0 zeros before and after", [before, after]);
  if (before === 0 && after === 0) return x;
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
  if (parts.length === 0) fail("concat", "at least one part", 0);
  const at = normalizeAxis("concat", parts[0].shape, axis);
  if (parts.length === 1) return parts[0];
  const lengths = parts.map((part) => part.shape[at]);
  const others = ({ shape }: Tensor) => shape.map((length, i) => (i === at ? "any" : length)).join();
  for (const part of parts) {
    if (others(part) !== others(parts[0])) {
      fail("concat", `shapes equal but for axis ${at}`, parts.map((each) => `[${each.shape}]`).join(" "));
    }
  }
  return node("Concat", parts, {
    shape: parts[0].shape.with(
      at,
      lengths.reduce((a, b) => a + b, 0),
    ),
    dtype: parts[0].dtype,
    attributes: { axis: at },
    gradient: (dy) => split(dy, at, lengths),
  });
}

/** Cuts x into parts of the given lengths along one axis. */
export function split(x: Tensor, axis: number, lengths: readonly number[]): readonly Tensor[] {
  const at = normalizeAxis("split", x.shape, axis);
  const whole = lengths.every((length) => Number.isInteger(length) && length > 0);
  if (!whole || lengths.reduce((a, b) => a + b, 0) !== x.shape[at]) {
    fail("split", `lengths that add up to ${x.shape[at]}`, lengths);
  }
  if (lengths.length === 1) return [x];
  return nodes("Split", [x, integers(x.graph, lengths)], {
    outputs: lengths.map((length) => ({ shape: x.shape.with(at, length), dtype: x.dtype })),
    attributes: { axis: at },
    gradient: (dy) => [
      concat(
        dy.map((each, i) => each ?? full(x.graph, x.shape.with(at, lengths[i]), 0)),
        at,
      ),
    ],
  });
}

/**
 * @file Elementwise sums, differences, products, quotients, with NumPy broadcasting.
 *
 *     z = x * y;  dx = dz * y, summed over the axes along which x was broadcast
 */

import { fail } from "../records/error.ts";
import { node, type Shape, type Tensor } from "./graph.ts";
import { sum } from "./reduce.ts";
import { reshape } from "./shape.ts";

export function add(x: Tensor, y: Tensor): Tensor {
  return elementwise("Add", x, y, (dz) => [dz, dz]);
}

export function subtract(x: Tensor, y: Tensor): Tensor {
  return elementwise("Sub", x, y, (dz) => [dz, negate(dz)]);
}

export function multiply(x: Tensor, y: Tensor): Tensor {
  return elementwise("Mul", x, y, (dz) => [multiply(dz, y), multiply(dz, x)]);
}

export function divide(x: Tensor, y: Tensor): Tensor {
  return elementwise("Div", x, y, (dz, z) => [divide(dz, y), negate(divide(multiply(dz, z), y))]);
}

export function negate(x: Tensor): Tensor {
  return node("Neg", [x], { shape: x.shape, gradient: (dy) => [negate(dy)] });
}

/** x * factor, for a number. */
export function scale(x: Tensor, factor: number): Tensor {
  return factor === 1 ? x : multiply(x, x.graph.scalar(factor));
}

/** x + shift, for a number. */
export function shift(x: Tensor, amount: number): Tensor {
  return add(x, x.graph.scalar(amount));
}

function elementwise(
  op: string,
  x: Tensor,
  y: Tensor,
  gradient: (dz: Tensor, z: Tensor) => readonly [Tensor, Tensor],
): Tensor {
  const shape = broadcast(op, x.shape, y.shape);
  return node(op, [x, y], {
    shape,
    dtype: x.dtype,
    gradient: (dz, z) => {
      const [dx, dy] = gradient(dz, z);
      return [sumTo(dx, x.shape), sumTo(dy, y.shape)];
    },
  });
}

/** The shape of two operands stretched to each other, aligned at the last axis. */
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

/**
 * @file Root-mean-square and unit-length normalization over the last axis.
 *
 *     r = L / (sum(x^2) + epsilon)^1/2,   y = r x;   dx = r (dy - y sum(dy y) / L^2)
 *
 * RMSNorm's learned scale is a separate product: before a linear layer it is cheaper on the weight's rows.
 * Source: Zhang and Sennrich 2019, arXiv:1910.07467.
 */

import { sqrt } from "./activations.ts";
import { divide, integers, multiply, reshape, scale, shift, subtract, sum } from "./arithmetic.ts";
import { node, type Tensor, withGradient } from "./graph.ts";

/** x [..., d] -> [..., d], each row with root mean square 1: L = d^1/2. `epsilon` is added to the mean square. */
export function rmsNorm(x: Tensor, epsilon = 1e-6): Tensor {
  const width = x.shape.at(-1)!;
  return unitNorm(x, width * epsilon, Math.sqrt(width));
}

/** x [..., d] -> [..., d], each row with length L. */
export function unitNorm(x: Tensor, epsilon = 1e-6, length = 1): Tensor {
  const squares = node("ReduceSumSquare", [x, integers(x.graph, [x.shape.length - 1])], {
    shape: x.shape.slice(0, -1),
    attributes: { keepdims: 0 },
  });
  const column = (each: Tensor) => reshape(each, x.shape.with(-1, 1));
  const r = column(divide(x.graph.scalar(length), sqrt(shift(squares, epsilon))));
  const y = multiply(x, r);
  return withGradient(y, [x], (dy) => {
    const along = column(scale(sum(multiply(dy, y), { axes: [-1] }), length ** -2));
    return [multiply(r, subtract(dy, multiply(y, along)))];
  });
}

/**
 * @file Root-mean-square and unit-length normalization over the last axis.
 *
 *     r = (mean(x^2) + epsilon)^-1/2,  y = r x;  dx = r (dy - y mean(dy y))
 *     r = (sum(x^2) + epsilon)^-1/2,   y = r x;  dx = r (dy - y sum(dy y))
 *
 * RMSNorm's learned scale is a separate product: before a linear layer it is cheaper on the weight's rows.
 * Source: Zhang and Sennrich 2019, arXiv:1910.07467.
 */

import { sqrt } from "./activations.ts";
import { divide, mean, multiply, shift, subtract, sum } from "./arithmetic.ts";
import { type Tensor, withGradient } from "./graph.ts";

const LAST = { axes: [-1], keep: true } as const;

/** x [..., d] -> [..., d], each row with root mean square 1. */
export function rmsNorm(x: Tensor, epsilon = 1e-6): Tensor {
  return normalize(x, epsilon, (squares) => mean(squares, LAST));
}

/** x [..., d] -> [..., d], each row with length 1. */
export function unitNorm(x: Tensor, epsilon = 1e-6): Tensor {
  return normalize(x, epsilon, (squares) => sum(squares, LAST));
}

function normalize(x: Tensor, epsilon: number, total: (squares: Tensor) => Tensor): Tensor {
  const r = divide(x.graph.scalar(1), sqrt(shift(total(multiply(x, x)), epsilon)));
  const y = multiply(x, r);
  return withGradient(y, [x], (dy) => [multiply(r, subtract(dy, multiply(y, total(multiply(dy, y)))))]);
}

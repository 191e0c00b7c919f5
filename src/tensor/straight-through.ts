/**
 * @file A choice that is made whole, and learned as if it were made in shares.
 *
 *     y = 1 at the largest of each row, of equals the first; else 0
 *     dx = s o (dy - sum(dy s)),  s = softmax(x)                      "straight through"
 *
 * The gradient is that of the softmax, not of y, whose slope is 0 wherever it has one.
 * Source: Bengio et al. 2013, arXiv:1308.3432; Jang et al. 2017, arXiv:1611.01144.
 */

import { multiply, subtract, sum } from "./arithmetic.ts";
import { oneHot } from "./embedding.ts";
import { node, type Tensor, withGradient } from "./graph.ts";
import { softmax } from "./softmax.ts";

/** x [..., n] -> [..., n]. */
export function choice(x: Tensor): Tensor {
  const shape = x.shape.slice(0, -1);
  const attributes = { axis: x.shape.length - 1, keepdims: 0 };
  const largest = node("ArgMax", [x], { shape, dtype: "int64", attributes });
  const index = node("Cast", [largest], { shape, dtype: "int32", attributes: { to: 6 } });
  return withGradient(oneHot(index, x.shape.at(-1)!), [x], (dy) => {
    const shares = softmax(x);
    return [multiply(shares, subtract(dy, sum(multiply(dy, shares), { axes: [-1], keep: true })))];
  });
}

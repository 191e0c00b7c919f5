/**
 * @file Discrete choices: the largest entries of a row, and an argmax with a straight-through gradient.
 *
 *     y = 1 at the n largest of each row, ties in favor of the first; else 0
 *
 * It has no gradient: it is piecewise constant. A choice learns through a differentiable factor, such as its softmax probability.
 */

import { fail } from "../core/error.ts";
import { multiply, subtract, sum } from "./arithmetic.ts";
import { oneHot } from "./embedding.ts";
import { node, nodes, type Tensor, withGradient } from "./graph.ts";
import { softmax } from "./softmax.ts";

/** x [..., d] -> [..., d], 1 at the `count` largest of each row, ties in favor of the first, and 0 elsewhere. No gradient. */
export function largestOnes(x: Tensor, count: number): Tensor {
  const width = x.shape.at(-1)!;
  if (!(Number.isInteger(count) && count > 0 && count <= width))
    fail("largestOnes", `a count from 1 to ${width}`, count);
  const shape = [...x.shape.slice(0, -1), count];
  const [, places] = nodes("TopK", [x, x.graph.constant(BigInt64Array.of(BigInt(count)), [1])], {
    outputs: [{ shape }, { shape, dtype: "int64" }],
    attributes: { axis: x.shape.length - 1 },
  });
  const index = node("Cast", [places], { shape, dtype: "int32", attributes: { to: 6 } });
  return sum(oneHot(index, width), { axes: [-2] });
}

/*
 * A hard choice with the gradient of a soft one.
 *
 *     y = 1 at the largest of each row, ties in favor of the first; else 0
 *     dx = s o (dy - sum(dy s)),  s = softmax(x)                      "straight through"
 *
 * The gradient is that of the softmax, since the derivative of y is 0 wherever it exists.
 * Source: Bengio et al. 2013, arXiv:1308.3432; Jang et al. 2017, arXiv:1611.01144.
 */

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

/**
 * @file Maximum and absolute value, and `detached` for a maximum that only prevents overflow.
 *
 *     z = max(x, y);  dx = dz where x >= y, dy = dz elsewhere;   a = |x|, dx = da sign(x);   detached(x) = x, dx = 0
 *
 * With m = largest(x), log sum_i e^(x_i) = m + log sum_i e^(x_i - m) for every m: the gradient through m is 0 and need not be computed,
 * hence `detached`.
 */

import { broadcast, multiply, subtract, sumTo } from "./arithmetic.ts";
import { toFloat } from "./embedding.ts";
import { node, type Tensor } from "./graph.ts";

/** The larger of the two, element by element, with broadcasting. */
export function maximum(x: Tensor, y: Tensor): Tensor {
  const shape = broadcast("maximum", x.shape, y.shape);
  return node("Max", [x, y], {
    shape,
    gradient: (dz) => {
      const dx = multiply(dz, atLeast(x, y));
      return [sumTo(dx, x.shape), sumTo(subtract(dz, dx), y.shape)];
    },
  });
}

/** 1 where x >= y, else 0, with broadcasting. No gradient. */
export function atLeast(x: Tensor, y: Tensor): Tensor {
  const shape = broadcast("atLeast", x.shape, y.shape);
  return toFloat(node("GreaterOrEqual", [x, y], { shape, dtype: "bool" }));
}

export function absolute(x: Tensor): Tensor {
  return node("Abs", [x], {
    shape: x.shape,
    gradient: (dy) => [multiply(dy, node("Sign", [x], { shape: x.shape }))],
  });
}

/** [..., d] -> [..., 1], the largest of each row. No gradient: for use with `detached`. */
export function largest(x: Tensor): Tensor {
  const axes = x.graph.constant(BigInt64Array.of(-1n), [1]);
  return node("ReduceMax", [x, axes], { shape: [...x.shape.slice(0, -1), 1], attributes: { keepdims: 1 } });
}

/** x, through which no gradient flows. */
export function stopGradient(x: Tensor): Tensor {
  return node("Identity", [x], { shape: x.shape, gradient: () => [undefined] });
}

/**
 * @file Softmax and log-softmax over the last axis.
 *
 *     y_i = exp(x_i) / sum_j exp(x_j);  dx = y (dy - sum(dy y));   log y: dx = dy - y sum(dy)
 */

import { exp } from "./activations.ts";
import { multiply, subtract, sum } from "./arithmetic.ts";
import { node, type Tensor } from "./graph.ts";

/** Over the last axis. */
export function softmax(x: Tensor): Tensor {
  return node("Softmax", [x], {
    shape: x.shape,
    attributes: { axis: x.shape.length - 1 },
    gradient: (dy, y) => [multiply(y, subtract(dy, sum(multiply(dy, y), { axes: [-1], keep: true })))],
  });
}

/** The logarithm of softmax, over the last axis. */
export function logSoftmax(x: Tensor): Tensor {
  return node("LogSoftmax", [x], {
    shape: x.shape,
    attributes: { axis: x.shape.length - 1 },
    gradient: (dy, y) => [subtract(dy, multiply(exp(y), sum(dy, { axes: [-1], keep: true })))],
  });
}

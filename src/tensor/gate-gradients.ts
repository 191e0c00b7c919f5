/**
 * @file Common parts of the closed-form gradients of gated recurrences.
 *
 *     before: h_{t-1}, with h_0 = 0;   s = sigmoid(x): ds/dx = s (1 - s);   n = tanh(x): dn/dx = 1 - n^2
 */

import { multiply, subtract } from "./arithmetic.ts";
import { node, type Tensor } from "./graph.ts";
import { concat, full, slice } from "./shape.ts";

/** [T, B, d] shifted by one step in time, with zeros first. */
export function before(states: Tensor): Tensor {
  const [length, batch, width] = states.shape;
  const first = full(states.graph, [1, batch, width], 0);
  return length === 1 ? first : concat([first, slice(states, 0, 0, length - 1)], 0);
}

/** sum [B, n] + x [B, d] weight' for a weight [n, d], in one node; without gradient. */
export function addProduct(sum: Tensor, x: Tensor, weight: Tensor): Tensor {
  return node("Gemm", [x, weight, sum], { shape: sum.shape, attributes: { transB: 1 } });
}

/** A state times its keep factor; unchanged without one. */
export function kept(state: Tensor, keeps: Tensor | undefined): Tensor {
  return keeps === undefined ? state : multiply(state, keeps);
}

/** ds/dx of s = sigmoid(x). */
export function slopeOfSigmoid(s: Tensor): Tensor {
  return multiply(s, oneMinus(s));
}

export function oneMinus(x: Tensor): Tensor {
  return subtract(x.graph.scalar(1), x);
}

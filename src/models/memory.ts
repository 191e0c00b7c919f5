/**
 * @file One step of a matrix memory S [B, h, dk, dv], for models that go token by token.
 *
 *     writeDelta: S + b k (v - S' k)'        recall: S' q
 */

import { add, matmul, multiply, reshape, subtract, type Tensor } from "../tensor/index.ts";

/** k [B, h, dk], v [B, h, dv], beta [B, h] -> the memory after. */
export function writeDelta(S: Tensor, k: Tensor, v: Tensor, beta: Tensor): Tensor {
  const error = subtract(asRow(v), matmul(asRow(k), S)); // v' - k' S  [B, h, 1, dv]
  return add(S, multiply(multiply(asColumn(k), error), asCell(beta)));
}

/** q [B, h, dk] -> [B, 1, h, dv]. */
export function recall(S: Tensor, q: Tensor): Tensor {
  const [batch, heads] = S.shape;
  return reshape(matmul(asRow(q), S), [batch, 1, heads, -1]);
}

/** [B, h, d] -> [B, h, 1, d]. */
export function asRow(x: Tensor): Tensor {
  const [batch, heads, width] = x.shape;
  return reshape(x, [batch, heads, 1, width]);
}

/** [B, h, d] -> [B, h, d, 1]. */
export function asColumn(x: Tensor): Tensor {
  return reshape(x, [...x.shape, 1]);
}

/** [B, h] -> [B, h, 1, 1]. */
export function asCell(x: Tensor): Tensor {
  return reshape(x, [...x.shape, 1, 1]);
}

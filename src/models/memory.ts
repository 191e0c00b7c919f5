/**
 * @file One step of a matrix memory S [B, h, dk, dv], for models that go token by token.
 *
 *     writeDelta: S + b k (v - S' k)'        writeDplr: diag(e^l) S + b (a' S) + k v'        recall: S' q
 */

import {
  add,
  type DiagonalPlusRankOne,
  exp,
  matmul,
  multiply,
  reshape,
  subtract,
  type Tensor,
} from "../tensor/index.ts";

/** Up to here the steps of a chunk are solved for together without loss; a longer one would cost more, too. */
const LONGEST_CHUNK = 64;

/** Steps per chunk where so many follow on a memory. */
export function atOnce(steps: number): number {
  return Math.min(steps, LONGEST_CHUNK);
}

/** k [B, h, dk], v [B, h, dv], beta [B, h] -> the memory after. */
export function writeDelta(S: Tensor, k: Tensor, v: Tensor, beta: Tensor): Tensor {
  const error = subtract(asRow(v), matmul(asRow(k), S)); // v' - k' S  [B, h, 1, dv]
  return add(S, multiply(multiply(asColumn(k), error), asCell(beta)));
}

/** k, and a and b where there are any, [B, h, dk], v [B, h, dv], l [B, h, dk] or [B, h] -> the memory after. */
export function writeDplr(S: Tensor, given: Omit<DiagonalPlusRankOne, "q">): Tensor {
  const { k, v, logDecay, removal } = given;
  const decay = reshape(exp(logDecay), [...S.shape.slice(0, 2), -1, 1]);
  const kept = add(multiply(S, decay), multiply(asColumn(k), asRow(v)));
  if (removal === undefined) return kept;
  return add(kept, multiply(asColumn(removal.write), matmul(asRow(removal.read), S)));
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

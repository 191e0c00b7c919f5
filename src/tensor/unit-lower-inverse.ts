/**
 * @file The inverse of a unit lower triangular matrix, by merging the inverses of its diagonal blocks.
 *
 *     R = I;  for s = 1, 2, 4, ... < C:  R = R - R (A o mask_s) R          mask_s: the lower-left s x s block of each 2s block
 *     R = R + R (I - (I + tril(A, -1)) R)                                   one step of Newton's iteration
 *     R = (I + tril(A, -1))^-1;  dA = tril(-R' dR R', -1)
 *
 * Each merge amplifies the rounding errors of its blocks; the Newton step removes this: with one key throughout, beta = 1.99 and chunks
 * of 83 the delta rule's worst error falls from 2e-4 to 6e-5, which is that of chunks of 8. The well-known product (I - A)(I + A^2)(I +
 * A^4)... is equal in exact arithmetic but useless here: with beta near 2 and repeated keys, as in state tracking, its powers overwhelm
 * float32.
 */

import { fail } from "../core/error.ts";
import { add, expand, multiply, negate, subtract } from "./arithmetic.ts";
import { type Graph, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";

/** a [..., C, C], of which only the part below the diagonal is read -> [..., C, C]. */
export function unitLowerInverse(a: Tensor): Tensor {
  const order = a.shape.at(-1)!;
  if (a.shape.length < 2 || a.shape.at(-2) !== order) fail("unitLowerInverse", "square matrices", a.shape);
  const { graph } = a;
  const identity = maskConstant(graph, order, (i, j) => i === j);
  let r = order === 1 ? expand(identity, a.shape) : identity; // the first merge adds a's leading axes
  for (let s = 1; s < order; s *= 2) {
    const block = multiply(
      a,
      maskConstant(graph, order, (i, j) => isMergedAt(s, i, j)),
    );
    // Initially R = I, which needs no products.
    r = subtract(r, s === 1 ? block : matmul(matmul(r, block), r));
  }
  if (order > 2) {
    const strict = multiply(
      a,
      maskConstant(graph, order, (i, j) => j < i),
    );
    r = add(r, matmul(r, subtract(subtract(identity, r), matmul(strict, r))));
  }
  return withGradient(r, [a], (dr) => {
    const dA = negate(matmul(matmul(r, dr, { transposeX: true }), r, { transposeY: true }));
    return [
      multiply(
        dA,
        maskConstant(graph, order, (i, j) => j < i),
      ),
    ];
  });
}

/** Whether (i, j) lies in the lower-left block that joins two neighbouring diagonal blocks of size s. */
export function isMergedAt(s: number, i: number, j: number): boolean {
  return Math.floor(i / (2 * s)) === Math.floor(j / (2 * s)) && i % (2 * s) >= s && j % (2 * s) < s;
}

/** [order, order], 1 where the condition is true, else 0. */
export function maskConstant(graph: Graph, order: number, holds: (i: number, j: number) => boolean): Tensor {
  const cells = Float32Array.from({ length: order * order }, (_, n) =>
    Number(holds(Math.floor(n / order), n % order)),
  );
  return graph.constant(cells, [order, order]);
}

/**
 * @file The inverse of a unit lower triangular matrix, by merging the inverses of its diagonal blocks.
 *
 *     M = -tril(A, -1);  R = I;  for s = 1, 2, 4, ... < C:  R = R + R (M o mask_s) R      mask_s: the lower-left s x s block of
 *     R = R + R (I - R + M R)  if C > 32                                                  each 2s block; then a step of Newton's
 *     R = (I - M)^-1;  dM = R' dR R';   Y = R X:  dX = R' dY, dM = dX Y'                  iteration
 *
 * Each merge amplifies the rounding errors of its blocks; the Newton step removes this: with one key throughout, beta = 1.99 and chunks
 * of 83 the delta rule's worst error falls from 2e-4 to 6e-5, which is that of chunks of 8. Up to 32 it changes little. The well-known product (I - A)(I + A^2)(I +
 * A^4)... is equal in exact arithmetic but useless here: with beta near 2 and repeated keys, as in state tracking, its powers overwhelm
 * float32.
 */

import { fail } from "../core/error.ts";
import { add, expand, multiply, subtract } from "./arithmetic.ts";
import { type Graph, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";

/** Up to this order the merges alone are exact to 5e-6. */
const ACCURATE = 32;

/** a [..., C, C], of which only the part below the diagonal is read -> R [..., C, C]. */
export function unitLowerInverse(a: Tensor): Tensor {
  const m = below("unitLowerInverse", a, -1);
  const r = inverse(m);
  return withGradient(r, [m], (dr) => [matmul(matmul(r, dr, { transposeX: true }), r, { transposeY: true })]);
}

/** -A of the same shape -> the map from x [..., C, n] to R x. */
export function unitLowerSolver(negative: Tensor): (x: Tensor) => Tensor {
  const m = below("unitLowerSolver", negative, 1);
  const r = inverse(negative);
  return (x) => {
    const y = matmul(r, x);
    return withGradient(y, [m, x], (dy) => {
      const dx = matmul(r, dy, { transposeX: true });
      return [matmul(dx, y, { transposeY: true }), dx];
    });
  };
}

/** factor tril(A, -1). */
function below(op: string, a: Tensor, factor: number): Tensor {
  const order = a.shape.at(-1)!;
  if (a.shape.length < 2 || a.shape.at(-2) !== order) fail(op, "square matrices", a.shape);
  return multiply(
    a,
    squareConstant(a.graph, order, (i, j) => (j < i ? factor : 0)),
  );
}

/** (I - tril(M, -1))^-1; the gradient is the caller's. */
function inverse(m: Tensor): Tensor {
  const order = m.shape.at(-1)!;
  const identity = maskConstant(m.graph, order, (i, j) => i === j);
  let r = order === 1 ? expand(identity, m.shape) : identity; // the first merge adds m's leading axes
  for (let s = 1; s < order; s *= 2) {
    const block = multiply(
      m,
      maskConstant(m.graph, order, (i, j) => isMergedAt(s, i, j)),
    );
    // Initially R = I, which needs no products.
    r = add(r, s === 1 ? block : matmul(matmul(r, block), r));
  }
  if (order <= ACCURATE) return r;
  const below = multiply(
    m,
    maskConstant(m.graph, order, (i, j) => j < i),
  );
  return add(r, matmul(r, add(subtract(identity, r), matmul(below, r))));
}

/** Whether (i, j) lies in the lower-left block that joins two neighbouring diagonal blocks of size s. */
export function isMergedAt(s: number, i: number, j: number): boolean {
  return Math.floor(i / (2 * s)) === Math.floor(j / (2 * s)) && i % (2 * s) >= s && j % (2 * s) < s;
}

/** [order, order], 1 where the condition is true, else 0. */
export function maskConstant(graph: Graph, order: number, holds: (i: number, j: number) => boolean): Tensor {
  return squareConstant(graph, order, (i, j) => Number(holds(i, j)));
}

function squareConstant(graph: Graph, order: number, cell: (i: number, j: number) => number): Tensor {
  const cells = Float32Array.from({ length: order * order }, (_, n) =>
    cell(Math.floor(n / order), n % order),
  );
  return graph.constant(cells, [order, order]);
}

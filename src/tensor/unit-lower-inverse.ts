/**
 * @file The inverse of a unit lower triangular matrix, by merging the inverses of its diagonal blocks.
 *
 *     M = -tril(A, -1);  R = I;  for s = 1, 2, 4, ... < C:  R = R + R (M o mask_s) R      mask_s: the lower-left s x s block of
 *     R = R + R (I - R + M R)                                                             each 2s block; then a step of Newton's
 *     R = (I - M)^-1;  dM = R' dR R';   Y = R X:  dX = R' dY, dM = dX Y'                  iteration
 *
 * Each merge amplifies the rounding errors of its blocks; the Newton step removes this: with one key throughout, beta = 1.99 and chunks
 * of 83 the delta rule's worst error falls from 2e-4 to 6e-5, which is that of chunks of 8. The well-known product (I - A)(I + A^2)(I +
 * A^4)... is equal in exact arithmetic but useless here: with beta near 2 and repeated keys, as in state tracking, its powers overwhelm
 * float32.
 */

import { fail } from "../core/error.ts";
import { add, expand, multiply, subtract } from "./arithmetic.ts";
import { type Graph, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";

/** a [..., C, C], of which only the part below the diagonal is read -> R [..., C, C]. */
export function unitLowerInverse(a: Tensor): Tensor {
  const m = negativePart("unitLowerInverse", a);
  const r = inverse(m);
  return withGradient(r, [m], (dr) => [matmul(matmul(r, dr, { transposeX: true }), r, { transposeY: true })]);
}

/** The same a -> the map from x [..., C, n] to R x. */
export function unitLowerSolver(a: Tensor): (x: Tensor) => Tensor {
  const m = negativePart("unitLowerSolver", a);
  const r = inverse(m);
  return (x) => {
    const y = matmul(r, x);
    return withGradient(y, [m, x], (dy) => {
      const dx = matmul(r, dy, { transposeX: true });
      return [matmul(dx, y, { transposeY: true }), dx];
    });
  };
}

/** M = -tril(A, -1). */
function negativePart(op: string, a: Tensor): Tensor {
  const order = a.shape.at(-1)!;
  if (a.shape.length < 2 || a.shape.at(-2) !== order) fail(op, "square matrices", a.shape);
  return multiply(
    a,
    squareConstant(a.graph, order, (i, j) => (j < i ? -1 : 0)),
  );
}

/** (I - M)^-1; the gradient is the caller's. */
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
  return order > 2 ? add(r, matmul(r, add(subtract(identity, r), matmul(m, r)))) : r;
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

/**
 * @file A gated network whose weights are a recurrent state: its output, its gradient step, and orthogonalization (equations in
 * lact.ts).
 *
 *     f(x) = (silu(x W0) o (x W2)) W1              rows x [..., n, dk];  W0, W2 [..., dk, dh],  W1 [..., dh, dv]
 */

import { shift } from "../tensor/arithmetic.ts";
import {
  add,
  divide,
  matmul,
  multiply,
  negate,
  scale,
  sigmoid,
  silu,
  split,
  sqrt,
  sum,
  type Tensor,
} from "../tensor/index.ts";

/** W0, W1 and W2, or one thing for each. */
export type Three = readonly [Tensor, Tensor, Tensor];

export const makeThree = (make: (i: number) => Tensor): Three => [make(0), make(1), make(2)];

/** a, b, c of five Newton-Schulz steps X <- a X + (b X X' + c (X X')^2) X, which bring singular values near 1. */
const STEPS = [
  [4.0848, -6.8946, 2.927],
  [3.9505, -6.3029, 2.6377],
  [3.7418, -5.5913, 2.3037],
  [2.8769, -3.1427, 1.2046],
  [2.8366, -3.0525, 1.2012],
] as const;

/** Added to squares, so that their root is differentiable at 0. */
const LEAST_SQUARE = 1e-14;

/** f(x) of each row. */
export function readFast([W0, W1, W2]: Three, x: Tensor): Tensor {
  return matmul(multiply(silu(matmul(x, W0)), matmul(x, W2)), W1);
}

/** The gradients of sum e f(k) v' over the rows k and v, e [..., n, 3] one for each of the weights. */
export function slopes([W0, W1, W2]: Three, k: Tensor, v: Tensor, rates: Tensor): Three {
  const [u, m] = [matmul(k, W0), matmul(k, W2)];
  const s = sigmoid(u);
  const active = multiply(u, s); // silu(u), of which `bend` is the slope
  const bend = multiply(s, shift(multiply(u, shift(negate(s), 1)), 1));
  const D = matmul(v, W1, { transposeY: true });
  const [e0, e1, e2] = split(rates, -1, [1, 1, 1]);
  const over = (rows: Tensor, values: Tensor) => matmul(rows, values, { transposeX: true });
  return [
    over(k, multiply(e0, multiply(multiply(D, m), bend))),
    over(multiply(active, m), multiply(e1, v)),
    over(k, multiply(e2, multiply(D, active))),
  ];
}

/** The length of each column. */
export function columnNorms(W: Tensor): Tensor {
  return sqrt(shift(sum(multiply(W, W), { axes: [-2], keep: true }), LEAST_SQUARE));
}

/** W + M, or W + orthogonal(M), with each column rescaled to its length in `lengths`. */
export function movedBy(W: Three, M: Three, lengths: Three, orthogonal: boolean): Three {
  return makeThree((i) => {
    const gone = add(W[i], orthogonal ? orthogonalised(M[i]) : M[i]);
    return multiply(divide(gone, columnNorms(gone)), lengths[i]);
  });
}

/**
 * M with its singular values moved near 1, for each matrix [..., n, m]. A value of 1/500 of the largest becomes as large as the others:
 * for such M float32 rounding is amplified to the first digits.
 */
export function orthogonalised(M: Tensor): Tensor {
  const size = sqrt(shift(sum(multiply(M, M), { axes: [-2, -1], keep: true }), LEAST_SQUARE));
  return STEPS.reduce(
    (X, [a, b, c]) => {
      const square = matmul(X, X, { transposeY: true });
      const both = add(scale(square, b), scale(matmul(square, square), c));
      return add(scale(X, a), matmul(both, X));
    },
    divide(M, size),
  );
}

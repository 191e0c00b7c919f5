/**
 * @file The delta rule over chunks between whose steps something is lost: by a decay, or whole where a session ends.
 *
 *     E_ij: what is left at step i of what step j wrote, j <= i, else 0;   e_i: what is left at step i of what the chunk began with
 *
 *     R = (I + tril(diag(b) K K' o E, -1))^-1;   W = R diag(b e) K;   U = R diag(b) V;   D = U - W S0
 *     O = diag(e) Q S0 + (Q K' o E) D;   S = e_C S0 + (diag(E_C) K)' D
 */

import { add, multiply, subtract } from "./arithmetic.ts";
import type { overChunks } from "./chunks.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { slice, transpose } from "./shape.ts";
import { unitLowerInverse } from "./unit-lower-inverse.ts";

export interface Left {
  /** E [N, B, h, C, C] and e [N, B, h, C, 1], or shapes that broadcast. */
  readonly between: Tensor;
  readonly sinceStart: Tensor;
}

/** Q, K, V, b [N, B, h, C, ...] behind what left S [B, h, dk, dv] -> O [N, B, h, C, dv], and S after the last chunk. */
export function deltaChunks(
  over: typeof overChunks,
  start: Tensor,
  [Q, K, V, b]: readonly Tensor[],
  { between, sinceStart }: Left,
): { readonly O: Tensor; readonly S: Tensor } {
  const size = K.shape[3];
  const bK = multiply(K, b);
  const R = unitLowerInverse(multiply(matmul(bK, K, { transposeY: true }), between));
  const W = matmul(R, multiply(bK, sinceStart));
  const U = matmul(R, multiply(V, b));
  const [left, untilEnd] = [sinceStart, between].map((each) => slice(each, 3, size - 1, size)); // of the last row
  const written = multiply(K, transpose(untilEnd, [0, 1, 2, 4, 3]));
  const { states, outputs } = over([W, U, written, left], [start], ([S], [w, u, key, kept]) => {
    const D = subtract(u, matmul(w, S));
    return { states: [add(multiply(S, kept), matmul(key, D, { transposeX: true }))], outputs: [S, D] };
  });
  const [S, D] = outputs; // before each chunk [N, B, h, dk, dv]; [N, B, h, C, dv]
  const P = multiply(matmul(Q, K, { transposeY: true }), between);
  return { O: add(matmul(multiply(Q, sinceStart), S), matmul(P, D)), S: states[0] };
}

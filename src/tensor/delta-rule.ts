/**
 * @file The delta rule over a whole sequence, in chunks of C steps.
 *
 *     S_t = (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t';  o_t = S_t' q_t                S [dk, dv], S_0 = 0
 *
 * Within a chunk that starts at state S0, with rows K, V, Q and beta b:
 *
 *     A = tril(diag(b) K K', -1);  R = (I + A)^-1;  W = -R diag(b) K;  U = R diag(b) V
 *     D = U + W S0;  O = Q S0 + tril(Q K') D;  S = S0 + K' D
 *
 * Everything but D and S is computed for all chunks at once; D and S are a scan over the chunks.
 * Source: Yang et al. 2024, arXiv:2406.06484. The step-by-step form is in delta-rule.naive.ts.
 */

import { fail } from "../core/error.ts";
import { add, multiply, negate } from "./arithmetic.ts";
import { chunkStates } from "./chunk-states.ts";
import { deltaChunks, sessionsInChunks, splitChunks } from "./chunks.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { full } from "./shape.ts";
import { maskConstant, unitLowerSolver } from "./unit-lower-inverse.ts";

export interface DeltaRuleOptions {
  /** Steps per chunk; any number. */
  readonly chunk?: number;
  /** int32 [B, T]: 1 where a session begins and the memory is reset (packed-sequences.ts). */
  readonly fresh?: Tensor | undefined;
}

/** The output of each step, [B, T, h, dv], and the memory after the last, [B, h, dk, dv]. */
export interface DeltaRuleResult {
  readonly o: Tensor;
  readonly S: Tensor;
}

/** q, k [B, T, h, dk], v [B, T, h, dv], beta [B, T, h] -> o [B, T, h, dv]. Scale q beforehand if wanted. */
export function deltaRule(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  beta: Tensor,
  options: DeltaRuleOptions = {},
): Tensor {
  checkDeltaShapes("deltaRule", q, k, v, beta);
  return overSteps(emptyMemory(k, v), [q, k, v, beta], options).o;
}

/** The same, starting from the memory `start` [B, h, dk, dv]. */
export function deltaRuleFrom(
  start: Tensor,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  beta: Tensor,
  options: DeltaRuleOptions = {},
): DeltaRuleResult {
  checkDeltaShapes("deltaRuleFrom", q, k, v, beta);
  return overSteps(start, [q, k, v, beta], options);
}

function overSteps(
  start: Tensor,
  [q, k, v, beta]: readonly Tensor[],
  { chunk = 32, fresh }: DeltaRuleOptions,
): DeltaRuleResult {
  // Padding steps of the last chunk have k = 0 and beta = 0, which change nothing.
  const { size, into, joined } = splitChunks("deltaRule", k.shape, chunk);
  const parts = [q, k, v, beta].map(into); // [N, B, h, C, d]; b [N, B, h, C, 1]
  if (fresh !== undefined) {
    const { O, S } = deltaChunks(start, parts, sessionsInChunks(fresh, chunk));
    return { o: joined(O), S };
  }
  const [Q, K, V, b] = parts;
  const removed = multiply(K, negate(b));
  const solve = unitLowerSolver(matmul(removed, K, { transposeY: true }));
  const W = solve(removed);
  const U = solve(multiply(V, b));
  const { before, D, last } = chunkStates(start, { W, U, K });
  const P = multiply(
    matmul(Q, K, { transposeY: true }),
    maskConstant(k.graph, size, (i, j) => j <= i),
  );
  return { o: joined(add(matmul(Q, before), matmul(P, D))), S: last };
}

/** S_0 = 0 [B, h, dk, dv]. */
export function emptyMemory(k: Tensor, v: Tensor): Tensor {
  const [batch, , heads, keyWidth] = k.shape;
  return full(k.graph, [batch, heads, keyWidth, v.shape[3]], 0);
}

export function checkDeltaShapes(op: string, q: Tensor, k: Tensor, v: Tensor, beta: Tensor): void {
  if (k.shape.length !== 4) fail(op, "k of shape [B, T, h, dk]", k.shape);
  const [batch, length, heads] = k.shape;
  const check = (name: string, x: Tensor, wanted: readonly unknown[]) => {
    if (x.shape.join() !== wanted.join()) fail(op, `${name} of shape [${wanted}]`, x.shape);
  };
  check("q", q, k.shape);
  check("v", v, [batch, length, heads, v.shape[3] ?? "dv"]);
  check("beta", beta, [batch, length, heads]);
}

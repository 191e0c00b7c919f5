/**
 * @file The delta rule with a decay, in chunks of C steps: the memory fades by a_t first, then the error is taken.
 *
 *     S_t = a_t (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t';  o_t = S_t' q_t             S [dk, dv], S_0 = 0
 *
 * Within a chunk that starts at state S0, with rows K, V, Q, beta b and g_i = log a_1 + ... + log a_i:
 *
 *     E_ij = a_{j+1} ... a_i for j <= i, else 0;  A = tril(diag(b) K K' o E, -1);  R = (I + A)^-1
 *     W = R diag(b e^g) K;  U = R diag(b) V;  D = U - W S0
 *     O = diag(e^g) Q S0 + (Q K' o E) D;  S = e^(g_C) S0 + (diag(E_C) K)' D
 *
 * The rule without decay (`deltaRule`) is an op of its own: a = 1 everywhere would be right here, and slower by all that is
 * done with E. Source: Yang et al. 2024, arXiv:2412.06464. The step-by-step form is in gated-delta-rule.naive.ts.
 */

import { fail } from "../records/error.ts";
import { exp } from "./activations.ts";
import { add, multiply, subtract } from "./arithmetic.ts";
import { chunksOf, overChunks, runningSum, sumsBetween } from "./chunks.ts";
import { checkDeltaShapes, type DeltaRuleOptions, type DeltaRuleResult, emptyMemory } from "./delta-rule.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { scan } from "./scan.ts";
import { slice, transpose } from "./shape.ts";
import { unitLowerInverse } from "./unit-lower-inverse.ts";

/**
 * q, k [B, T, h, dk], v [B, T, h, dv], beta and logDecay = log a, at most 0, [B, T, h] -> o [B, T, h, dv].
 * Scale q beforehand if wanted.
 */
export function gatedDeltaRule(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  beta: Tensor,
  logDecay: Tensor,
  options: DeltaRuleOptions = {},
): Tensor {
  checkGatedShapes("gatedDeltaRule", q, k, v, beta, logDecay);
  return overSteps(scan, emptyMemory(k, v), [q, k, v, beta, logDecay], options).o;
}

/** The same behind steps that left the memory `start` [B, h, dk, dv]. */
export function gatedDeltaRuleFrom(
  start: Tensor,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  beta: Tensor,
  logDecay: Tensor,
  options: DeltaRuleOptions = {},
): DeltaRuleResult {
  checkGatedShapes("gatedDeltaRuleFrom", q, k, v, beta, logDecay);
  return overSteps(overChunks, start, [q, k, v, beta, logDecay], options);
}

function checkGatedShapes(op: string, ...[q, k, v, beta, logDecay]: readonly Tensor[]): void {
  checkDeltaShapes(op, q, k, v, beta);
  if (logDecay.shape.join() !== beta.shape.join())
    fail(op, `logDecay of shape [${beta.shape}]`, logDecay.shape);
}

function overSteps(
  over: typeof overChunks,
  start: Tensor,
  [q, k, v, beta, logDecay]: readonly Tensor[],
  { chunk = 32 }: DeltaRuleOptions,
): DeltaRuleResult {
  // The steps that fill up the last chunk have k = 0, beta = 0 and log a = 0, which change nothing.
  const { size, into, joined } = chunksOf("gatedDeltaRule", k.shape, chunk);
  const [Q, K, V, b] = [q, k, v, beta].map(into); // [N, B, h, C, d]; b [N, B, h, C, 1]
  const logs = into(logDecay); // [N, B, h, C, 1]
  const E = exp(sumsBetween(logs)); // [N, B, h, C, C]
  const bK = multiply(K, b);
  const R = unitLowerInverse(multiply(matmul(bK, K, { transposeY: true }), E));
  const sinceStart = exp(runningSum(logs)); // e^g [N, B, h, C, 1]
  const W = matmul(R, multiply(bK, sinceStart));
  const U = matmul(R, multiply(V, b));
  const [decays, untilEnd] = [sinceStart, E].map((each) => slice(each, 3, size - 1, size)); // of the last row
  const written = multiply(K, transpose(untilEnd, [0, 1, 2, 4, 3]));
  const { states, outputs } = over([W, U, written, decays], [start], ([S], [w, u, key, decay]) => {
    const D = subtract(u, matmul(w, S));
    return { states: [add(multiply(S, decay), matmul(key, D, { transposeX: true }))], outputs: [S, D] };
  });
  const [S, D] = outputs; // before each chunk [N, B, h, dk, dv]; [N, B, h, C, dv]
  const P = multiply(matmul(Q, K, { transposeY: true }), E);
  return { o: joined(add(matmul(multiply(Q, sinceStart), S), matmul(P, D))), S: states[0] };
}

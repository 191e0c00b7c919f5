/**
 * @file The delta rule with decay, in chunks of C steps: the memory first decays by a_t, then the error is computed.
 *
 *     S_t = a_t (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t';  o_t = S_t' q_t             S [dk, dv], S_0 = 0
 *
 * Within a chunk that starts at state S0, with rows K, V, Q, beta b and g_i = log a_1 + ... + log a_i:
 *
 *     E_ij = a_{j+1} ... a_i for j <= i, else 0;  A = tril(diag(b) K K' o E, -1);  R = (I + A)^-1
 *     W = -R diag(b e^g) K;  U = R diag(b) V;  D = U + W S0
 *     O = diag(e^g) Q S0 + (Q K' o E) D;  S = e^(g_C) S0 + (diag(E_C) K)' D
 *
 * The rule without decay (`deltaRule`) is a separate op: a = 1 everywhere would be correct, but slower because of E. Source: Yang et
 * al. 2024, arXiv:2412.06464. The step-by-step form is in gated-delta-rule.naive.ts.
 */

import { fail } from "../core/error.ts";
import { exp } from "./activations.ts";
import { deltaChunks, runningSum, splitChunks, sumsBetween } from "./chunks.ts";
import { checkDeltaShapes, type DeltaRuleOptions, type DeltaRuleResult, emptyMemory } from "./delta-rule.ts";
import type { Tensor } from "./graph.ts";
import { forgetting } from "./packed-sequences.ts";

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
  return overSteps(emptyMemory(k, v), [q, k, v, beta, logDecay], options).o;
}

/** The same, starting from the memory `start` [B, h, dk, dv]. */
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
  return overSteps(start, [q, k, v, beta, logDecay], options);
}

function checkGatedShapes(op: string, ...[q, k, v, beta, logDecay]: readonly Tensor[]): void {
  checkDeltaShapes(op, q, k, v, beta);
  if (logDecay.shape.join() !== beta.shape.join())
    fail(op, `logDecay of shape [${beta.shape}]`, logDecay.shape);
}

function overSteps(
  start: Tensor,
  [q, k, v, beta, logDecay]: readonly Tensor[],
  { chunk = 32, fresh }: DeltaRuleOptions,
): DeltaRuleResult {
  // Padding steps of the last chunk have k = 0, beta = 0 and log a = 0, which change nothing.
  const { into, joined } = splitChunks("gatedDeltaRule", k.shape, chunk);
  const logs = into(forgetting(logDecay, fresh)); // [N, B, h, C, 1]
  const left = { between: exp(sumsBetween(logs)), sinceStart: exp(runningSum(logs)) };
  const { O, S } = deltaChunks(start, [q, k, v, beta].map(into), left);
  return { o: joined(O), S };
}

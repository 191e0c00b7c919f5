/**
 * @file A matrix memory with exponential gates, as in mLSTM, in chunks of C steps.
 *
 *     m_t = max(log f_t + m_{t-1}, i_t);  f' = e^(log f_t + m_{t-1} - m_t);  i' = e^(i_t - m_t)
 *     S_t = f' S_{t-1} + i' k_t v_t';  n_t = f' n_{t-1} + i' k_t;  h_t = S_t' q_t / max(|n_t' q_t|, e^-m_t)
 *
 * With an additional column of ones in V, whose memory is n, and g_i = log f_1 + ... + log f_i since the start of a chunk that begins
 * with S0 and m0:
 *
 *     L_ij = log f_{j+1} + ... + log f_i + i_j for j <= i, else -infinity;  m_i = max(g_i + m0, max_j L_ij)
 *     H = diag(e^(g + m0 - m)) Q S0 + (Q K' o e^(L - m)) V;  S = e^(g_C + m0 - m_C) S0 + (diag(e^(L_C - m_C)) K)' V
 *
 * h does not depend on m, which only prevents overflow: m is detached. Source: Beck et al. 2024, arXiv:2405.04517.
 */

import { fail } from "../core/error.ts";
import { exp } from "./activations.ts";
import { add, divide, multiply, negate, subtract } from "./arithmetic.ts";
import { overChunks, runningSum, splitChunks, sumsBetween } from "./chunks.ts";
import { checkDeltaShapes, type DeltaRuleOptions } from "./delta-rule.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { absolute, largest, maximum, stopGradient } from "./maximum.ts";
import { forgetting } from "./packed-sequences.ts";
import { scan } from "./scan.ts";
import { concat, full, slice, split, transpose } from "./shape.ts";

/**
 * q, k [B, T, h, dk], v [B, T, h, dv], input = i and logForget = log f, at most 0, [B, T, h] -> h [B, T, h, dv].
 * Scale q beforehand if wanted.
 */
export function matrixMemory(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  input: Tensor,
  logForget: Tensor,
  options: DeltaRuleOptions = {},
): Tensor {
  const given = checkedShapes("matrixMemory", q, k, v, input, logForget);
  const [batch, , heads, keyWidth] = k.shape;
  const empty = {
    S: full(k.graph, [batch, heads, keyWidth, v.shape[3] + 1], 0),
    m: full(k.graph, [batch, heads, 1, 1], 0), // any m0 works for S0 = 0
  };
  return overSteps(scan, empty, given, options).h;
}

/** S [B, h, dk, dv + 1], with n as its last column, and m [B, h, 1, 1]. */
export interface MatrixMemory {
  readonly S: Tensor;
  readonly m: Tensor;
}

/** The same, starting from the memory `start`; also returns the memory after it. */
export function matrixMemoryFrom(
  start: MatrixMemory,
  q: Tensor,
  k: Tensor,
  v: Tensor,
  input: Tensor,
  logForget: Tensor,
  options: DeltaRuleOptions = {},
): MatrixMemory & { readonly h: Tensor } {
  return overSteps(overChunks, start, checkedShapes("matrixMemoryFrom", q, k, v, input, logForget), options);
}

function checkedShapes(op: string, ...given: readonly Tensor[]): readonly Tensor[] {
  const [q, k, v, input, logForget] = given;
  checkDeltaShapes(op, q, k, v, input);
  if (logForget.shape.join() !== input.shape.join())
    fail(op, `logForget of shape [${input.shape}]`, logForget.shape);
  return given;
}

function overSteps(
  over: typeof overChunks,
  start: MatrixMemory,
  [q, k, v, input, logForget]: readonly Tensor[],
  { chunk = 32, fresh }: DeltaRuleOptions,
): MatrixMemory & { readonly h: Tensor } {
  const { size, into, joined } = splitChunks("matrixMemory", k.shape, chunk);
  const [Q, K] = [q, k].map(into); // [N, B, h, C, d]
  const V = into(withOnes(v));
  const logs = into(forgetting(logForget, fresh)); // [N, B, h, C, 1]
  const g = runningSum(logs);
  const L = add(sumsBetween(logs), transpose(into(input), [0, 1, 2, 4, 3])); // [N, B, h, C, C]
  const top = largest(L); // [N, B, h, C, 1]
  const [gLast, LLast, topLast] = [g, L, top].map((each) => slice(each, 3, size - 1, size));
  const stabilizers = over([gLast, topLast], [start.m], ([m], [decay, reached]) => {
    const after = maximum(add(decay, m), reached);
    return { states: [after], outputs: [m, after] };
  });
  const [m0, mLast] = stabilizers.outputs.map(stopGradient); // [N, B, h, 1, 1]
  const written = multiply(K, transpose(exp(subtract(LLast, mLast)), [0, 1, 2, 4, 3]));
  const decays = exp(subtract(add(gLast, m0), mLast));
  const { states, outputs } = over([written, V, decays], [start.S], ([S], [key, value, decay]) => ({
    states: [add(multiply(S, decay), matmul(key, value, { transposeX: true }))],
    outputs: [S],
  }));
  const [S] = outputs; // before each chunk [N, B, h, dk, dv + 1]
  const fromStart = add(g, m0);
  const m = stopGradient(maximum(fromStart, top)); // [N, B, h, C, 1]
  const P = multiply(matmul(Q, K, { transposeY: true }), exp(subtract(L, m)));
  const H = add(matmul(multiply(Q, exp(subtract(fromStart, m))), S), matmul(P, V));
  return { h: joined(readNormalized(H, m)), S: states[0], m: stabilizers.states[0] };
}

/** v [..., dv] -> [..., dv + 1], with a column of ones. */
export function withOnes(v: Tensor): Tensor {
  return concat([v, full(v.graph, [...v.shape.slice(0, -1), 1], 1)], -1);
}

/**
 * The least denominator. Rows that fill the last chunk have n'q = 0, and with m > 88 e^-m is 0, too: 0 / 0 would reach the gradients.
 * Its square is a number in float32.
 */
const LEAST = 1e-18;

/** S'q and n'q side by side [..., dv + 1], m [..., 1] -> S'q / max(|n'q|, e^-m) [..., dv]. */
export function readNormalized(both: Tensor, m: Tensor): Tensor {
  const [recalled, total] = split(both, -1, [both.shape.at(-1)! - 1, 1]);
  const least = m.graph.scalar(LEAST);
  return divide(recalled, maximum(absolute(total), maximum(exp(negate(m)), least)));
}

/**
 * @file A decaying memory that is read by ridge regression: the least-squares fit of the values to the keys read so far.
 *
 *     H_t = a_t H_{t-1} + k_t k_t',   U_t = a_t U_{t-1} + k_t v_t'            H [dk, dk], U [dk, dv], initially 0;  a = e^l, l <= 0
 *     x_t = (H_t + m_t I)^-1 q_t                                               m_t = ridge |H_t|, its Frobenius norm, or ridge itself
 *     o_t = U_t' (q_t + p_t (x_t - q_t))                                       p = 1: regression;  p = 0: linear attention
 *
 * x is computed by Chebyshev iteration; the eigenvalues of H + m I are in [m, m + |H|], F = |H|:
 *
 *     s = 2 / (2 m + F),  r = (F / (2 m + F) / 2)^2;   x_0 = d_0 = s q,  w_0 = 2
 *     w <- 1 / (1 - r w);   d <- (w - 1) d - w s (H x + m x - q);   x <- x + d
 *
 * All steps of a sequence are solved together, and H is formed only between chunks: within a chunk H x is a product with its keys.
 * With c_t = 2 k_t' H_t k_t - |k_t|^4 the norm is a scalar recurrence: |H_t|^2 = a_t^2 |H_{t-1}|^2 + c_t.
 *
 * The gradient is that of the solution, dq = (H + m I)^-1 dx, and -dq x' and -dq' x that of H and m: exact up to the iteration's
 * convergence, and half the work of differentiating the iteration. Source: Gated KalmaNet, arXiv:2511.21016. Step by step, with an
 * exact solution: ridge-memory.naive.ts.
 */

import { exp, sqrt } from "./activations.ts";
import { add, divide, multiply, reshape, scale, shift, subtract, sum } from "./arithmetic.ts";
import { chunkStates } from "./chunk-states.ts";
import { runningSum, splitChunks, sumsBetween } from "./chunks.ts";
import { type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { stopGradient } from "./maximum.ts";
import { forgetting } from "./packed-sequences.ts";
import { scan } from "./scan.ts";
import { concat, full, slice, split } from "./shape.ts";
import { maskConstant } from "./unit-lower-inverse.ts";

export interface RidgeGiven {
  /** q and k [B, T, h, dk], v [B, T, h, dv]. Scale q beforehand if wanted. */
  readonly q: Tensor;
  readonly k: Tensor;
  readonly v: Tensor;
  /** l, at most 0, [B, T, h]. */
  readonly logDecay: Tensor;
  /** p, [B, T, h]. */
  readonly share: Tensor;
}

interface RidgeOptions {
  readonly ridge: number;
  /** Whether m is `ridge` times the norm of H. */
  readonly relative: boolean;
  /** Steps of Chebyshev's iteration. */
  readonly iterations: number;
  /** Steps per chunk; any number gives the same results. */
  readonly chunk?: number | undefined;
  /** int32 [B, T]: 1 where a session begins and the memory is reset (packed-sequences.ts). */
  readonly fresh?: Tensor | undefined;
}

/** Added to |H|^2, so that its root is differentiable at an empty memory. */
const LEAST_SQUARE = 1e-12;

/** Starting from the memory `start`, H and U side by side [B, h, dk, dk + dv] -> o [B, T, h, dv] and the memory after. */
export function ridgeMemoryFrom(
  start: Tensor,
  { q, k, v, logDecay, share }: RidgeGiven,
  { chunk = 16, fresh, ...options }: RidgeOptions,
): { readonly o: Tensor; readonly S: Tensor } {
  const { size, into, joined } = splitChunks("ridgeMemory", k.shape, chunk);
  // Padding steps of the last chunk have k = q = 0 and l = 0, which change nothing.
  const [Q, K, V, logs, P] = [q, k, v, forgetting(logDecay, fresh), share].map(into); // [N, B, h, C, d or 1]
  const fading = exp(sumsBetween(logs)); // [N, B, h, C, C]
  const sinceStart = exp(runningSum(logs));
  const later = maskConstant(k.graph, size, (i, step) => step > i);
  const untilEnd = exp(matmul(later, logs)); // [N, B, h, C, 1]
  const added = matmul(multiply(K, untilEnd), concat([K, V], -1), { transposeX: true });
  const f = slice(sinceStart, 3, size - 1, size);
  const { before, last } = chunkStates(start, { f, A: added });
  const [H, U] = split(before, -1, [K.shape[4], V.shape[4]]);
  /** X [N, B, h, C, dk], one row per step, times that step's H. */
  const read = (X: Tensor, before: Tensor, written: Tensor) => {
    const within = matmul(multiply(matmul(X, K, { transposeY: true }), fading), written);
    return add(within, matmul(multiply(X, sinceStart), before));
  };
  const rows = (x: Tensor) => sum(x, { axes: [-1], keep: true });
  const lengths = rows(multiply(K, K));
  const gained = subtract(scale(rows(multiply(K, read(K, H, K))), 2), multiply(lengths, lengths));
  const atStart = sum(multiply(H, H), { axes: [-2, -1], keep: true }); // [N, B, h, 1, 1]
  const squares = add(
    matmul(multiply(fading, fading), gained),
    multiply(multiply(sinceStart, sinceStart), atStart),
  );
  const solved = solution(Q, sqrt(shift(squares, LEAST_SQUARE)), (X) => read(X, H, K), options);
  const asked = add(Q, multiply(P, subtract(solved, Q)));
  return { o: joined(read(asked, U, V)), S: last };
}

/** One step: q, k [B, h, dk], v [B, h, dv], l and p [B, h] -> o [B, h, dv] and the memory after. */
export function ridgeMemoryStep(
  before: Tensor,
  { q, k, v, logDecay, share }: RidgeGiven,
  options: RidgeOptions,
): { readonly o: Tensor; readonly S: Tensor } {
  const [batch, heads, own] = k.shape;
  const row = (x: Tensor) => reshape(x, [batch, heads, 1, -1]);
  const written = matmul(reshape(k, [batch, heads, own, 1]), row(concat([k, v], -1)));
  const S = add(multiply(before, row(exp(logDecay))), written);
  const [H, U] = split(S, -1, [own, v.shape[2]]);
  const norm = sqrt(shift(sum(multiply(H, H), { axes: [-2, -1], keep: true }), LEAST_SQUARE));
  const asked = row(q);
  const solved = solution(asked, norm, (x) => matmul(x, H), options);
  const o = matmul(add(asked, multiply(row(share), subtract(solved, asked))), U);
  return { o: reshape(o, v.shape), S };
}

/** Rows x [..., dk] with H x + m x = q, with norm [..., 1] of each row's H. */
function solution(
  q: Tensor,
  norm: Tensor,
  times: (x: Tensor) => Tensor,
  { ridge, relative, iterations }: Omit<RidgeOptions, "chunk" | "fresh">,
): Tensor {
  const m = relative ? scale(norm, ridge) : full(norm.graph, norm.shape, ridge);
  const width = add(scale(m, 2), norm);
  const [s, ratio] = [divide(full(norm.graph, norm.shape, 2), width), scale(divide(norm, width), 0.5)];
  const r = multiply(ratio, ratio);
  const shifted = (x: Tensor) => add(times(x), multiply(m, x));
  const solve = (right: Tensor) => {
    const first = multiply(s, right);
    const starts = [first, first, full(norm.graph, norm.shape, 2)];
    const passes = full(right.graph, [iterations, 1], 0); // a Scan needs an input
    const { states } = scan([passes], starts, ([x, last, w]) => {
      const next = divide(full(w.graph, w.shape, 1), shift(scale(multiply(r, w), -1), 1));
      const back = multiply(multiply(next, s), subtract(shifted(x), right));
      const more = subtract(multiply(shift(next, -1), last), back);
      return { states: [add(x, more), more, next], outputs: [] };
    });
    return states[0];
  };
  const x = stopGradient(solve(q));
  const missing = subtract(q, shifted(x)); // zero, but with gradients in q, in H and in m
  return withGradient(x, [missing], (dx) => [solve(dx)]);
}

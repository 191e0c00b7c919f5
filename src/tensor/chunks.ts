/**
 * @file Sequences in chunks of C steps, for chunkwise recurrences, and decays within a chunk.
 *
 *     [B, T, h, d] -> [N, B, h, C, d]        N = ceil(T / C), zeros after the last step
 */

import { fail } from "../core/error.ts";
import { add, multiply, negate, reshape, subtract } from "./arithmetic.ts";
import { chunkStates } from "./chunk-states.ts";
import { toFloat } from "./embedding.ts";
import type { Graph, Shape, Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { absolute, maximum } from "./maximum.ts";
import { type ScanResult, type StepResult, scan } from "./scan.ts";
import { pad, slice, transpose, untransposed } from "./shape.ts";
import { maskConstant, unitLowerSolver } from "./unit-lower-inverse.ts";

interface Chunks {
  /** C. */
  readonly size: number;
  /** N. */
  readonly count: number;
  /** x [B, T, h, d] or [B, T, h] (then d = 1) -> [N, B, h, C, d]. */
  into(x: Tensor): Tensor;
  /** x [N, B, h, C, d] -> [B, T, h, d]. */
  joined(x: Tensor): Tensor;
}

/** Chunking for sequences of shape [B, T, h, ...], for `op`. Errors: LabError unless the chunk is a positive integer. */
export function splitChunks(op: string, [batch, length, heads]: Shape, chunk: number): Chunks {
  if (!(Number.isInteger(chunk) && chunk > 0)) fail(op, "a chunk of 1 step or more", chunk);
  const size = Math.min(chunk, length);
  const count = Math.ceil(length / size);
  return {
    size,
    count,
    into(x) {
      const more = count * size - length;
      const first = untransposed(x, [1, 2, 0, 3]); // of one that moves whole chunks
      if (first !== undefined)
        return transpose(reshape(pad(first, 2, 0, more), [heads, batch, count, size, -1]), [2, 1, 0, 3, 4]);
      const whole = x.shape.length === 3 ? reshape(x, [batch, length, heads, 1]) : x;
      const padded = reshape(pad(whole, 1, 0, more), [batch, count, size, heads, -1]);
      return transpose(padded, [1, 0, 3, 2, 4]);
    },
    joined(x) {
      const whole = reshape(transpose(x, [1, 0, 3, 2, 4]), [batch, count * size, heads, -1]);
      return slice(whole, 1, 0, length);
    },
  };
}

/** A scan over chunks; a single chunk calls the step directly, which is cheaper than a Scan. */
export function overChunks(
  inputs: readonly Tensor[],
  initial: readonly Tensor[],
  step: (states: readonly Tensor[], inputs: readonly Tensor[]) => StepResult,
): ScanResult {
  if (inputs[0].shape[0] > 1) return scan(inputs, initial, step);
  const given = inputs.map((x) => reshape(x, x.shape.slice(1)));
  const { states, outputs } = step(initial, given);
  return { states, outputs: outputs.map((y) => reshape(y, [1, ...y.shape])) };
}

/** x [..., C, 1] -> x_1 + ... + x_i. */
export function runningSum(x: Tensor): Tensor {
  const order = x.shape.at(-2)!;
  return matmul(
    maskConstant(x.graph, order, (i, j) => j <= i),
    x,
  );
}

/**
 * x [..., C, 1] -> x_{j+1} + ... + x_i for j <= i, and -infinity above the diagonal, [..., C, C].
 *
 * Each pair has a separate sum: the difference of two running sums cancels catastrophically, and one step that forgets everything makes
 * the sums large. Above the diagonal the difference could overflow as a power, and inf * 0 is NaN: it is masked before exponentiation.
 */
export function sumsBetween(x: Tensor): Tensor {
  const { graph } = x;
  const order = x.shape.at(-2)!;
  const later = maskConstant(graph, order, (i, j) => j < i);
  const upTo = maskConstant(graph, order, (i, j) => j <= i);
  return add(matmul(upTo, multiply(x, later)), futureMask(graph, order));
}

/**
 * fresh int32 [B, T] -> [N, B, 1, C, C], 1 for two steps of one session, the later one in the row, else 0; and [N, B, 1, C, 1], 1 for
 * steps of the session in which the chunk began.
 */
export function sessionsInChunks(fresh: Tensor, chunk: number): { between: Tensor; sinceStart: Tensor } {
  const [batch, length] = fresh.shape;
  const { size, into } = splitChunks("sessions", [batch, length, 1], chunk);
  const begun = runningSum(into(reshape(toFloat(fresh), [batch, length, 1]))); // [N, B, 1, C, 1]
  const isNone = (count: Tensor) => maximum(subtract(count.graph.scalar(1), count), count.graph.scalar(0));
  const apart = absolute(subtract(begun, transpose(begun, [0, 1, 2, 4, 3])));
  const earlier = maskConstant(fresh.graph, size, (i, j) => j <= i);
  return { between: multiply(isNone(apart), earlier), sinceStart: isNone(begun) };
}

/** [order, order]: -infinity above the diagonal, else 0. */
function futureMask(graph: Graph, order: number): Tensor {
  const cells = Float32Array.from({ length: order * order }, (_, n) =>
    n % order > Math.floor(n / order) ? Number.NEGATIVE_INFINITY : 0,
  );
  return graph.constant(cells, [order, order]);
}

/*
 * The chunkwise delta rule with forgetting between steps: by a decay, or a reset at the end of a session.
 *
 *     E_ij: the factor on step j's write at step i, j <= i, else 0;   e_i: the factor on the chunk's initial state at step i
 *
 *     R = (I + tril(diag(b) K K' o E, -1))^-1;   W = -R diag(b e) K;   U = R diag(b) V;   D = U + W S0
 *     O = diag(e) Q S0 + (Q K' o E) D;   S = e_C S0 + (diag(E_C) K)' D
 */

export interface Left {
  /** E [N, B, h, C, C] and e [N, B, h, C, 1], or shapes that broadcast. */
  readonly between: Tensor;
  readonly sinceStart: Tensor;
}

/** Q, K, V, b [N, B, h, C, ...], after the state S [B, h, dk, dv] -> O [N, B, h, C, dv], and S after the last chunk. */
export function deltaChunks(
  start: Tensor,
  [Q, K, V, b]: readonly Tensor[],
  { between, sinceStart }: Left,
): { readonly O: Tensor; readonly S: Tensor } {
  const size = K.shape[3];
  const removed = multiply(K, negate(b));
  const solve = unitLowerSolver(multiply(matmul(removed, K, { transposeY: true }), between));
  const W = solve(multiply(removed, sinceStart));
  const U = solve(multiply(V, b));
  const [f, untilEnd] = [sinceStart, between].map((each) => slice(each, 3, size - 1, size)); // of the last row
  const written = multiply(K, transpose(untilEnd, [0, 1, 2, 4, 3]));
  const { before, D, last } = chunkStates(start, { f, W, U, K: written });
  const P = multiply(matmul(Q, K, { transposeY: true }), between);
  return { O: add(matmul(multiply(Q, sinceStart), before), matmul(P, D)), S: last };
}

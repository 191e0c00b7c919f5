/**
 * @file Sequences cut into chunks of C steps, for recurrences that take a chunk at a time, and sums within a chunk.
 *
 *     [B, T, h, d] -> [N, B, h, C, d]        N = ceil(T / C), zeros after the last step
 */

import { fail } from "../core/error.ts";
import { add, multiply, reshape, subtract } from "./arithmetic.ts";
import { toFloat } from "./embedding.ts";
import type { Graph, Shape, Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { absolute, maximum } from "./maximum.ts";
import { type ScanResult, type StepResult, scan } from "./scan.ts";
import { pad, slice, transpose } from "./shape.ts";
import { maskConstant, unitLowerInverse } from "./unit-lower-inverse.ts";

export interface Chunks {
  /** C. */
  readonly size: number;
  /** N. */
  readonly count: number;
  /** x [B, T, h, d] or [B, T, h] (then d = 1) -> [N, B, h, C, d]. */
  into(x: Tensor): Tensor;
  /** x [N, B, h, C, d] -> [B, T, h, d]. */
  joined(x: Tensor): Tensor;
}

/** How `op` cuts sequences of shape [B, T, h, ...]. Errors: LabError for a chunk that is no positive integer. */
export function chunksOf(op: string, [batch, length, heads]: Shape, chunk: number): Chunks {
  if (!(Number.isInteger(chunk) && chunk > 0)) fail(op, "a chunk of 1 step or more", chunk);
  const size = Math.min(chunk, length);
  const count = Math.ceil(length / size);
  return {
    size,
    count,
    into(x) {
      const whole = x.shape.length === 3 ? reshape(x, [batch, length, heads, 1]) : x;
      const padded = reshape(pad(whole, 1, 0, count * size - length), [batch, count, size, heads, -1]);
      return transpose(padded, [1, 0, 3, 2, 4]);
    },
    joined(x) {
      const whole = reshape(transpose(x, [1, 0, 3, 2, 4]), [batch, count * size, heads, -1]);
      return slice(whole, 1, 0, length);
    },
  };
}

/** A scan over chunks; of a single one the step alone, which costs less than a Scan of one. */
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
 * Each pair has a sum of its own: in the difference of two running sums all is lost that is small beside the whole, and one
 * step that forgets everything makes the whole large. Above the diagonal that difference could be a power too large for
 * float32, and inf * 0 is NaN: it is masked before it is a power.
 */
export function sumsBetween(x: Tensor): Tensor {
  const { graph } = x;
  const order = x.shape.at(-2)!;
  const later = maskConstant(graph, order, (i, j) => j < i);
  const upTo = maskConstant(graph, order, (i, j) => j <= i);
  return add(matmul(upTo, multiply(x, later)), futureMask(graph, order));
}

/**
 * fresh int32 [B, T] -> [N, B, 1, C, C], 1 for two steps of one session, the later one in the row, else 0; and [N, B, 1, C, 1], 1 for steps
 * of the session that the chunk began in.
 */
export function sessionsInChunks(fresh: Tensor, chunk: number): { between: Tensor; sinceStart: Tensor } {
  const [batch, length] = fresh.shape;
  const { size, into } = chunksOf("sessions", [batch, length, 1], chunk);
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
 * The delta rule over chunks between whose steps something is lost: by a decay, or whole where a session ends.
 *
 *     E_ij: what is left at step i of what step j wrote, j <= i, else 0;   e_i: what is left at step i of what the chunk began with
 *
 *     R = (I + tril(diag(b) K K' o E, -1))^-1;   W = R diag(b e) K;   U = R diag(b) V;   D = U - W S0
 *     O = diag(e) Q S0 + (Q K' o E) D;   S = e_C S0 + (diag(E_C) K)' D
 */

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

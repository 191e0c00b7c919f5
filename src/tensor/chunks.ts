/**
 * @file Sequences cut into chunks of C steps, for recurrences that take a chunk at a time.
 *
 *     [B, T, h, d] -> [N, B, h, C, d]        N = ceil(T / C), zeros after the last step
 */

import { fail } from "../records/error.ts";
import type { Shape, Tensor } from "./graph.ts";
import { pad, reshape, slice, transpose } from "./shape.ts";

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

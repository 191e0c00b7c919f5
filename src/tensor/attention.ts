/**
 * @file Causal softmax attention.
 *
 *     P = softmax(Q K' + M),  O = P V            M: -infinity above the diagonal
 *     dV = P' dO;  dP = dO V';  dZ = P (dP - rowsum(dO O));  dQ = dZ K;  dK = dZ' Q
 *
 * Queries are processed in blocks, each with the keys up to its end, which saves nearly half of the products and memory traffic. P is
 * kept for the gradient; for long sequences it is recomputed.
 */

import { fail } from "../core/error.ts";
import { add, multiply, reshape, subtract, sum } from "./arithmetic.ts";
import { type Graph, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { recomputedAttention } from "./memory-efficient-attention.ts";
import { otherSession } from "./packed-sequences.ts";
import { concat, pad, slice } from "./shape.ts";
import { softmax } from "./softmax.ts";

interface AttentionOptions {
  /** Queries per block. */
  readonly block?: number;
  /** For longer sequences the weights are recomputed in the gradient. */
  readonly keep?: number;
  /** The start of each token's session, [B, T]: a query sees only keys of the same session (packed-sequences.ts). */
  readonly starts?: Tensor | undefined;
}

/** Up to this length keeping the weights is faster (bench length). */
const KEPT = 2048;

/** q, k [B, h, T, dk], v [B, h, T, dv] -> [B, h, T, dv]. Scale q by dk^-1/2 beforehand. */
export function causalAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  { block = 64, keep = KEPT, starts: sessions }: AttentionOptions = {},
): Tensor {
  checkShapes(q, k, v);
  if (!(Number.isInteger(block) && block > 0)) fail("causalAttention", "a block of 1 query or more", block);
  const length = q.shape[2];
  if (length > keep) return recomputedAttention(q, k, v, block, sessions);
  const starts = Array.from({ length: Math.ceil(length / block) }, (_, i) => i * block);
  const parts = starts.map((start) => {
    const end = Math.min(start + block, length);
    const [Q, K, V] = [slice(q, 2, start, end), slice(k, 2, 0, end), slice(v, 2, 0, end)];
    const seen = add(matmul(Q, K, { transposeY: true }), future(q.graph, start, end));
    const P = softmax(sessions === undefined ? seen : add(seen, hidden(sessions, start, end)));
    return { start, end, Q, K, V, P, O: matmul(P, V) };
  });
  const O = concat(
    parts.map((part) => part.O),
    2,
  );
  return withGradient(O, [q, k, v], (dO) => {
    const gradients = parts.map(({ start, end, Q, K, V, P, O }) => {
      const dPart = slice(dO, 2, start, end);
      const dP = matmul(dPart, V, { transposeY: true });
      const dZ = multiply(P, subtract(dP, sum(multiply(dPart, O), { axes: [-1], keep: true })));
      const toEnd = (x: Tensor) => pad(x, 2, 0, length - end);
      return {
        dQ: matmul(dZ, K),
        dK: toEnd(matmul(dZ, Q, { transposeX: true })),
        dV: toEnd(matmul(P, dPart, { transposeX: true })),
      };
    });
    const total = (xs: readonly Tensor[]) => xs.reduce(add);
    return [
      concat(
        gradients.map(({ dQ }) => dQ),
        2,
      ),
      total(gradients.map(({ dK }) => dK)),
      total(gradients.map(({ dV }) => dV)),
    ];
  });
}

function checkShapes(q: Tensor, k: Tensor, v: Tensor): void {
  if (q.shape.length !== 4) fail("causalAttention", "q of shape [B, h, T, dk]", q.shape);
  if (k.shape.join() !== q.shape.join()) fail("causalAttention", `k of shape [${q.shape}]`, k.shape);
  const wanted = [...q.shape.slice(0, 3), v.shape[3] ?? "dv"];
  if (v.shape.join() !== wanted.join()) fail("causalAttention", `v of shape [${wanted}]`, v.shape);
}

/** starts [B, T] -> [B, 1, end - start, end]: a large negative number for keys of other sessions. */
export function hidden(starts: Tensor, start: number, end: number): Tensor {
  const [batch] = starts.shape;
  const queries = reshape(slice(starts, 1, start, end), [batch, 1, end - start, 1]);
  return otherSession(queries, reshape(slice(starts, 1, 0, end), [batch, 1, 1, end]));
}

/** [end - start, end]: 0 for visible keys, else -infinity. */
export function future(graph: Graph, start: number, end: number): Tensor {
  const rows = end - start;
  const cells = Float32Array.from({ length: rows * rows }, (_, n) =>
    n % rows > Math.floor(n / rows) ? Number.NEGATIVE_INFINITY : 0,
  );
  // All blocks share one triangle; separate masks for 4,096 steps would add 34 MB to the model.
  return pad(graph.constant(cells, [rows, rows]), 1, start, 0);
}

/**
 * @file Causal softmax attention.
 *
 *     P = softmax(Q K' + M),  O = P V            M: -infinity above the diagonal
 *     dV = P' dO;  dP = dO V';  dZ = P (dP - rowsum(dO O));  dQ = dZ K;  dK = dZ' Q
 *
 * Queries are taken in blocks, each of which sees only the keys up to its own end, so that nearly half of the
 * products and of the memory traffic is saved. P is kept for the gradient; of long sequences it is computed again.
 */

import { fail } from "../core/error.ts";
import { add, multiply, reshape, subtract, sum } from "./arithmetic.ts";
import { type Graph, type Tensor, withGradient } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { recomputedAttention } from "./memory-efficient-attention.ts";
import { otherSession } from "./packed-sequences.ts";
import { concat, pad, slice } from "./shape.ts";
import { softmax } from "./softmax.ts";

export interface AttentionOptions {
  /** Queries per block. */
  readonly block?: number;
  /** Of longer sequences the weights are not kept, but computed again for the gradient. */
  readonly keep?: number;
  /** Of each place where its session began, [B, T]: a query sees the keys of its own session alone (sessions.ts). */
  readonly starts?: Tensor | undefined;
}

/** So many steps are faster with their weights kept (bench length). */
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

/** starts [B, T] -> [B, 1, end - start, end]: far below 0 where a key is of another session. */
function hidden(starts: Tensor, start: number, end: number): Tensor {
  const [batch] = starts.shape;
  const queries = reshape(slice(starts, 1, start, end), [batch, 1, end - start, 1]);
  return otherSession(queries, reshape(slice(starts, 1, 0, end), [batch, 1, 1, end]));
}

/** [end - start, end]: 0 where a query of the block may look, else -infinity. */
export function future(graph: Graph, start: number, end: number): Tensor {
  const rows = end - start;
  const cells = Float32Array.from({ length: rows * rows }, (_, n) =>
    n % rows > Math.floor(n / rows) ? Number.NEGATIVE_INFINITY : 0,
  );
  // All blocks share one triangle; written out, the masks of 4,096 steps would be 34 MB of the model.
  return pad(graph.constant(cells, [rows, rows]), 1, start, 0);
}

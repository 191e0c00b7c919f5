/**
 * @file Memory-efficient causal softmax attention for long sequences: weights of a few queries at a time, recomputed for the gradient.
 *
 *     O_i = softmax(Q_i K' + M_i) V                    i: blocks of C queries, one after another in a Scan
 *     recompute P_i;  dZ_i = P_i (dO_i V' - rowsum(dO_i O_i));  dQ_i = dZ_i K;  dK = sum_i dZ_i' Q_i;  dV = sum_i P_i' dO_i
 *
 * Memory grows with T, instead of T^2 for kept weights. Queries are divided into segments, each with the keys up to its end, so that
 * the blocks of a segment have one shape and few masked keys.
 *
 * Source: Rabe and Staats 2021, arXiv:2112.05682; Dao et al. 2022, arXiv:2205.14135 (recomputation).
 */

import { add, multiply, reshape, scale, subtract, sum } from "./arithmetic.ts";
import type { Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";
import { maximum } from "./maximum.ts";
import { otherSession } from "./packed-sequences.ts";
import { scan } from "./scan.ts";
import { concat, full, pad, slice, transpose } from "./shape.ts";
import { softmax } from "./softmax.ts";

/** With s segments the products are about 1 + 1 / s times the necessary ones. */
const SEGMENTS = 8;

/**
 * q, k [B, h, T, dk], v [B, h, T, dv] -> [B, h, T, dv], in blocks of `block` queries. Scale q by dk^-1/2 beforehand. With `sessions`
 * [B, T], the start of each token's session, a query sees only keys of the same session.
 */
export function recomputedAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  block: number,
  sessions?: Tensor,
): Tensor {
  const length = q.shape[2];
  const blocks = Math.ceil(length / block);
  const size = block * Math.ceil(blocks / SEGMENTS);
  const starts = Array.from({ length: Math.ceil(length / size) }, (_, i) => i * size);
  return concat(
    starts.map((start) => {
      const end = Math.min(start + size, length);
      const upTo = sessions && slice(sessions, 1, 0, end);
      return segment(slice(q, 2, start, end), slice(k, 2, 0, end), slice(v, 2, 0, end), start, block, upTo);
    }),
    2,
  );
}

/** q [B, h, S, dk] at the positions from `start` on; k, v [B, h, start + S, ...], sessions [B, start + S] -> [B, h, S, dv]. */
function segment(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  start: number,
  block: number,
  sessions: Tensor | undefined,
): Tensor {
  const { graph } = q;
  const [batch, heads, length] = q.shape;
  const count = Math.ceil(length / block);
  const places = (from: number, to: number) => Float32Array.from({ length: to - from }, (_, i) => from + i);
  // Padded queries see every key, and are cut off.
  const into = (x: Tensor) =>
    transpose(
      reshape(pad(x, 2, 0, count * block - length), [batch, x.shape[1], count, block, x.shape[3]]),
      [2, 0, 1, 3, 4],
    );
  const joined = (x: Tensor) =>
    slice(reshape(transpose(x, [1, 2, 0, 3, 4]), [batch, heads, count * block, -1]), 2, 0, length);
  const own = graph.constant(places(start, start + count * block), [count, block, 1]);
  const keys = graph.constant(places(0, start + length), [1, start + length]);
  const ofKeys = sessions && reshape(sessions, [batch, 1, 1, start + length]);
  const ofQueries =
    sessions && into(reshape(slice(sessions, 1, start, start + length), [batch, 1, length, 1]));
  const weights = (Q: Tensor, at: Tensor, began: Tensor | undefined) => {
    const ahead = maximum(subtract(keys, at), full(graph, [], 0)); // [C, S]: how many positions a key is later
    const seen = add(matmul(Q, k, { transposeY: true }), scale(ahead, -1e9));
    return softmax(began && ofKeys ? add(seen, otherSession(began, ofKeys)) : seen);
  };
  const asked = into(q);
  const more = ofQueries === undefined ? [] : [ofQueries];
  const { outputs } = scan(
    [asked, own, ...more],
    [],
    (_, [Q, at, began]) => ({ states: [], outputs: [matmul(weights(Q, at, began), v)] }),
    { gradient: ({ dOutputs: [dO] }) => gradient(dO!) },
  );
  const [O] = outputs;

  function gradient(dO: Tensor) {
    const backward = scan(
      [asked, own, O, dO, ...more],
      [full(graph, k.shape, 0), full(graph, v.shape, 0)],
      ([dK, dV], [Q, at, Oi, dOi, began]) => {
        const P = weights(Q, at, began);
        const dP = matmul(dOi, v, { transposeY: true });
        const dZ = multiply(P, subtract(dP, sum(multiply(dOi, Oi), { axes: [-1], keep: true })));
        return {
          states: [
            add(dK, matmul(dZ, Q, { transposeX: true })),
            add(dV, matmul(P, dOi, { transposeX: true })),
          ],
          outputs: [matmul(dZ, k)],
        };
      },
    );
    const [dK, dV] = backward.states;
    const captured = new Map([
      [k, dK],
      [v, dV],
    ]);
    return { inputs: [backward.outputs[0], undefined, ...more.map(() => undefined)], captured };
  }

  return joined(O);
}

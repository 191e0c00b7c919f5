/**
 * @file The KV cache of attention mixers: cached rows, and softmax over these and the new tokens.
 *
 *     Z = [q K' + unseen, q k' + M],  o = softmax(Z) [V; v]       K, V: the cache;  M: -infinity for later tokens
 */

import { shift } from "../tensor/arithmetic.ts";
import { future } from "../tensor/attention.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  concat,
  matmul,
  multiply,
  node,
  oneHot,
  reshape,
  scale,
  softmax,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import type { ExtendContext, State, StepContext } from "./model.ts";

interface Extended {
  readonly y: Tensor;
  readonly rows: State;
  readonly state: State;
}

/**
 * q [B, h, T, dk], k, v [B, hk, T, ...] after the cached rows [B, hk, M, ...] -> [B, h, T, dv]; h / hk consecutive heads of q share one of
 * k and v. Scale q beforehand. `unseen` is added to the scores of the cache, `hidden` [B, h, T, T], for hk = h, to those of the new tokens,
 * which are always causal.
 */
export function attendBehind(
  { query, key, value }: Readonly<Record<"query" | "key" | "value", Tensor>>,
  kept: State,
  unseen: Tensor,
  hidden?: Tensor,
): Tensor {
  const [batch, heads, length, width] = query.shape;
  const [, keyHeads] = key.shape;
  const shared = heads / keyHeads;
  const rows = reshape(query, [batch, keyHeads, shared * length, width]);
  const before = add(matmul(rows, kept.keys, { transposeY: true }), unseen); // [B, hk, h / hk T, M]
  const products = matmul(rows, key, { transposeY: true });
  const among = hidden === undefined ? products : add(products, hidden);
  const ahead = () => concat(new Array<Tensor>(shared).fill(future(query.graph, 0, length)), 0);
  const now = length > 1 ? add(among, ahead()) : among;
  const weights = softmax(concat([before, now], -1));
  const [toBefore, toNow] = splitBeforeLast(weights, length);
  const read = add(matmul(toBefore, kept.values), matmul(toNow, value));
  return reshape(read, [batch, heads, length, value.shape[3]]);
}

/** A step as an extension by one token, whose rows are written into caches of fixed length. */
export function stepByExtension<P, Config>(
  extend: (p: P, x: Tensor, state: State, config: Config, context: ExtendContext) => Extended,
) {
  return (p: P, x: Tensor, state: State, config: Config, context: StepContext) => {
    const [batch, width] = x.shape;
    const length = state.keys.shape[2];
    const { position } = context;
    const after = extend(p, reshape(x, [batch, 1, width]), state, config, {
      ...context,
      unseen: unseenFrom(position, length),
      bound: length,
    });
    const caches = Object.fromEntries(
      Object.entries(after.rows).map(([name, now]) => [name, writeAt(position, state[name], now)]),
    );
    return { y: reshape(after.y, x.shape), state: { ...caches, ...after.state } };
  };
}

/** cache [B, h, M, d] with its row at the position replaced by `now` [B, h, 1, d]. */
export function writeAt(position: Tensor, cache: Tensor, now: Tensor): Tensor {
  const [batch, , length] = cache.shape;
  const slot = reshape(oneHot(position, length), [batch, 1, length, 1]);
  return add(multiply(cache, shift(scale(slot, -1), 1)), multiply(now, slot));
}

/** x[..., :-count] and x[..., -count:], counted from the end: the length of x may be unknown. */
function splitBeforeLast(x: Tensor, count: number): readonly [Tensor, Tensor] {
  const bound = (value: number) => x.graph.constant(BigInt64Array.of(BigInt(value)), [1]);
  const part = (start: number, end: number, length: number) =>
    node("Slice", [x, bound(start), bound(end), bound(x.shape.length - 1)], {
      shape: x.shape.with(-1, length),
    });
  const length = x.shape[x.shape.length - 1];
  return [part(0, -count, length - count), part(-count, 2 ** 31 - 1, count)];
}

/** [B, 1, 1, M]: 0 for rows before the position, else low enough that softmax gives 0. */
export function unseenFrom(position: Tensor, length: number): Tensor {
  const [batch] = position.shape;
  const places = position.graph.constant(
    Int32Array.from({ length }, (_, place) => place),
    [length],
  );
  const later = node("GreaterOrEqual", [places, reshape(position, [batch, 1])], {
    shape: [batch, length],
    dtype: "bool",
  });
  return reshape(scale(toFloat(later), -1e9), [batch, 1, 1, length]);
}

/** [B, T, h, d] <-> [B, h, T, d]. */
export function exchange(x: Tensor): Tensor {
  return transpose(x, [0, 2, 1, 3]);
}

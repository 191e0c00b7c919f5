/**
 * @file Transformer: causal softmax attention with rotary positions, as in Llama.
 *
 *     q, k, v = x Wqkv, or with `convolution` silu(conv(x Wqkv))
 *     q_t, k_t: channels i and i + dk/2 of each head are turned by the angle t base^(-2i/dk) (rotary-scaling.ts: other frequencies)
 *     o_t = sum_{s <= t} softmax_s(q_t' k_s / sqrt(dk)) v_s;   y_t = o_t Wout
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *
 * Source: Vaswani et al. 2017, arXiv:1706.03762; Touvron et al. 2023, arXiv:2302.13971.
 */

import { z } from "zod";
import { fail } from "../records/error.ts";
import {
  type Angles,
  add,
  causalAttention,
  causalConvolution,
  concat,
  future,
  linear,
  matmul,
  multiply,
  node,
  oneHot,
  reshape,
  rotary,
  rotaryAngles,
  rotaryAt,
  scale,
  shift,
  silu,
  softmax,
  split,
  type Tensor,
  toFloat,
  transpose,
} from "../tensor/index.ts";
import { convolutionOver, headWidth, joinHeads, normal, splitHeads } from "./layers.ts";
import { defineModel, type ExtendContext, type State } from "./model.ts";
import { RotaryScaling, scaledFrequency } from "./rotary-scaling.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** Taps of a short convolution on q, k, v; 0, as in Llama, leaves it out. */
  convolution: z.int().min(0).default(0),
  rotaryBase: z.number().positive().default(10_000),
  /** Of its frequencies, for longer contexts; as they are where it is not said. */
  rotaryScaling: RotaryScaling.optional(),
});
type Config = z.infer<typeof config>;

export const transformer = defineModel({
  name: "transformer",
  summary: "causal softmax attention with rotary positions (Llama block)",
  source: "arXiv:2302.13971",
  config,

  traits: () => ({ recurrence: "none", attention: true }),

  init({ heads, convolution }: Config, width, rng) {
    if (headWidth(width, heads) % 2 !== 0) fail("transformer", "heads of even width", width / heads);
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      ...(convolution > 0 && {
        convolution: normal(rng.fork("convolution"), [convolution, 3 * width], convolution ** -0.5),
      }),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, { taps, intervene }) {
    const { heads } = config;
    const [, length, width] = x.shape;
    const projected = linear(x, p.qkv); // [B, T, 3d]
    const mixed = p.convolution ? silu(causalConvolution(projected, p.convolution)) : projected;
    const [q, k, v] = split(exchange(splitHeads(mixed, 3 * heads)), 1, [heads, heads, heads]); // [B, h, T, dk]
    const table = (factor: number) => angleTable(x, length, width / heads, config, factor);
    // Turning is linear: a factor on cos and sin scales q in the same pass.
    const [query, key] = [rotary(q, table((width / heads) ** -0.5)), rotary(k, table(1))];
    taps("query", exchange(query));
    taps("key", exchange(key));
    taps("value", exchange(v));
    const o = intervene(exchange(causalAttention(query, key, v))); // [B, T, h, dv]
    return linear(joinHeads(o), p.out);
  },

  state({ heads, convolution }, width, length) {
    const cache = [heads, length, width / heads];
    const past = [convolution - 1, 3 * width];
    return convolution > 1 ? { keys: cache, values: cache, past } : { keys: cache, values: cache };
  },

  step(p, x, state, config, context) {
    const [batch, width] = x.shape;
    const length = state.keys.shape[2];
    const { position } = context;
    const alone = reshape(x, [batch, 1, width]);
    const after = extend(p, alone, state, config, {
      ...context,
      unseen: unseenFrom(position, length),
      bound: length,
    });
    const slot = reshape(oneHot(position, length), [batch, 1, length, 1]); // 1 where the cache is written
    const write = (cache: Tensor, now: Tensor) =>
      add(multiply(cache, shift(scale(slot, -1), 1)), multiply(now, slot));
    const caches = {
      keys: write(state.keys, after.rows.keys),
      values: write(state.values, after.rows.values),
    };
    return { y: reshape(after.y, x.shape), state: { ...caches, ...after.state } };
  },

  extend,
});

type Parameters = { readonly qkv: Tensor; readonly convolution?: Tensor; readonly out: Tensor };

/** What `Mixer.extend` promises: the tokens look at the rows that are kept and, causally, at each other. */
function extend(
  p: Parameters,
  x: Tensor,
  state: State,
  config: Config,
  { taps, intervene, position, unseen, bound }: ExtendContext,
) {
  const { heads } = config;
  const [, length, width] = x.shape;
  const { y: projected, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past); // [B, T, 3d]
  const mixed = p.convolution ? silu(projected) : projected;
  const [queryAndKey, v] = split(exchange(splitHeads(mixed, 3 * heads)), 1, [2 * heads, heads]);
  const table = angleTable(x, bound, width / heads, config);
  const [turned, key] = split(rotaryAt(queryAndKey, table, position), 1, [heads, heads]);
  const query = scale(turned, (width / heads) ** -0.5);
  const each = { query, key, value: v };
  for (const [name, value] of Object.entries(each)) taps(name, exchange(value));
  const before = add(matmul(query, state.keys, { transposeY: true }), unseen); // [B, h, T, M]
  const among = matmul(query, key, { transposeY: true });
  const now = length > 1 ? add(among, future(x.graph, 0, length)) : among;
  const weights = softmax(concat([before, now], -1));
  const [toBefore, toNow] = splitBeforeLast(weights, length);
  const read = add(matmul(toBefore, state.values), matmul(toNow, v)); // [B, h, T, dv]
  const y = linear(joinHeads(intervene(exchange(read))), p.out);
  return { y, rows: { keys: key, values: v }, state: kept };
}

/** x[..., :-count] and x[..., -count:], counted from the end: how long x is need not be known. */
function splitBeforeLast(x: Tensor, count: number): readonly [Tensor, Tensor] {
  const bound = (value: number) => x.graph.constant(BigInt64Array.of(BigInt(value)), [1]);
  const part = (start: number, end: number, length: number) =>
    node("Slice", [x, bound(start), bound(end), bound(x.shape.length - 1)], {
      shape: x.shape.with(-1, length),
    });
  const length = x.shape[x.shape.length - 1];
  return [part(0, -count, length - count), part(-count, 2 ** 31 - 1, count)];
}

/** cos and sin [length, width / 2] of rotary positions, both times `factor`. */
function angleTable(
  x: Tensor,
  length: number,
  width: number,
  { rotaryBase, rotaryScaling }: Pick<Config, "rotaryBase" | "rotaryScaling">,
  factor = 1,
): Angles {
  const { cos, sin } = rotaryAngles(length, width, rotaryBase, (frequency) =>
    scaledFrequency(frequency, rotaryScaling),
  );
  const table = (angles: Float32Array) =>
    x.graph.constant(
      angles.map((each) => factor * each),
      [length, width / 2],
    );
  return { cos: table(cos), sin: table(sin) };
}

/** [B, 1, 1, M]: 0 for places before the position, else so low that softmax gives 0. */
function unseenFrom(position: Tensor, length: number): Tensor {
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
function exchange(x: Tensor): Tensor {
  return transpose(x, [0, 2, 1, 3]);
}

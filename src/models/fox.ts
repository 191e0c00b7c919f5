/**
 * @file FoX, the forgetting Transformer: causal softmax attention with forget gates and no other positions.
 *
 *     q, k, v = x Wqkv;   f = sigmoid(x Wf + b)                     one number a head
 *     o_t = sum_{s <= t} softmax_s(q_t' k_s / sqrt(dk) + log f_{s+1} + ... + log f_t) v_s;   y_t = o_t Wout
 *
 * With G_t = log f_1 + ... + log f_t the sum is G_t - G_s, and G_t is the same for all s: so -G_s becomes an additional channel of the
 * keys, read by a query channel of 1. A gate that stays closed makes G large, and its differences accurate only to eps |G|.
 *
 * Old tokens weigh less; the recurrent state is only that sum. So it looks back as a Transformer does, and it tracks states that depend
 * on every step at most at lengths seen in training.
 *
 * Source: Lin et al. 2025, arXiv:2503.02130; without its query and key norms, output gate and token shift.
 */

import { z } from "zod";
import {
  add,
  causalAttention,
  concat,
  cumulativeSum,
  full,
  linear,
  negate,
  reshape,
  scale,
  sessionStarts,
  slice,
  split,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { headsField } from "./config-fields.ts";
import { attendBehind, exchange, stepByExtension } from "./kv-cache.ts";
import { constantParameter, headWidth, joinHeads, logSigmoid, normal, splitHeads, tapAll } from "./layers.ts";
import { type Context, defineModel, type ExtendContext, type State } from "./model.ts";

const config = z.strictObject({ heads: headsField(2) });
type Config = z.infer<typeof config>;

export const fox = defineModel({
  name: "fox",
  summary: "causal softmax attention with forget gates, without positions",
  source: "arXiv:2503.02130",
  config,

  traits: () => ({ recurrence: "none" }),

  init({ heads }: Config, width, rng) {
    headWidth(width, heads); // refuses heads that do not divide it
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      forget: normal(rng.fork("forget"), [width, heads]),
      forgetBias: constantParameter([heads], 0),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, context) {
    const start = full(x.graph, [x.shape[0], config.heads], 0);
    const { query, key, value } = partsOf(p, x, start, config, context);
    const starts = context.fresh && sessionStarts(context.fresh);
    const o = context.intervene(exchange(causalAttention(query, key, value, { starts }))); // [B, T, h, dv]
    return linear(joinHeads(o), p.out);
  },

  state: ({ heads }, width, length) => ({
    keys: [heads, length, width / heads + 1],
    values: [heads, length, width / heads],
    total: [heads],
  }),

  step: stepByExtension(extend),

  extend,
  packs: true,
});

type Parameters = Readonly<Record<"qkv" | "forget" | "forgetBias" | "out", Tensor>>;

/** x [B, T, d] after the sum G [B, h] -> q, k [B, h, T, dk + 1], v [B, h, T, dv], and G after each token [B, T, h]. */
function partsOf(p: Parameters, x: Tensor, before: Tensor, { heads }: Config, { taps, fresh }: Context) {
  const [batch, length, width] = x.shape;
  const [q, k, v] = split(splitHeads(linear(x, p.qkv), 3 * heads), 2, [heads, heads, heads]); // [B, T, h, dk]
  const logForget = logSigmoid(add(linear(x, p.forget), p.forgetBias));
  tapAll(taps, { query: q, key: k, value: v, logForget });
  const total =
    fresh === undefined
      ? add(cumulativeSum(logForget, 1), reshape(before, [batch, 1, heads]))
      : sumInSessions(logForget, before, fresh);
  const one = full(x.graph, [batch, length, heads, 1], 1);
  const behind = (y: Tensor, channel: Tensor) => exchange(concat([y, channel], -1));
  return {
    query: behind(scale(q, (width / heads) ** -0.5), one),
    key: behind(k, reshape(negate(total), [batch, length, heads, 1])),
    value: exchange(v),
    total,
  };
}

/** x [B, T, h], and `before` [B, h] -> the sums of x since the start of each token's session, [B, T, h]. */
function sumInSessions(x: Tensor, before: Tensor, fresh: Tensor): Tensor {
  const { outputs } = scanSessions([transpose(x, [1, 0, 2])], [before], fresh, ([sum], [now]) => {
    const after = add(sum, now);
    return { states: [after], outputs: [after] };
  });
  return transpose(outputs[0], [1, 0, 2]);
}

/** Implements `Mixer.extend`: the tokens attend to the cached rows and, causally, to each other. */
function extend(p: Parameters, x: Tensor, state: State, config: Config, context: ExtendContext) {
  const { total, ...each } = partsOf(p, x, state.total, config, context);
  const read = attendBehind(each, state, context.unseen); // [B, h, T, dv]
  const length = x.shape[1];
  const last = reshape(slice(total, 1, length - 1, length), state.total.shape);
  return {
    y: linear(joinHeads(context.intervene(exchange(read))), p.out),
    rows: { keys: each.key, values: each.value },
    state: { total: last },
  };
}

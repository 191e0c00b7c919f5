/**
 * @file FoX, the forgetting Transformer: causal softmax attention with forget gates and no other positions.
 *
 *     q, k, v = x Wqkv, or with `convolution` silu(conv(x Wqkv));   f = sigmoid(x Wf + b)        f one number a head
 *     o_t = sum_{s <= t} softmax_s(q_t' k_s / sqrt(dk) + log f_{s+1} + ... + log f_t) v_s;   y_t = o_t Wout
 *     with `queryKeyNorm` RMSNorm of q and k in each head, one scale [d] each;   with `outputGate` y_t = (o_t o sigmoid(x_t Wg)) Wout
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1                                          one filter of K taps a channel
 *
 * With G_t = log f_1 + ... + log f_t the sum is G_t - G_s, and G_t is the same for all s: so -G_s becomes an additional channel of the
 * keys, read by a query channel of 1. A gate that stays closed makes G large, and its differences accurate only to eps |G|.
 *
 * Old tokens weigh less; the recurrent state is only that sum. So it looks back as a Transformer does, and it tracks states that depend
 * on every step at most at lengths seen in training.
 *
 * Source: Lin et al. 2025, arXiv:2503.02130, by default without its norms and gate; the convolution instead of its token shift.
 */

import { z } from "zod";
import {
  add,
  causalAttention,
  concat,
  cumulativeSum,
  full,
  linear,
  multiply,
  negate,
  reshape,
  rmsNorm,
  scale,
  sessionStarts,
  sigmoid,
  silu,
  slice,
  split,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import { attendBehind, exchange, stepByExtension } from "./kv-cache.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  headWidth,
  joinHeads,
  logSigmoid,
  normal,
  splitHeads,
  tapAll,
} from "./layers.ts";
import { type Context, defineModel, type ExtendContext, type State } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  convolution: convolutionField(0),
  firstForget: z.number().default(0).describe("Initial bias of the forget gates; 5 forgets slowly"),
  queryKeyNorm: z.boolean().default(false).describe("Whether each head of queries and keys has an RMSNorm"),
  outputGate: z
    .boolean()
    .default(false)
    .describe("Whether an output gate sigmoid(x Wg) multiplies the outputs"),
});
type Config = z.infer<typeof config>;

/** Epsilon of the norms of q and k, as in fla's layer at any epsilon of the model. */
const QK_EPSILON = 1e-5;

export const fox = defineModel({
  name: "fox",
  summary: "causal softmax attention with forget gates, without positions",
  source: "arXiv:2503.02130",
  config,

  traits: () => ({ recurrence: "none" }),

  init({ heads, convolution, firstForget, queryKeyNorm, outputGate }: Config, width, rng) {
    headWidth(width, heads); // refuses heads that do not divide it
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      ...convolutionParameter(rng, convolution, 3 * width),
      ...(queryKeyNorm && {
        queryNorm: constantParameter([width], 1),
        keyNorm: constantParameter([width], 1),
      }),
      forget: normal(rng.fork("forget"), [width, heads]),
      forgetBias: constantParameter([heads], firstForget),
      ...(outputGate && { gate: normal(rng.fork("gate"), [width, width]) }),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, context) {
    const total = full(x.graph, [x.shape[0], config.heads], 0);
    const { query, key, value } = partsOf(p, x, { total }, config, context);
    const starts = context.fresh && sessionStarts(context.fresh);
    return finished(p, x, causalAttention(query, key, value, { starts }), context);
  },

  state: ({ heads, convolution }, width, length) => ({
    keys: [heads, length, width / heads + 1],
    values: [heads, length, width / heads],
    total: [heads],
    ...convolutionPast(convolution, 3 * width),
  }),

  step: stepByExtension(extend),

  extend,
  packs: true,
});

type Parameters = Readonly<Record<"qkv" | "out", Tensor>> &
  ForgetGate &
  Readonly<Partial<Record<"convolution" | "queryNorm" | "keyNorm" | "gate", Tensor>>>;
type ForgetGate = Readonly<Record<"forget" | "forgetBias", Tensor>>;

/** x [..., d] -> log f [..., h]. */
export function logForgets(x: Tensor, { forget, forgetBias }: ForgetGate): Tensor {
  return logSigmoid(add(linear(x, forget), forgetBias));
}

/** x [B, T, d] after the sum G [B, h] -> q, k [B, h, T, dk + 1], v [B, h, T, dv], G after each token [B, T, h], and the filters' state. */
function partsOf(p: Parameters, x: Tensor, before: State, { heads }: Config, { taps, fresh }: Context) {
  const [batch, length, width] = x.shape;
  const { y: projected, kept } = convolutionOver(linear(x, p.qkv), p.convolution, before.past, fresh);
  const mixed = splitHeads(p.convolution ? silu(projected) : projected, 3 * heads);
  const [queries, keys, v] = split(mixed, 2, [heads, heads, heads]); // [B, T, h, dk]
  const [q, k] = [normed(queries, p.queryNorm), normed(keys, p.keyNorm)];
  const logForget = logForgets(x, p);
  tapAll(taps, { query: q, key: k, value: v, logForget });
  const total =
    fresh === undefined
      ? add(cumulativeSum(logForget, 1), reshape(before.total, [batch, 1, heads]))
      : sumInSessions(logForget, before.total, fresh);
  const one = full(x.graph, [batch, length, heads, 1], 1);
  const behind = (y: Tensor, channel: Tensor) => exchange(concat([y, channel], -1));
  return {
    query: behind(scale(q, (width / heads) ** -0.5), one),
    key: behind(k, reshape(negate(total), [batch, length, heads, 1])),
    value: exchange(v),
    total,
    kept,
  };
}

function normed(x: Tensor, weight: Tensor | undefined): Tensor {
  return weight === undefined ? x : multiply(rmsNorm(x, QK_EPSILON), reshape(weight, x.shape.slice(-2)));
}

/** The heads' outputs [B, h, T, dv] -> y [B, T, d]. */
function finished(p: Parameters, x: Tensor, read: Tensor, { intervene }: Pick<Context, "intervene">): Tensor {
  const o = joinHeads(intervene(exchange(read)));
  return linear(p.gate ? multiply(o, sigmoid(linear(x, p.gate))) : o, p.out);
}

/** x [B, T, h], and `before` [B, h] -> the sums of x since the start of each token's session, [B, T, h]. */
export function sumInSessions(x: Tensor, before: Tensor, fresh: Tensor): Tensor {
  const { outputs } = scanSessions([transpose(x, [1, 0, 2])], [before], fresh, ([sum], [now]) => {
    const after = add(sum, now);
    return { states: [after], outputs: [after] };
  });
  return transpose(outputs[0], [1, 0, 2]);
}

/** Implements `Mixer.extend`: the tokens attend to the cached rows and, causally, to each other. */
function extend(p: Parameters, x: Tensor, state: State, config: Config, context: ExtendContext) {
  const { total, kept, ...each } = partsOf(p, x, state, config, context);
  const read = attendBehind(each, state, context.unseen); // [B, h, T, dv]
  const length = x.shape[1];
  const last = reshape(slice(total, 1, length - 1, length), state.total.shape);
  return {
    y: finished(p, x, read, context),
    rows: { keys: each.key, values: each.value },
    state: { total: last, ...kept },
  };
}

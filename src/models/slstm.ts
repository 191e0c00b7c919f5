/**
 * @file sLSTM: an LSTM with exponential input gates, a normalizer, and hidden units that mix within their head only.
 *
 *     i, f, z, o = x_t Wx + h_{t-1} Wh + b    Wh: each head sees only its part of h
 *     m_t = max(log sigmoid(f) + m_{t-1}, i);   i' = e^(i - m_t);   f' = e^(log sigmoid(f) + m_{t-1} - m_t)
 *     c_t = f' c_{t-1} + i' tanh(z);   n_t = f' n_{t-1} + i';   h_t = sigmoid(o) c_t / n_t;   m_0 = -infinity, the others from 0
 *     y_t = norm(h_t) Wout                    RMSNorm over each head's part, one scale for all heads
 *
 * The weights' columns are i, f, z, o in this order. h does not depend on m, which only prevents overflow: no gradient flows through
 * it. Source: Beck et al. 2024, arXiv:2405.04517.
 */

import { z } from "zod";
import {
  add,
  divide,
  exp,
  full,
  linear,
  matmul,
  maximum,
  multiply,
  negate,
  oneHot,
  reshape,
  scale,
  sigmoid,
  softplus,
  split,
  stopGradient,
  subtract,
  type Tensor,
  tanh,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { headsField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  joinHeads,
  makeParameter,
  normal,
  splitHeads,
  tapAll,
  tapStep,
  withinHeads,
} from "./layers.ts";
import { type Context, defineModel, type State, type StepContext } from "./model.ts";

const config = z.strictObject({
  heads: headsField(2),
  forgetBias: z.number().default(3).describe("Initial bias of the forget gate"),
});
type Config = z.infer<typeof config>;

/** In place of m_0 = -infinity, so that no difference is NaN: e^ it is 0. */
const NEVER = -1e30;

export const slstm = defineModel({
  name: "slstm",
  summary: "xLSTM's scalar memory: an LSTM with exponential gates",
  source: "arXiv:2405.04517",
  config,

  traits: () => ({ recurrence: "nonlinear" }),
  startsFrom: ["h", "c"],

  init({ heads, forgetBias }: Config, width, rng) {
    const own = headWidth(width, heads);
    const bias = () => new Float32Array(4 * width).fill(forgetBias, width, 2 * width);
    return {
      input: normal(rng.fork("input"), [width, 4 * width], width ** -0.5),
      recurrent: normal(rng.fork("recurrent"), [width, 4 * own], own ** -0.5),
      bias: makeParameter([4 * width], bias),
      norm: constantParameter([own], 1),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads }, context) {
    const { intervene, norm } = context;
    const h = overTime(add(linear(x, p.input), p.bias), withinHeads(p.recurrent, heads, 4), context);
    return linear(joinHeads(intervene(norm(splitHeads(h, heads), p.norm))), p.out);
  },

  state: (_config, width) => ({ h: [width], c: [width], n: [width], m: [width] }),

  step(p, x, state, { heads }, context) {
    const [batch, width] = x.shape;
    const { intervene, norm } = context;
    const after = advance(
      add(linear(x, p.input), p.bias),
      withinHeads(p.recurrent, heads, 4),
      state,
      context,
    );
    const o = intervene(norm(reshape(after.h, [batch, 1, heads, -1]), p.norm));
    return { y: linear(reshape(o, [batch, width]), p.out), state: after };
  },
  packs: true,
});

/** The gates' inputs before the nonlinearities, [B, T, 4d], and the recurrent weight [d, 4d] -> h [B, T, d]. */
export function overTime(given: Tensor, recurrent: Tensor, { taps, fresh }: Context): Tensor {
  const [batch] = given.shape;
  const [width] = recurrent.shape;
  const start = [0, 0, 0, NEVER].map((value) => full(given.graph, [batch, width], value));
  const { outputs } = scanSessions(
    [transpose(given, [1, 0, 2])],
    start,
    fresh,
    ([h, c, n, m], [now], begins) => {
      const highest = begins === undefined ? m : add(m, scale(begins, NEVER));
      const after = cell(add(now, matmul(h, recurrent)), c, n, highest);
      return { states: [after.h, after.c, after.n, after.m], outputs: [after.h, after.c, after.n] };
    },
  );
  const [h, c, n] = outputs.map((each) => transpose(each, [1, 0, 2])); // [B, T, d]
  tapAll(taps, { hidden: h, cell: c, normalizer: n });
  return h;
}

/** The same for one token, [B, 4d], and a state -> the state after it. */
export function advance(
  given: Tensor,
  recurrent: Tensor,
  state: State,
  { taps, position }: Pick<StepContext, "taps" | "position">,
) {
  const before = add(state.m, scale(oneHot(position, 1), NEVER)); // at position 0 the state is all zeros
  const after = cell(add(given, matmul(state.h, recurrent)), state.c, state.n, before);
  tapStep(taps, { hidden: after.h, cell: after.c, normalizer: after.n });
  return after;
}

/** gates [B, 4d] before their nonlinearities, c, n and m [B, d] -> h, c, n, m. */
function cell(gates: Tensor, c: Tensor, n: Tensor, m: Tensor) {
  const [, width] = c.shape;
  const [i, f, z, o] = split(gates, -1, [width, width, width, width]);
  const held = subtract(m, softplus(negate(f))); // log sigmoid(f) + m
  const after = stopGradient(maximum(held, i));
  const [write, keep] = [exp(subtract(i, after)), exp(subtract(held, after))];
  const cell = add(multiply(keep, c), multiply(write, tanh(z)));
  const normalizer = add(multiply(keep, n), write);
  return { h: multiply(sigmoid(o), divide(cell, normalizer)), c: cell, n: normalizer, m: after };
}

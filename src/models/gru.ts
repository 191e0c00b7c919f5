/**
 * @file GRU: a nonlinear recurrence with two gates and no separate cell state.
 *
 *     r, z = sigmoid(...)   of   x_t Wx + h_{t-1} Wh + b
 *     n = tanh(x_t Wx + b + r o (h_{t-1} Wh + c)),   h_t = (1 - z) o n + z o h_{t-1};   y_t = h_t Wout;   h_0 = 0
 *     Wh: each head sees only its part of h; with one head it is dense
 *
 * The weights' columns are r, z, n in this order. The reset gate applies after the product with Wh, as in cuDNN, so that the three
 * products are one. A cell can represent any automaton, if a head has as many units as it needs: heads exchange information only
 * through the layers around. Source: Cho et al. 2014, arXiv:1406.1078; heads: Pöppel et al. 2024, arXiv:2412.07752.
 */

import { z } from "zod";
import { gruStep } from "../tensor/gru-recurrence.ts";
import {
  add,
  gruRecurrence,
  linear,
  matmul,
  overTime,
  scan,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { keepMask } from "../tensor/packed-sequences.ts";
import { headsField } from "./config-fields.ts";
import { constantParameter, headWidth, hiddenOut, normal, tapStep, withinHeads } from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  heads: headsField(1),
});
type Config = z.infer<typeof config>;

export const gru = defineModel({
  name: "gru",
  summary: "nonlinear recurrent network with two gates",
  source: "arXiv:1406.1078, arXiv:2412.07752",
  config,
  startsFrom: ["h"],

  traits: () => ({ recurrence: "nonlinear" }),

  init({ heads }: Config, width, rng) {
    const own = headWidth(width, heads);
    return {
      input: normal(rng.fork("input"), [width, 3 * width], width ** -0.5),
      recurrent: normal(rng.fork("recurrent"), [width, 3 * own], own ** -0.5),
      bias: constantParameter([3 * width], 0),
      recurrentBias: constantParameter([width], 0),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads }, context) {
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]); // [B, T, n] to [T, B, n], and back
    const given = add(linear(exchanged(x), p.input), p.bias); // [T, B, 3d]
    const recurrent = withinHeads(p.recurrent, heads, 3);
    const keeps = context.fresh && keepMask(overTime(context.fresh));
    const h = exchanged(gruRecurrence(given, recurrent, p.recurrentBias, keeps)); // [B, T, d]
    context.taps("hidden", h);
    return hiddenOut(h, heads, p.out, context);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, state, { heads }, context) {
    const given = add(linear(x, p.input), p.bias);
    const recurrent = matmul(state.h, withinHeads(p.recurrent, heads, 3));
    const { h } = gruStep(given, recurrent, p.recurrentBias, state.h);
    tapStep(context.taps, { hidden: h });
    return { y: hiddenOut(h, heads, p.out, context), state: { h } };
  },

  extend(p, x, state, { heads }, context) {
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]);
    const given = exchanged(add(linear(x, p.input), p.bias)); // [T, B, 3d]
    const recurrent = withinHeads(p.recurrent, heads, 3);
    const { states, outputs } = scan([given], [state.h], ([before], [now]) => {
      const { h } = gruStep(now, matmul(before, recurrent), p.recurrentBias, before);
      return { states: [h], outputs: [h] };
    });
    const h = exchanged(outputs[0]); // [B, T, d]
    context.taps("hidden", h);
    return { y: hiddenOut(h, heads, p.out, context), rows: {}, state: { h: states[0] } };
  },
  stepwise: true,
  packs: true,
});

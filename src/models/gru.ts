/**
 * @file GRU: a nonlinear recurrence with two gates and no cell of its own.
 *
 *     r, z = sigmoid(...)   of   x_t Wx + h_{t-1} Wh + b
 *     n = tanh(x_t Wx + b + r o (h_{t-1} Wh + c)),   h_t = (1 - z) o n + z o h_{t-1};   y_t = h_t Wout;   h_0 = 0
 *
 * The weights' columns hold r, z, n in this order. The reset gate stands behind the product with Wh, as in cuDNN, so that the
 * three products are one. Source: Cho et al. 2014, arXiv:1406.1078.
 */

import { z } from "zod";
import {
  add,
  gruRecurrence,
  gruStep,
  linear,
  matmul,
  reshape,
  scan,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { constantParameter, normal, tapStep } from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({});

export const gru = defineModel({
  name: "gru",
  summary: "nonlinear recurrent network with two gates",
  source: "arXiv:1406.1078",
  config,
  startsFrom: ["h"],

  traits: () => ({ recurrence: "nonlinear" }),

  init(_config: z.infer<typeof config>, width, rng) {
    return {
      input: normal(rng.fork("input"), [width, 3 * width], width ** -0.5),
      recurrent: normal(rng.fork("recurrent"), [width, 3 * width], width ** -0.5),
      bias: constantParameter([3 * width], 0),
      recurrentBias: constantParameter([width], 0),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, _config, { taps, intervene }) {
    const [batch, length, width] = x.shape;
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]); // [B, T, n] to [T, B, n], and back
    const given = add(linear(exchanged(x), p.input), p.bias); // [T, B, 3d]
    const h = exchanged(gruRecurrence(given, p.recurrent, p.recurrentBias)); // [B, T, d]
    taps("hidden", h);
    const o = intervene(reshape(h, [batch, length, 1, width]));
    return linear(reshape(o, [batch, length, width]), p.out);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, state, _config, { taps, intervene }) {
    const [batch, width] = x.shape;
    const given = add(linear(x, p.input), p.bias);
    const { h } = gruStep(given, matmul(state.h, p.recurrent), p.recurrentBias, state.h);
    tapStep(taps, { hidden: h });
    const o = intervene(reshape(h, [batch, 1, 1, width]));
    return { y: linear(reshape(o, [batch, width]), p.out), state: { h } };
  },

  extend(p, x, state, _config, { taps, intervene }) {
    const [batch, length, width] = x.shape;
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]);
    const given = exchanged(add(linear(x, p.input), p.bias)); // [T, B, 3d]
    const { states, outputs } = scan([given], [state.h], ([before], [now]) => {
      const { h } = gruStep(now, matmul(before, p.recurrent), p.recurrentBias, before);
      return { states: [h], outputs: [h] };
    });
    const h = exchanged(outputs[0]); // [B, T, d]
    taps("hidden", h);
    const o = intervene(reshape(h, [batch, length, 1, width]));
    return { y: linear(reshape(o, x.shape), p.out), rows: {}, state: { h: states[0] } };
  },
  stepwise: true,
});

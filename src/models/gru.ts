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
  full,
  linear,
  matmul,
  multiply,
  reshape,
  scan,
  sigmoid,
  split,
  subtract,
  type Tensor,
  tanh,
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
    const given = transpose(add(linear(x, p.input), p.bias), [1, 0, 2]); // [T, B, 3d]
    const { outputs } = scan([given], [full(x.graph, [batch, width], 0)], ([h], [now]) => {
      const after = cell(now, matmul(h, p.recurrent), p.recurrentBias, h);
      return { states: [after], outputs: [after] };
    });
    const h = transpose(outputs[0], [1, 0, 2]); // [B, T, d]
    taps("hidden", h);
    const o = intervene(reshape(h, [batch, length, 1, width]));
    return linear(reshape(o, [batch, length, width]), p.out);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, state, _config, { taps, intervene }) {
    const [batch, width] = x.shape;
    const given = add(linear(x, p.input), p.bias);
    const h = cell(given, matmul(state.h, p.recurrent), p.recurrentBias, state.h);
    tapStep(taps, { hidden: h });
    const o = intervene(reshape(h, [batch, 1, 1, width]));
    return { y: linear(reshape(o, [batch, width]), p.out), state: { h } };
  },
});

/** x Wx + b and h Wh [B, 3d], c [d], h [B, d] -> h after. */
function cell(given: Tensor, recurrent: Tensor, bias: Tensor, h: Tensor): Tensor {
  const [, width] = h.shape;
  const [givenGates, givenNew] = split(given, -1, [2 * width, width]);
  const [recurrentGates, recurrentNew] = split(recurrent, -1, [2 * width, width]);
  const [r, z] = split(sigmoid(add(givenGates, recurrentGates)), -1, [width, width]);
  const n = tanh(add(givenNew, multiply(r, add(recurrentNew, bias))));
  return add(n, multiply(z, subtract(h, n)));
}

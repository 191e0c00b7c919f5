/**
 * @file The simple recurrent network: a hidden state updated by one matrix and a tanh.
 *
 *     h_t = tanh(x_t W + h_{t-1} R + b);   y_t = h_t Wout    R: each head sees only its part of h;  h_0 = 0
 *
 * With one head R is dense, Elman's network. R is initially orthogonal, so that no direction of h decays or grows before the tanh; or
 * 0.9 times the identity. Source: Elman 1990, Finding structure in time; heads: Pöppel et al. 2024, arXiv:2412.07752.
 */

import { z } from "zod";
import { noNumbers, type Rng } from "../core/rng.ts";
import { add, full, linear, matmul, type Parameter, tanh, transpose } from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { headsField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  hiddenOut,
  makeParameter,
  normal,
  orthogonal,
  tapStep,
  withinHeads,
} from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  heads: headsField(1),
  start: z.enum(["orthogonal", "identity"]).default("orthogonal").describe("Initial value of R"),
});
type Config = z.infer<typeof config>;

export const rnn = defineModel({
  name: "rnn",
  summary: "simple recurrent network (Elman)",
  source: "Elman 1990, arXiv:2412.07752",
  config,

  traits: () => ({ recurrence: "nonlinear" }),
  startsFrom: ["h"],

  init({ heads, start }: Config, width, rng) {
    const own = headWidth(width, heads);
    return {
      input: normal(rng.fork("input"), [width, width], width ** -0.5),
      recurrent: recurrentParameter(rng.fork("recurrent"), heads, own, start),
      bias: constantParameter([width], 0),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads }, context) {
    const { taps, fresh } = context;
    const [batch, , width] = x.shape;
    const given = transpose(add(linear(x, p.input), p.bias), [1, 0, 2]); // [T, B, d]
    const recurrent = withinHeads(p.recurrent, heads, 1);
    const start = full(x.graph, [batch, width], 0);
    const { outputs } = scanSessions([given], [start], fresh, ([h], [now]) => {
      const after = tanh(add(now, matmul(h, recurrent)));
      return { states: [after], outputs: [after] };
    });
    const h = transpose(outputs[0], [1, 0, 2]); // [B, T, d]
    taps("hidden", h);
    return hiddenOut(h, heads, p.out, context);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, state, { heads }, context) {
    const given = add(linear(x, p.input), p.bias);
    const h = tanh(add(given, matmul(state.h, withinHeads(p.recurrent, heads, 1))));
    tapStep(context.taps, { hidden: h });
    return { y: hiddenOut(h, heads, p.out, context), state: { h } };
  },
  packs: true,
});

/** [d, d/h]: the matrices of the heads, [d/h, d/h] each, one below the other. */
function recurrentParameter(rng: Rng, heads: number, own: number, start: Config["start"]): Parameter {
  const shape = [heads * own, own];
  if (start === "orthogonal") {
    if (rng === noNumbers) return { shape, data: new Float32Array() };
    const rows = Array.from({ length: heads }, (_, head) => orthogonal(rng.fork(head), own)).flat();
    return { shape, data: Float32Array.from(rows.flat()) };
  }
  return makeParameter(shape, () => {
    const data = new Float32Array(heads * own * own);
    for (let row = 0; row < heads * own; row++) data[row * own + (row % own)] = 0.9;
    return data;
  });
}

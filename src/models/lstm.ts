/**
 * @file LSTM: a nonlinear recurrence with gates.
 *
 *     i, f, o = sigmoid(...), g = tanh(...)   of   u_t + h_{t-1} Wh + b
 *     u = x Wx, or with `convolution` conv(x Wx)
 *     c_t = f c_{t-1} + i g,   h_t = o tanh(c_t);   y_t = h_t Wout;   c_0 = h_0 = 0
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *     Wh: each head sees only its part of h; with one head it is dense
 *
 * The weights' columns are i, f, o, g in this order, so that the three sigmoids are one op. A cell can represent any automaton, if a
 * head has as many units as it needs: heads exchange information only through the layers around. Source: Hochreiter and Schmidhuber
 * 1997; forget gate: Gers et al. 2000; heads: Pöppel et al. 2024, arXiv:2412.07752.
 */

import { z } from "zod";
import {
  add,
  linear,
  lstmRecurrence,
  matmul,
  overTime,
  reshape,
  scan,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { lstmStep } from "../tensor/lstm-recurrence.ts";
import { keepMask } from "../tensor/packed-sequences.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import {
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  convolutionStepIfAny,
  headWidth,
  makeParameter,
  normal,
  readOut,
  splitHeads,
  tapAll,
  tapStep,
  withinHeads,
} from "./layers.ts";
import { defineModel, READOUT } from "./model.ts";

const config = z.strictObject({
  heads: headsField(1),
  forgetBias: z.number().default(1).describe("Initial bias of the forget gate"),
  convolution: convolutionField(0),
});
type Config = z.infer<typeof config>;

export const lstm = defineModel({
  name: "lstm",
  summary: "nonlinear recurrent network with gates and a cell",
  source: "Hochreiter and Schmidhuber 1997, arXiv:2412.07752",
  config,
  startsFrom: ["h", "c"],
  offers: [READOUT],

  traits: () => ({ recurrence: "nonlinear" }),

  init({ heads, forgetBias, convolution }: Config, width, rng) {
    const own = headWidth(width, heads);
    const bias = () => new Float32Array(4 * width).fill(forgetBias, width, 2 * width);
    return {
      input: normal(rng.fork("input"), [width, 4 * width], width ** -0.5),
      recurrent: normal(rng.fork("recurrent"), [width, 4 * own], own ** -0.5),
      bias: makeParameter([4 * width], bias),
      ...convolutionParameter(rng, convolution, 4 * width),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads }, { taps, intervene, offer, fresh }) {
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]); // [B, T, n] to [T, B, n], and back
    const given = p.convolution
      ? exchanged(convolutionOver(linear(x, p.input), p.convolution, undefined, fresh).y)
      : linear(exchanged(x), p.input); // [T, B, 4d], from the narrower side
    const keeps = fresh && keepMask(overTime(fresh));
    const after = lstmRecurrence(add(given, p.bias), withinHeads(p.recurrent, heads, 4), keeps);
    const [h, c] = [after.h, after.c].map(exchanged); // [B, T, d]
    tapAll(taps, { hidden: h, cell: c });
    const read = readOut(splitHeads(h, heads), { intervene, offer });
    return linear(read, p.out);
  },

  state: ({ convolution }, width) => ({ h: [width], c: [width], ...convolutionPast(convolution, 4 * width) }),

  step(p, x, state, { heads }, { taps, intervene, offer }) {
    const [batch] = x.shape;
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.input), p.convolution, state.past);
    const gates = add(add(mixed, p.bias), matmul(state.h, withinHeads(p.recurrent, heads, 4)));
    const { h, c } = lstmStep(gates, state.c);
    tapStep(taps, { hidden: h, cell: c });
    const read = reshape(readOut(reshape(h, [batch, 1, heads, -1]), { intervene, offer }), x.shape);
    return { y: linear(read, p.out), state: { h, c, ...kept } };
  },

  extend(p, x, state, { heads }, { taps, intervene, offer }) {
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]);
    const { y: mixed, kept } = convolutionOver(linear(x, p.input), p.convolution, state.past);
    const recurrent = withinHeads(p.recurrent, heads, 4);
    const { states, outputs } = scan(
      [exchanged(add(mixed, p.bias))],
      [state.h, state.c],
      ([before, cell], [given]) => {
        const { h, c } = lstmStep(add(given, matmul(before, recurrent)), cell);
        return { states: [h, c], outputs: [h, c] };
      },
    );
    const [h, c] = outputs.map(exchanged); // [B, T, d]
    tapAll(taps, { hidden: h, cell: c });
    const read = readOut(splitHeads(h, heads), { intervene, offer });
    return { y: linear(read, p.out), rows: {}, state: { h: states[0], c: states[1], ...kept } };
  },
  stepwise: true,
  packs: true,
});

/**
 * @file State-regularized GRU: after each step the hidden vector is replaced by a mixture of a few learned centroids, so that an
 * automaton can be extracted.
 *
 *     u_t = GRU(x_t, h_{t-1})          gru.ts
 *     p_t = softmax(u_t C' / tau)      C: k centroids, [k, d]
 *     h_t = p_t C;   y_t = h_t Wout;   h_0 = 0
 *
 * With a small tau h is one of k rows, and the next one follows from it and the word: an automaton of k states. p is tapped as
 * `choice`. Source: Wang and Niepert 2019, arXiv:1901.08817; the gates are the GRU's soft ones.
 */

import { z } from "zod";
import { gruStep } from "../tensor/gru-recurrence.ts";
import { add, full, linear, matmul, scale, softmax, type Tensor, transpose } from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { constantParameter, hiddenOut, makeParameter, normal, tapAll, tapStep } from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  centroids: z.int().min(2).default(16).describe("Number k of centroids"),
  temperature: z.number().positive().default(1).describe("Temperature tau of the mixture"),
});
type Config = z.infer<typeof config>;

interface Weights {
  readonly recurrent: Tensor;
  readonly recurrentBias: Tensor;
  readonly centroids: Tensor;
}

export const srGru = defineModel({
  name: "sr-gru",
  summary: "GRU whose hidden vector is a mixture of learned centroids",
  source: "arXiv:1901.08817",
  config,

  traits: () => ({ recurrence: "nonlinear", states: "choice" }),
  startsFrom: ["h"],

  init({ centroids }: Config, width, rng) {
    const uniform = rng.fork("centroids");
    return {
      input: normal(rng.fork("input"), [width, 3 * width], width ** -0.5),
      recurrent: normal(rng.fork("recurrent"), [width, 3 * width], width ** -0.5),
      bias: constantParameter([3 * width], 0),
      recurrentBias: constantParameter([width], 0),
      centroids: makeParameter([centroids, width], () =>
        Float32Array.from({ length: centroids * width }, () => uniform.next() - 0.5),
      ),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { temperature }, context) {
    const [batch, , width] = x.shape;
    const exchanged = (each: Tensor) => transpose(each, [1, 0, 2]); // [B, T, n] to [T, B, n], and back
    const given = exchanged(add(linear(x, p.input), p.bias)); // [T, B, 3d]
    const start = full(x.graph, [batch, width], 0);
    const { outputs } = scanSessions([given], [start], context.fresh, ([before], [now]) => {
      const { h, choice } = regularised(now, before, p, temperature);
      return { states: [h], outputs: [h, choice] };
    });
    const [h, choice] = outputs.map(exchanged); // [B, T, d], [B, T, k]
    tapAll(context.taps, { hidden: h, choice });
    return hiddenOut(h, 1, p.out, context);
  },

  state: (_config, width) => ({ h: [width] }),

  step(p, x, state, { temperature }, context) {
    const given = add(linear(x, p.input), p.bias);
    const { h, choice } = regularised(given, state.h, p, temperature);
    tapStep(context.taps, { hidden: h, choice });
    return { y: hiddenOut(h, 1, p.out, context), state: { h } };
  },
  packs: true,
});

/** given [B, 3d], before [B, d] -> h [B, d] and p [B, k]. */
function regularised(given: Tensor, before: Tensor, weights: Weights, temperature: number) {
  const { h: u } = gruStep(given, matmul(before, weights.recurrent), weights.recurrentBias, before);
  const choice = softmax(scale(matmul(u, weights.centroids, { transposeY: true }), 1 / temperature));
  return { h: matmul(choice, weights.centroids), choice };
}

/**
 * @file PD-SSM: a linear recurrence whose matrix has one complex number per column: a permutation-like map and a factor.
 *
 *     s = softmax(x Ws)                                     K shares
 *     M = sum_k s_k D_k;   P = 1 at the largest of each column of M, else 0        D_k [N, N]
 *     l = sigmoid(mlp_m(x)) e^(2 pi i sigmoid(mlp_p(x)))    one a place;  mlp(x) = gelu(x U + u) V + v, 2 N wide
 *     h_t = P_t (l_t o h_{t-1}) + x_t (Bre + i Bim);   h_0 = 0        h [N], complex
 *     y_t = [Re h_t, Im h_t] Wout + skip o x_t              gelu(z) = z sigmoid(1.702 z)
 *
 * The product of two such matrices is again one. One layer can represent any automaton of N states whose moves are in the dictionary,
 * including moves that merge states; and it can rotate, by phases alone. P has no derivative: its gradient is that of the softmax of
 * each column of M (straight through).
 *
 * Source: Terzić et al. 2025, arXiv:2509.22284, and the authors' code. Columns and h_0 = 0 are as in their JAX code, since rows, as
 * in their PyTorch code, cannot merge two states; there l also comes after P. Dropout, the bias of the readout and the norm after the
 * block, which the stack has, are omitted. The authors' skip starts larger, as with `initialization: source`.
 */

import { z } from "zod";
import {
  add,
  choice,
  concat,
  cos,
  full,
  linear,
  matmul,
  multiply,
  reshape,
  scale,
  sigmoid,
  sin,
  softmax,
  split,
  subtract,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { constantParameter, gelu, normal, tapAll, tapStep, withSource } from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  stateSize: z.int().positive().default(32).describe("State numbers N"),
  dictionary: z.int().positive().default(8).describe("Matrices K of the dictionary"),
});
type Config = z.infer<typeof config>;

export const pdSsm = defineModel({
  name: "pd-ssm",
  summary: "linear recurrence with a permutation-like matrix times complex numbers",
  source: "arXiv:2509.22284",
  config,

  traits: () => ({ recurrence: { least: -1, complex: true, commuting: false }, choices: true }),
  startsFrom: ["h"],

  init({ stateSize, dictionary }: Config, width, rng) {
    const perceptron = (name: string) => ({
      up: normal(rng.fork(`${name} up`), [width, 2 * stateSize]),
      upBias: constantParameter([2 * stateSize], 0),
      down: normal(rng.fork(`${name} down`), [2 * stateSize, stateSize]),
      downBias: constantParameter([stateSize], 0),
    });
    const skip = rng.fork("skip");
    return {
      selector: normal(rng.fork("selector"), [width, dictionary]),
      dictionary: normal(rng.fork("dictionary"), [dictionary, stateSize, stateSize], stateSize ** -0.5),
      size: perceptron("size"),
      phase: perceptron("phase"),
      input: normal(rng.fork("input"), [width, 2 * stateSize], (2 * stateSize) ** -0.5),
      skip: withSource(normal(skip, [width]), skip, (rng, shape) => normal(rng, shape, width ** -0.5).data),
      out: normal(rng.fork("out"), [2 * stateSize, width]),
    };
  },

  apply(p, x, { stateSize }, context) {
    const parts = partsOf(p, x);
    const overTime = (y: Tensor) => transpose(y, [1, 0, 2, 3]);
    const start = full(x.graph, [x.shape[0], stateSize, 2], 0);
    const inputs = [parts.moves, parts.factor, parts.given].map(overTime);
    const { outputs } = scanSessions(inputs, [start], context.fresh, ([h], [moves, factor, given]) => {
      const after = stepOf(h, moves, factor, given);
      return { states: [after], outputs: [after] };
    });
    const h = overTime(outputs[0]); // [B, T, N, 2]
    tapAll(context.taps, { shares: parts.shares, factor: parts.factor, hidden: h });
    return read(p, h, x, context);
  },

  state: ({ stateSize }) => ({ h: [stateSize, 2] }),

  step(p, x, state, _config, context) {
    const [batch, width] = x.shape;
    const alone = reshape(x, [batch, 1, width]);
    const { moves, factor, given, shares } = partsOf(p, alone);
    const now = (y: Tensor) => reshape(y, [batch, ...y.shape.slice(2)]);
    const h = stepOf(state.h, now(moves), now(factor), now(given));
    tapStep(context.taps, { shares: now(shares), factor: now(factor), hidden: h });
    const y = read(p, reshape(h, [batch, 1, ...h.shape.slice(1)]), alone, context);
    return { y: reshape(y, x.shape), state: { h } };
  },
  packs: true,
});

type Perceptron = Readonly<Record<"up" | "upBias" | "down" | "downBias", Tensor>>;
type Parameters = Readonly<Record<"selector" | "dictionary" | "input" | "skip" | "out", Tensor>> &
  Readonly<Record<"size" | "phase", Perceptron>>;

/** x [B, T, d] -> P' [B, T, N, N], whose row j gives the destination of place j; l and x B [B, T, N, 2]; s [B, T, K]. */
function partsOf(p: Parameters, x: Tensor) {
  const [batch, length] = x.shape;
  const [count, size] = p.dictionary.shape;
  const shares = softmax(linear(x, p.selector));
  const mixed = linear(shares, reshape(p.dictionary, [count, size * size]));
  const moves = choice(reshape(mixed, [batch, length, size, size]));
  const ofPlaces = (perceptron: Perceptron) => reshape(sigmoid(mlp(x, perceptron)), [batch, length, size, 1]);
  const angle = scale(ofPlaces(p.phase), 2 * Math.PI);
  const factor = multiply(concat([cos(angle), sin(angle)], -1), ofPlaces(p.size));
  const given = transpose(reshape(linear(x, p.input), [batch, length, 2, size]), [0, 1, 3, 2]);
  return { shares, moves, factor, given };
}

/** h [B, N, 2] -> P (l o h) + x B. */
function stepOf(h: Tensor, moves: Tensor, factor: Tensor, given: Tensor): Tensor {
  const [re, im] = split(h, -1, [1, 1]);
  const [a, b] = split(factor, -1, [1, 1]);
  const turned = concat(
    [subtract(multiply(a, re), multiply(b, im)), add(multiply(a, im), multiply(b, re))],
    -1,
  );
  return add(matmul(moves, turned, { transposeX: true }), given);
}

/** h [B, T, N, 2], x [B, T, d] -> [B, T, d]. */
function read(p: Parameters, h: Tensor, x: Tensor, { intervene }: Context): Tensor {
  const [batch, length, size] = h.shape;
  const o = intervene(reshape(transpose(h, [0, 1, 3, 2]), [batch, length, 1, 2 * size]));
  return add(linear(reshape(o, [batch, length, 2 * size]), p.out), multiply(x, p.skip));
}

function mlp(x: Tensor, { up, upBias, down, downBias }: Perceptron): Tensor {
  const z = add(linear(x, up), upBias);
  return add(linear(gelu(z), down), downBias);
}

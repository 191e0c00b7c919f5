/**
 * @file SD-SSM: a linear recurrence whose dense matrix is a mixture of dictionary matrices per token.
 *
 *     s = softmax(x Ws + b)                          K shares
 *     M = sum_k s_k D_k;   A = M with each column over its length |m| = (sum_i |m_i|^p)^(1/p), p = 1.2      D_k [N, N]
 *     h_t = A_t h_{t-1} + x_t Win;   h_0 = 0         h [N]
 *     y_t = layerNorm(h_t) Wout                      a scale, no bias
 *
 * A permutation matrix can be a D_k, and a token that selects it alone applies it exactly: with as many matrices as there are moves,
 * one layer can represent any permutation of N places, and so any group that acts on them. The eigenvalues of a mixture are not bounded
 * by 1, and the moves are limited to the dictionary.
 *
 * Source: Terzić et al. 2024, arXiv:2412.19350, and the authors' code, which normalizes the mixture, not each matrix.
 */

import { z } from "zod";
import { noNumbers, type Rng } from "../core/rng.ts";
import { shift } from "../tensor/arithmetic.ts";
import {
  add,
  divide,
  exp,
  full,
  linear,
  log,
  matmul,
  mean,
  type Parameter,
  reshape,
  scale,
  softmax,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { absolute } from "../tensor/maximum.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { constantParameter, normal, tapStep } from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  stateSize: z.int().positive().default(32).describe("State numbers N"),
  dictionary: z.int().positive().default(8).describe("Matrices K of the dictionary"),
});
type Config = z.infer<typeof config>;

const P = 1.2;
/** Keeps the logarithm of a zero entry finite. */
const SMALLEST = 1e-12;

export const sdSsm = defineModel({
  name: "sd-ssm",
  summary: "linear recurrence with a dense matrix, mixed from a dictionary",
  source: "arXiv:2412.19350",
  config,

  traits: () => ({ recurrence: { least: -1, complex: true, commuting: false } }),
  startsFrom: ["h"],

  init({ stateSize, dictionary }: Config, width, rng) {
    return {
      selector: normal(rng.fork("selector"), [width, dictionary]),
      selectorBias: constantParameter([dictionary], 0),
      dictionary: uniform(
        rng.fork("dictionary"),
        [dictionary, stateSize, stateSize],
        Math.sqrt(6 / (2 * stateSize)),
      ),
      input: normal(rng.fork("input"), [width, stateSize]),
      norm: constantParameter([stateSize], 1),
      out: normal(rng.fork("out"), [stateSize, width]),
    };
  },

  apply(p, x, { stateSize }, context) {
    const [batch, length] = x.shape;
    const { transition, given, shares } = partsOf(p, x);
    const overTime = (y: Tensor) => transpose(y, [1, 0, 2, 3]);
    const start = full(x.graph, [batch, stateSize, 1], 0);
    const { outputs } = scanSessions(
      [overTime(transition), overTime(given)],
      [start],
      context.fresh,
      ([h], [A, u]) => {
        const after = add(matmul(A, h), u);
        return { states: [after], outputs: [after] };
      },
    );
    const h = reshape(overTime(outputs[0]), [batch, length, stateSize]);
    context.taps("shares", shares);
    context.taps("hidden", h);
    return read(p, h, context);
  },

  state: ({ stateSize }) => ({ h: [stateSize] }),

  step(p, x, state, { stateSize }, context) {
    const [batch, width] = x.shape;
    const { transition, given, shares } = partsOf(p, reshape(x, [batch, 1, width]));
    const A = reshape(transition, [batch, stateSize, stateSize]);
    const moved = matmul(A, reshape(state.h, [batch, stateSize, 1]));
    const h = reshape(add(moved, reshape(given, moved.shape)), [batch, stateSize]);
    tapStep(context.taps, { shares: reshape(shares, [batch, -1]), hidden: h });
    return { y: reshape(read(p, reshape(h, [batch, 1, stateSize]), context), x.shape), state: { h } };
  },
  packs: true,
});

type Parameters = Readonly<
  Record<"selector" | "selectorBias" | "dictionary" | "input" | "norm" | "out", Tensor>
>;

/** x [B, T, d] -> A [B, T, N, N], x Win [B, T, N, 1], s [B, T, K]. */
function partsOf(p: Parameters, x: Tensor) {
  const [batch, length] = x.shape;
  const [count, size] = p.dictionary.shape;
  const shares = softmax(add(linear(x, p.selector), p.selectorBias));
  const mixed = reshape(linear(shares, reshape(p.dictionary, [count, size * size])), [
    ...[batch, length, size, size],
  ]);
  const powers = exp(scale(log(shift(absolute(mixed), SMALLEST)), P));
  const lengths = exp(scale(log(sum(powers, { axes: [2], keep: true })), 1 / P)); // of each column
  return {
    transition: divide(mixed, lengths),
    given: reshape(linear(x, p.input), [batch, length, size, 1]),
    shares,
  };
}

/** h [B, T, N] -> [B, T, d]. */
function read(p: Parameters, h: Tensor, { intervene, norm }: Context): Tensor {
  const [batch, length, size] = h.shape;
  const centred = subtract(h, mean(h, { axes: [-1], keep: true }));
  const o = intervene(reshape(norm(centred, p.norm), [batch, length, 1, size]));
  return linear(reshape(o, h.shape), p.out);
}

function uniform(rng: Rng, shape: readonly number[], most: number): Parameter {
  if (rng === noNumbers) return { shape, data: new Float32Array() };
  const count = shape.reduce((product, each) => product * each, 1);
  return { shape, data: Float32Array.from({ length: count }, () => most * (2 * rng.next() - 1)) };
}

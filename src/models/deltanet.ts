/**
 * @file DeltaNet: a linear RNN that corrects its memory instead of only adding to it.
 *
 *     S_t = (I - b_t k_t k_t') S_{t-1} + b_t k_t v_t'          S [dk, dv], |k_t| = |q_t| = 1
 *     o_t = S_t' q_t / sqrt(dk)
 *
 * The transition has eigenvalue 1 - b along k. With b in (0, 1) it can only shrink; with b in (0, 2) it can reach -1, a
 * reflection: b = 2 and k = (e_i - e_j) / sqrt 2 exchanges the contents of two slots exactly.
 *
 * Source: Yang et al. 2024, arXiv:2406.06484; b up to 2: Grazzi et al. 2024, arXiv:2411.12537.
 */

import { z } from "zod";
import {
  add,
  causalConvolution,
  deltaRule,
  linear,
  matmul,
  multiply,
  reshape,
  scale,
  sigmoid,
  silu,
  split,
  subtract,
  type Tensor,
  unitNorm,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionStep,
  headWidth,
  joinHeads,
  norm,
  normal,
  splitHeads,
} from "./layers.ts";
import { defineModel } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** b in (0, betaMax): 1 is the original model, 2 admits negative eigenvalues. */
  betaMax: z.union([z.literal(1), z.literal(2)]).default(2),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(32),
});
type Config = z.infer<typeof config>;

export const deltanet = defineModel({
  name: "deltanet",
  summary: "linear RNN with the delta rule; betaMax 2 admits eigenvalues in [-1, 1], betaMax 1 only [0, 1]",
  source: "arXiv:2406.06484, arXiv:2411.12537",
  config,

  init({ heads, convolution }: Config, width, rng) {
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      beta: normal(rng.fork("beta"), [width, heads]),
      ...(convolution > 0 && {
        convolution: normal(rng.fork("convolution"), [convolution, 3 * width], convolution ** -0.5),
      }),
      norm: constantParameter([headWidth(width, heads)], 1),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads, betaMax, chunk }, { taps, heads: read }) {
    const projected = linear(x, p.qkv); // [B, T, 3d]
    const mixed = silu(p.convolution ? causalConvolution(projected, p.convolution) : projected);
    const { q, k, v } = queryKeyValue(mixed, heads);
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, T, h]
    taps("query", q);
    taps("key", k);
    taps("value", v);
    taps("beta", beta);
    const o = read(norm(deltaRule(q, k, v, beta, { chunk }), p.norm)); // [B, T, h, dv], one scale [dv] for all heads
    return linear(joinHeads(o), p.out);
  },

  state({ heads, convolution }, width) {
    const S = [heads, width / heads, width / heads];
    return convolution > 1 ? { S, past: [convolution - 1, 3 * width] } : { S };
  },

  step(p, x, state, { heads, betaMax }, { taps, heads: read }) {
    const [batch, width] = x.shape;
    const projected = linear(x, p.qkv); // [B, 3d]
    const window = p.convolution && state.past && convolutionStep(projected, state.past, p.convolution);
    const single = p.convolution && !window ? multiply(projected, p.convolution) : projected;
    const { q, k, v } = queryKeyValue(silu(window?.y ?? single), heads); // [B, h, dk]
    const beta = scale(sigmoid(linear(x, p.beta)), betaMax); // [B, h]
    for (const [name, value] of Object.entries({ query: q, key: k, value: v, beta })) {
      taps(name, reshape(value, [batch, 1, ...value.shape.slice(1)]));
    }
    const column = (y: Tensor) => reshape(y, [batch, heads, width / heads, 1]);
    const row = (y: Tensor) => reshape(y, [batch, heads, 1, width / heads]);
    const error = subtract(row(v), matmul(row(k), state.S)); // v' - k' S  [B, h, 1, dv]
    const written = multiply(multiply(column(k), error), reshape(beta, [batch, heads, 1, 1]));
    const S = add(state.S, written);
    const o = read(norm(reshape(matmul(row(q), S), [batch, 1, heads, -1]), p.norm));
    const y = reshape(linear(joinHeads(o), p.out), x.shape);
    return { y, state: window ? { S, past: window.past } : { S } };
  },
});

/** [..., 3d] -> q, k of unit length and v, [..., h, d/h] each; q is divided by sqrt(dk). */
function queryKeyValue(mixed: Tensor, heads: number) {
  const width = mixed.shape.at(-1)! / 3;
  const [q, k, v] = split(mixed, -1, [width, width, width]).map((each) => splitHeads(each, heads));
  return { q: scale(unitNorm(q), (width / heads) ** -0.5), k: unitNorm(k), v };
}

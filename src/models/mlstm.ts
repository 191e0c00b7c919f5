/**
 * @file mLSTM: a matrix memory to which each token adds, with exponential gates and a normalizer.
 *
 *     q, k, v = silu(conv(x Wqkv));   q = q / sqrt(dk)               in each head
 *     i = x Wi + b_i;   f = sigmoid(x Wf + b_f)                      one number a head
 *     m_t = max(log f_t + m_{t-1}, i_t);   f' = e^(log f_t + m_{t-1} - m_t);   i' = e^(i_t - m_t)
 *     S_t = f' S_{t-1} + i' k_t v_t';   n_t = f' n_{t-1} + i' k_t    S [dk, dv], n [dk] a head; all from 0
 *     h_t = S_t' q_t / max(|n_t' q_t|, e^-m_t)
 *     y_t = (norm(h_t) o sigmoid(x_t Wo + c)) Wout                   RMSNorm over dv, one scale [dv] for all heads
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1              one filter of K taps a channel
 *
 * What is written is never corrected or exchanged, only faded: all eigenvalues of the transition are one f in (0, 1).
 * Source: Beck et al. 2024, arXiv:2405.04517.
 */

import { z } from "zod";
import {
  add,
  detached,
  exp,
  linear,
  matmul,
  matrixMemory,
  matrixMemoryFrom,
  maximum,
  multiply,
  negate,
  readNormalized,
  reshape,
  scale,
  sigmoid,
  silu,
  softplus,
  split,
  subtract,
  type Tensor,
  withOnes,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  normal,
  parameterOf,
  pastOf,
  splitHeads,
  tapAll,
  tapStep,
} from "./layers.ts";
import { asCell, asColumn, asRow, recall } from "./memory.ts";
import { defineModel, type State } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2),
  /** Taps of the short convolution on q, k, v; 0 leaves it out. */
  convolution: z.int().min(0).default(4),
  /** Steps per chunk of the parallel form; any number gives the same results. */
  chunk: z.int().positive().default(32),
});
type Config = z.infer<typeof config>;

export const mlstm = defineModel({
  name: "mlstm",
  summary: "matrix memory with exponential gates and a normalizer (xLSTM's matrix memory)",
  source: "arXiv:2405.04517",
  config,

  traits: () => ({ recurrence: { least: 0, complex: false, commuting: true }, keeps: "forget" }),
  startsFrom: ["S"],

  init({ heads, convolution }: Config, width, rng) {
    const bias = (_: unknown, i: number) => (i < heads ? 0 : 3 + (3 * (i - heads)) / Math.max(1, heads - 1)); // i from 0, f spread over 3 .. 6, as in the authors' code
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      gates: normal(rng.fork("gates"), [width, 2 * heads]),
      gatesBias: parameterOf([2 * heads], () => Float32Array.from({ length: 2 * heads }, bias)),
      ...convolutionParameter(rng, convolution, 3 * width),
      norm: constantParameter([headWidth(width, heads)], 1),
      outputGate: normal(rng.fork("outputGate"), [width, width]),
      outputGateBias: constantParameter([width], 0),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, { heads, chunk }, { taps, intervene, norm }) {
    const { y: mixed } = convolutionOver(linear(x, p.qkv), p.convolution, undefined); // [B, T, 3d]
    const { q, k, v } = queryKeyValue(silu(mixed), heads); // [B, T, h, dk]
    const { input, logForget } = gatesOf(p, x); // [B, T, h]
    tapAll(taps, { query: q, key: k, value: v, input, forget: exp(logForget) });
    const o = intervene(norm(matrixMemory(q, k, v, input, logForget, { chunk }), p.norm)); // [B, T, h, dv]
    return linear(multiply(joinHeads(o), outputGate(p, x)), p.out);
  },

  state: ({ heads, convolution }, width) => ({
    S: [heads, width / heads, width / heads + 1], // n is the last column
    m: [heads],
    ...pastOf(convolution, 3 * width),
  }),

  step(p, x, state, { heads }, { taps, intervene, norm }) {
    const { y: mixed, kept } = convolutionStepIfAny(linear(x, p.qkv), p.convolution, state.past); // [B, 3d]
    const { q, k, v } = queryKeyValue(silu(mixed), heads); // [B, h, dk]
    const { input, logForget } = gatesOf(p, x); // [B, h]
    tapStep(taps, { query: q, key: k, value: v, input, forget: exp(logForget) });
    const { h, S, m } = advance(state, { q, k, v, input, logForget });
    const o = reshape(joinHeads(intervene(norm(h, p.norm))), x.shape);
    return { y: linear(multiply(o, outputGate(p, x)), p.out), state: { S, m, ...kept } };
  },

  extend(p, x, state, { heads }, { taps, intervene, norm }) {
    const [batch, length] = x.shape;
    const { y: mixed, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past);
    const { q, k, v } = queryKeyValue(silu(mixed), heads);
    const { input, logForget } = gatesOf(p, x);
    tapAll(taps, { query: q, key: k, value: v, input, forget: exp(logForget) });
    const start = { S: state.S, m: asCell(state.m) };
    const { h, S, m } = matrixMemoryFrom(start, q, k, v, input, logForget, { chunk: length });
    const o = joinHeads(intervene(norm(h, p.norm)));
    const y = linear(multiply(o, outputGate(p, x)), p.out);
    return { y, rows: {}, state: { S, m: reshape(m, [batch, heads]), ...kept } };
  },
});

/** What a token brings to the cell: q, k, v [B, h, dk] and its gates [B, h]. */
type Given = Readonly<Record<"q" | "k" | "v" | "input" | "logForget", Tensor>>;

/** One step of the cell: S [B, h, dk, dv + 1] and m [B, h] -> h [B, 1, h, dv], S and m. */
export function advance({ S: before, m: highest }: State, { q, k, v, input, logForget }: Given) {
  const held = add(logForget, highest);
  const m = detached(maximum(held, input));
  const [keep, write] = [held, input].map((each) => asCell(exp(subtract(each, m))));
  const written = multiply(matmul(asColumn(k), asRow(withOnes(v))), write);
  const S = add(multiply(before, keep), written);
  const [batch, heads] = m.shape;
  return { h: readNormalized(recall(S, q), reshape(m, [batch, 1, heads, 1])), S, m };
}

/** x + bias [2h] -> i and log sigmoid(f), [..., h] each. */
export function gatesFrom(x: Tensor, bias: Tensor) {
  const heads = bias.shape[0] / 2;
  const [input, forget] = split(add(x, bias), -1, [heads, heads]);
  return { input, logForget: negate(softplus(negate(forget))) };
}

/** [..., 3d] -> q over sqrt(dk), k and v, [..., h, d/h] each. */
function queryKeyValue(mixed: Tensor, heads: number) {
  const width = mixed.shape.at(-1)! / 3;
  const [q, k, v] = split(mixed, -1, [width, width, width]).map((each) => splitHeads(each, heads));
  return { q: scale(q, (width / heads) ** -0.5), k, v };
}

/** x [..., d] -> i and log sigmoid(f), [..., h] each. */
function gatesOf({ gates, gatesBias }: Readonly<Record<"gates" | "gatesBias", Tensor>>, x: Tensor) {
  return gatesFrom(linear(x, gates), gatesBias);
}

function outputGate(
  { outputGate, outputGateBias }: Readonly<Record<"outputGate" | "outputGateBias", Tensor>>,
  x: Tensor,
): Tensor {
  return sigmoid(add(linear(x, outputGate), outputGateBias));
}

/**
 * @file The mLSTM block of xLSTM: the cell of mlstm.ts between an up and a down projection, without a feed-forward layer.
 *
 *     a, z = x Wup;   c = silu(conv(a) + b)                          a, z, c [e], e = 2 d
 *     q = c Wq,  k = c Wk,  v = a Wv                                 block-diagonal, with 4 x 4 blocks
 *     i = [q, k, v] Wi + b_i;   f = sigmoid([q, k, v] Wf + b_f)      one number a head
 *     h_t as in mlstm.ts, of q / sqrt(dk), k and v                   dk = dv = e / heads
 *     y_t = ((norm(h_t) + s o c_t) o silu(z_t)) Wdown                LayerNorm over dv, with a scale [e];  s [e] is learned
 *
 * The state only decays, as in mlstm.ts: no parity can be tracked, by one layer or by a stack (xLSTM[1:0]). With slstm-block.ts blocks
 * in between (xLSTM[1:1]: one for each of these) those track the state.
 *
 * Source: Beck et al. 2024, arXiv:2405.04517, and the authors' code; the norm before the block is that of all models here, an RMSNorm.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import {
  add,
  concat,
  exp,
  linear,
  multiply,
  type Parameter,
  reshape,
  scale,
  silu,
  split,
  type Tensor,
} from "../tensor/index.ts";
import { chunkField, convolutionField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  joinHeads,
  layerNormInHeads,
  linearInBlocks,
  makeParameter,
  normal,
  splitHeads,
  torchConvolution,
} from "./layers.ts";
import { normalized } from "./matrix-memory.ts";
import { defineMatrixMemory } from "./matrix-memory-layer.ts";
import { gatesFrom } from "./mlstm.ts";

const config = z.strictObject({
  heads: z.int().positive().default(4).describe("Number of heads, which divides 2 d"),
  blockSize: z.int().positive().default(4).describe("Block size of Wq, Wk and Wv, which divides 2 d"),
  convolution: convolutionField(4),
  chunk: chunkField(32),
});
type Config = z.infer<typeof config>;

/** e / d. */
const EXPANSION = 2;

export const mlstmBlock = defineMatrixMemory({
  name: "mlstm-block",
  summary: "xLSTM's mLSTM block: the matrix memory between two projections",
  source: "arXiv:2405.04517",
  config,

  traits: () => ({ recurrence: { least: 0, complex: false, commuting: true }, keeps: "forget" }),

  feedForward: () => ({ width: 0, gate: "silu" }),
  startsFrom: ["S"],

  init({ heads, blockSize, convolution }: Config, width, rng, { layers }) {
    const channels = EXPANSION * width;
    headWidth(channels, heads); // refuses heads that do not divide it
    if (channels % blockSize !== 0) fail("mlstm-block", `a blockSize that divides ${channels}`, blockSize);
    const small = (name: string, shape: readonly number[]) =>
      normal(rng.fork(name), shape, (2 / (5 * width)) ** 0.5);
    return {
      up: small("up", [width, 2 * channels]),
      ...(convolution > 0 && torchConvolution(rng, convolution, channels)),
      query: small("query", [channels, blockSize]),
      key: small("key", [channels, blockSize]),
      value: small("value", [channels, blockSize]),
      gates: constantParameter([3 * channels, 2 * heads], 0),
      gatesBias: gatesBias(heads, normal(rng.fork("gatesBias"), [heads], 0.1)),
      norm: constantParameter([channels], 1),
      skip: constantParameter([channels], 1),
      out: normal(rng.fork("out"), [channels, width], 2 / (layers * width ** 0.5)),
    };
  },

  rule: normalized,
  chunkOf: (tokens) => tokens,
  project: (p, x) => ({ inputs: inAndGate(p, x)[0], filters: p.convolution }),
  channels: (_, width) => EXPANSION * width,
  shape({ heads }, width) {
    const own = (EXPANSION * width) / heads;
    return { S: [heads, own, own + 1], m: [heads] };
  },

  give(p, x, convolved, { heads }) {
    const [a] = inAndGate(p, x); // [..., e]
    const c = p.convolutionBias ? silu(add(convolved, p.convolutionBias)) : a;
    const [query, key, value] = [
      linearInBlocks(c, p.query),
      linearInBlocks(c, p.key),
      linearInBlocks(a, p.value),
    ];
    const { input, logForget } = gatesFrom(linear(concat([query, key, value], -1), p.gates), p.gatesBias);
    const [inHeads, k, v] = [query, key, value].map((each) => splitHeads(each, heads));
    const q = scale(inHeads, inHeads.shape.at(-1)! ** -0.5);
    const tapped = { query: q, key: k, value: v, input, forget: exp(logForget) };
    return { c, given: { q, k, v, input, logForget }, tapped };
  },

  finish(p, x, h, { c }, { intervene }) {
    const [, gate] = inAndGate(p, x);
    const inTime = (y: Tensor) => reshape(y, [...h.shape.slice(0, 2), -1]); // [B, T, e]
    const skipped = splitHeads(multiply(inTime(c), p.skip), h.shape[2]); // also of earlier tokens, through the convolution
    const o = intervene(add(layerNormInHeads(h, p.norm), skipped));
    return reshape(linear(multiply(joinHeads(o), silu(inTime(gate))), p.out), x.shape);
  },
});

/** i about 0, f spread over 3 .. 6. */
function gatesBias(heads: number, input: Parameter): Parameter {
  return makeParameter([2 * heads], () =>
    Float32Array.from({ length: 2 * heads }, (_, i) =>
      i < heads ? input.data[i] : 3 + (3 * (i - heads)) / Math.max(1, heads - 1),
    ),
  );
}

/** x [..., d] -> a and z, [..., e] each. */
function inAndGate({ up }: { readonly up: Tensor }, x: Tensor): readonly Tensor[] {
  const channels = up.shape[1] / 2;
  return split(linear(x, up), -1, [channels, channels]);
}

/**
 * @file The sLSTM block of xLSTM: the cell of slstm.ts after a short convolution, block-diagonal in heads, with a separate feed-forward
 * layer.
 *
 *     c = silu(conv(x) + b)
 *     i, f = c Wi, c Wf;   z, o = x Wz, x Wo        block-diagonal by heads
 *     h_t as in slstm.ts, of these gates + h_{t-1} Wh + b_h
 *     y_t = norm(h_t)                               LayerNorm over each head, with a scale [d]; no projection out
 *
 * and then (gelu(x Wg) o x Wu) Wd of width 4/3 d in place of the model's feed-forward layer. Wh is initially 0, and the bias of f is
 * 5 - 12 (j / (d/h - 1))^(0.3 + 1.3 l), j the unit's index in its head and l from 0 in the first layer to 1 in the last: so each head
 * has units that keep and units that forget, with more of the former in later layers.
 *
 * Its cell is nonlinear and its units mix within their head, so one layer can represent any automaton that fits into a head's units, if
 * it is learned. Source: Beck et al. 2024, arXiv:2405.04517, and the authors' code; gelu is that of layers.ts, the norms before the two
 * parts are RMSNorms.
 */

import { z } from "zod";
import { add, concat, type Parameter, reshape, silu, type Tensor } from "../tensor/index.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionPast,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  layerNormInHeads,
  linearInBlocks,
  makeParameter,
  normal,
  splitHeads,
  torchConvolution,
  withinHeads,
} from "./layers.ts";
import { defineModel, type Place } from "./model.ts";
import { advance, overTime } from "./slstm.ts";

const config = z.strictObject({
  heads: headsField(4),
  convolution: convolutionField(4),
});
type Config = z.infer<typeof config>;

export const slstmBlock = defineModel({
  name: "slstm-block",
  summary: "xLSTM's sLSTM block: the scalar memory and a feed-forward layer",
  source: "arXiv:2405.04517",
  config,

  traits: () => ({ recurrence: "nonlinear" }),

  feedForward: (_config, width) => ({ width: Math.ceil((4 * width) / 3), gate: "gelu" }),
  startsFrom: ["h", "c"],

  init({ heads, convolution }: Config, width, rng, place) {
    const own = headWidth(width, heads);
    const small = (name: string) => normal(rng.fork(name), [width, own], (2 / (5 * width)) ** 0.5);
    return {
      ...(convolution > 0 && torchConvolution(rng, convolution, width)),
      input: small("input"),
      forget: small("forget"),
      cell: small("cell"),
      output: small("output"),
      recurrent: constantParameter([width, 4 * own], 0),
      bias: biases(width, own, place),
      norm: constantParameter([width], 1),
    };
  },

  apply(p, x, { heads }, context) {
    const { y: convolved } = convolutionOver(x, p.convolution, undefined, context.fresh);
    const h = overTime(gatesOf(p, x, convolved), withinHeads(p.recurrent, heads, 4), context); // [B, T, d]
    return joinHeads(context.intervene(layerNormInHeads(splitHeads(h, heads), p.norm)));
  },

  state: ({ convolution }, width) => ({
    ...{ h: [width], c: [width], n: [width], m: [width] },
    ...convolutionPast(convolution, width),
  }),

  step(p, x, state, { heads }, context) {
    const { y: convolved, kept } = convolutionStepIfAny(x, p.convolution, state.past);
    const recurrent = withinHeads(p.recurrent, heads, 4);
    const after = advance(gatesOf(p, x, convolved), recurrent, state, context);
    const normed = layerNormInHeads(reshape(after.h, [x.shape[0], 1, heads, -1]), p.norm);
    return { y: reshape(context.intervene(normed), x.shape), state: { ...after, ...kept } };
  },
  packs: true,
});

type Parameters = Readonly<Record<"input" | "forget" | "cell" | "output" | "bias", Tensor>> & {
  readonly convolutionBias?: Tensor;
};

/** x [..., d] and conv(x) -> i, f, z, o without the recurrent part, [..., 4d]. */
function gatesOf(p: Parameters, x: Tensor, convolved: Tensor): Tensor {
  const c = p.convolutionBias ? silu(add(convolved, p.convolutionBias)) : x;
  const [i, f] = [p.input, p.forget].map((weight) => linearInBlocks(c, weight));
  const [z, o] = [p.cell, p.output].map((weight) => linearInBlocks(x, weight));
  return add(concat([i, f, z, o], -1), p.bias);
}

/** For i, f, z and o; only those of f are nonzero. */
function biases(width: number, own: number, { layer, layers }: Place): Parameter {
  const power = 0.3 + (layers === 1 ? 0 : (1.3 * layer) / (layers - 1));
  const ofUnit = (j: number) => 5 - 12 * (own === 1 ? 0 : j / (own - 1)) ** power;
  return makeParameter([4 * width], () =>
    Float32Array.from({ length: 4 * width }, (_, i) => (Math.floor(i / width) === 1 ? ofUnit(i % own) : 0)),
  );
}

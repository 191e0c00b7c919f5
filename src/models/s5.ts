/**
 * @file S5: one diagonal state per layer, shared by all channels, that decays and rotates, the same at every token.
 *
 *     A = -e^r + i w;   D = e^s                              r, w, s [N/2]
 *     h_t = e^(D A) o h_{t-1} + (e^(D A) - 1) / A o (x_t B)  h [N/2], complex;  B [d, N/2], complex;  h_0 = 0
 *     y_t = 2 Re (h_t C) + skip o x_t                        C [N/2, d], complex
 *     out = a o sigmoid(b),   a, b = gelu(y_t) Wout          gelu(z) = z sigmoid(1.702 z)
 *
 * A starts with the eigenvalues of HiPPO-N of order N above the real axis, the rest being their conjugates: -1/2 + i w_k with
 *
 *     sum over n < N of atan(w_k / (n + 1/2)) = pi (k + 1/2)        k = 0 .. N/2 - 1
 *
 * which follows from its entries, -1/2 on the diagonal and -+ sqrt((n + 1/2) (m + 1/2)) below and above it. Its eigenvectors are not
 * needed: they are orthonormal, so normal B and C are also normal in their basis.
 *
 * The dynamics do not depend on the tokens, so inputs are weighted only by their age: it can copy from a fixed distance, and neither
 * select nor track parity or any order. For packed sessions (`fresh`) the state is reset before the first token of each is written.
 *
 * Source: Smith et al. 2023, arXiv:2208.04933; with resets: Lu et al. 2023, arXiv:2303.03982.
 */

import { z } from "zod";
import {
  add,
  concat,
  exp,
  full,
  linear,
  matmul,
  multiply,
  negate,
  pad,
  reshape,
  scale,
  scan,
  slice,
  split,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { maskConstant } from "../tensor/unit-lower-inverse.ts";
import { type Complex, power, rolledOut, times } from "./complex.ts";
import { gatedLinear, gelu, makeParameter, normal, rateFrom } from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  stateSize: z.int().positive().multipleOf(2).default(64).describe("State numbers N of the layer, even"),
});
type Config = z.infer<typeof config>;

/** C: tokens filtered together if a row is one session of more than `LONG` tokens; the results are the same. */
const CHUNK = 64;
/** Up to this length a step per token is as fast or faster (bench/log/length.md). */
const LONG = 2048;

export const s5 = defineModel({
  name: "s5",
  summary: "one diagonal recurrence for all channels, the same at every token",
  source: "arXiv:2208.04933, arXiv:2303.03982",
  config,

  traits: () => ({ recurrence: { least: -1, complex: true, commuting: true, fixed: true } }),
  startsFrom: ["h"],
  // The source trains A, B and D at 0.001, a third of the default, without decay.
  groups: [{ match: "logRate|frequency|logStep|write", learningRateRatio: 1 / 3, weightDecay: 0 }],

  init({ stateSize }: Config, width, rng) {
    const pairs = stateSize / 2;
    const steps = rng.fork("step");
    const spread = Math.log(100);
    return {
      logRate: makeParameter([pairs], () => new Float32Array(pairs).fill(Math.log(0.5))),
      frequency: makeParameter([pairs], () => Float32Array.from(hippoFrequencies(stateSize))),
      logStep: makeParameter([pairs], () =>
        Float32Array.from({ length: pairs }, () => Math.log(1e-3) + spread * steps.next()),
      ),
      write: normal(rng.fork("write"), [width, stateSize], (2 * width) ** -0.5), // real parts, then imaginary ones
      read: normal(rng.fork("read"), [stateSize, width], stateSize ** -0.5), // likewise
      skip: normal(rng.fork("skip"), [width], 1),
      out: normal(rng.fork("out"), [width, 2 * width]),
    };
  },

  apply(p, x, { stateSize }, context) {
    const [batch] = x.shape;
    return over(p, x, full(x.graph, [batch, 2, stateSize / 2], 0), context).y;
  },

  state: ({ stateSize }) => ({ h: [2, stateSize / 2] }), // real parts, imaginary parts

  step(p, x, state, _config, context) {
    const [batch, width] = x.shape;
    const { y, h } = over(p, reshape(x, [batch, 1, width]), state.h, context);
    return { y: reshape(y, x.shape), state: { h } };
  },

  extend(p, x, state, _config, context) {
    const { y, h } = over(p, x, state.h, context);
    return { y, rows: {}, state: { h } };
  },
  stepwise: true,
  packs: true,
});

/** The positive imaginary parts of the eigenvalues of HiPPO-N of an even order, ascending. */
export function hippoFrequencies(order: number): number[] {
  const turned = (w: number) => {
    let sum = 0;
    for (let n = 0; n < order; n++) sum += Math.atan(w / (n + 0.5));
    return sum;
  };
  return Array.from({ length: order / 2 }, (_, k) => {
    const wanted = Math.PI * (k + 0.5);
    let [low, high] = [0, 1];
    while (turned(high) < wanted) high *= 2;
    for (let middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
      if (turned(middle) < wanted) low = middle;
      else high = middle;
    }
    return high;
  });
}

type Parameters = Readonly<
  Record<"logRate" | "frequency" | "logStep" | "write" | "read" | "skip" | "out", Tensor>
>;

/** All tokens of x [B, T, d], starting from h [B, 2, N/2]. */
function over(p: Parameters, x: Tensor, before: Tensor, { taps, intervene, fresh }: Context) {
  const [batch, length, width] = x.shape;
  const [pairs] = p.frequency.shape;
  const { exponent, move, held } = rolledOut(
    { re: negate(rateFrom(p.logRate)), im: p.frequency },
    exp(p.logStep),
  );
  const [writtenRe, writtenIm] = split(linear(x, p.write), -1, [pairs, pairs]);
  const given = times({ re: writtenRe, im: writtenIm }, held); // [B, T, N/2] each
  const [startRe, startIm] = split(before, 1, [1, 1]).map((each) => reshape(each, [batch, pairs]));
  const start = { re: startRe, im: startIm };
  const hidden =
    fresh === undefined && length > LONG
      ? inChunks(given, start, exponent)
      : oneByOne(given, start, move, fresh);
  const { re, im } = hidden; // [B, T, N/2]
  const parts = (each: Tensor) => reshape(each, [batch, length, pairs, 1]);
  taps("hidden", concat([parts(re), parts(im)], -1));
  const read = scale(linear(concat([re, negate(im)], -1), p.read), 2);
  const o = intervene(reshape(add(read, multiply(x, p.skip)), [batch, length, 1, width]));
  const last = (each: Tensor) => slice(each, 1, length - 1, length);
  return { y: gatedLinear(gelu(reshape(o, x.shape)), p.out), h: concat([last(re), last(im)], 1) };
}

/** h after each token [B, T, N/2], from the inputs and the initial h [B, N/2]. */
export function oneByOne(given: Complex, start: Complex, move: Complex, fresh: Tensor | undefined): Complex {
  const inputs = [given.re, given.im].map((each) => transpose(each, [1, 0, 2]));
  const { outputs } = scanSessions(inputs, [start.re, start.im], fresh, ([re, im], [addRe, addIm]) => {
    const moved = times(move, { re, im });
    const after = [add(moved.re, addRe), add(moved.im, addIm)];
    return { states: after, outputs: after };
  });
  const [re, im] = outputs.map((each) => transpose(each, [1, 0, 2]));
  return { re, im };
}

/** The same for one session per row, C tokens at a time: each state is filtered within a chunk, and chunk ends are one step each. */
export function inChunks(given: Complex, start: Complex, exponent: Complex): Complex {
  const { graph, shape } = given.re;
  const [batch, length, pairs] = shape;
  const count = Math.ceil(length / CHUNK);
  const chunks = batch * count;
  const powersOf = (lags: readonly number[], shape: readonly number[]) => {
    const over = graph.constant(Float32Array.from(lags), [1, ...shape]);
    const [re, im] = [exponent.re, exponent.im].map((each) => multiply(reshape(each, [pairs, 1, 1]), over));
    return power({ re, im });
  };
  const places = Array.from({ length: CHUNK }, (_, i) => i);
  const between = powersOf(
    places.flatMap((i) => places.map((j) => Math.max(0, i - j))),
    [CHUNK, CHUNK],
  );
  const past = maskConstant(graph, CHUNK, (i, j) => j <= i);
  const [re, im] = [between.re, between.im].map((each) => multiply(each, past));
  const filter = concat([concat([re, negate(im)], 2), concat([im, re], 2)], 1); // [N/2, 2 C, 2 C]
  const columns = [given.re, given.im].map((each) => {
    const cut = reshape(pad(each, 1, 0, count * CHUNK - length), [chunks, CHUNK, pairs]);
    return transpose(cut, [2, 1, 0]); // [N/2, C, B n]
  });
  const own = split(matmul(filter, concat(columns, 1)), 1, [CHUNK, CHUNK]);
  const ends = own.map((each) => {
    const last = reshape(slice(each, 1, CHUNK - 1, CHUNK), [pairs, batch, count]);
    return transpose(last, [2, 1, 0]); // [n, B, N/2]
  });
  const over = powersOf([CHUNK], [1, 1]);
  const [overRe, overIm] = [over.re, over.im].map((each) => reshape(each, [pairs]));
  const { outputs } = scan(ends, [start.re, start.im], ([re, im], [addRe, addIm]) => {
    const moved = times({ re: overRe, im: overIm }, { re, im });
    return { states: [add(moved.re, addRe), add(moved.im, addIm)], outputs: [re, im] };
  });
  const [beforeRe, beforeIm] = outputs.map((each) => reshape(transpose(each, [2, 1, 0]), [pairs, 1, chunks]));
  const ahead = powersOf(
    places.map((i) => i + 1),
    [CHUNK, 1],
  );
  const carried = times(ahead, { re: beforeRe, im: beforeIm }); // [N/2, C, B n]
  const [hRe, hIm] = [add(own[0], carried.re), add(own[1], carried.im)].map((each) =>
    slice(reshape(transpose(each, [2, 1, 0]), [batch, count * CHUNK, pairs]), 1, 0, length),
  );
  return { re: hRe, im: hIm };
}

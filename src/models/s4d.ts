/**
 * @file S4D: N/2 complex numbers per channel that decay and rotate, the same at every token.
 *
 *     A = -e^r + i w;   D = e^s                          r, w [N/2, d];  s [d]
 *     h_t = e^(D A) o h_{t-1} + u_t;   h_0 = 0           h [N/2, d], complex;  u_t = x_t
 *     y_t = 2 Re sum_n C_n (e^(D A_n) - 1) / A_n h_t,n + skip o u_t
 *     out = a o sigmoid(b),   a, b = gelu(y_t) Wout      gelu(z) = z sigmoid(1.702 z)
 *
 * In training it is a convolution, y = K * u with K_l = 2 Re sum_n C_n (e^(D A_n) - 1) / A_n e^(l D A_n), as the dynamics do not depend
 * on the tokens; for more than `chunk` tokens one per chunk, with h carried between chunks. So inputs are weighted only by their age:
 * it can copy from a fixed distance, and neither select nor track parity or any order. Initially r = ln 1/2, and w_n = pi n (`lin`) or
 * (N/pi) (N / (2n + 1) - 1) (`inv`).
 *
 * Source: Gu et al. 2022, arXiv:2206.11893, and the authors' code; without dropout and its `real` start.
 */

import { z } from "zod";
import {
  add,
  causalConvolution,
  concat,
  exp,
  full,
  matmul,
  multiply,
  negate,
  pad,
  reshape,
  scale,
  scan,
  slice,
  split,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { scanSessions } from "../tensor/packed-sequences.ts";
import { type Complex, power, rolledOut, times } from "./complex.ts";
import { gatedLinear, gelu, makeParameter, normal, rateFrom } from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  stateSize: z.int().positive().multipleOf(2).default(64).describe("State numbers N per channel, even"),
  start: z.enum(["lin", "inv"]).default("lin").describe("Initial frequencies of a channel"),
  chunk: z.int().positive().default(256).describe("Tokens per convolution, without influence on the result"),
});
type Config = z.infer<typeof config>;

export const s4d = defineModel({
  name: "s4d",
  summary: "diagonal recurrence that is the same at every token",
  source: "arXiv:2206.11893",
  config,

  traits: () => ({ recurrence: { least: -1, complex: true, commuting: true, fixed: true } }),
  startsFrom: ["h"],
  // The source's rate of A and D is at most 0.001: a third of the default.
  groups: [{ match: "logRate|frequency|logStep", learningRateRatio: 1 / 3 }],

  init({ stateSize, start }: Config, width, rng) {
    const pairs = stateSize / 2;
    const turns = (n: number) =>
      start === "lin" ? Math.PI * n : (stateSize / Math.PI) * (stateSize / (2 * n + 1) - 1);
    const steps = rng.fork("step");
    const spread = Math.log(100);
    // A and D are vectors, so that they have no weight decay.
    return {
      logRate: makeParameter([pairs * width], () => new Float32Array(pairs * width).fill(Math.log(0.5))),
      frequency: makeParameter([pairs * width], () =>
        Float32Array.from({ length: pairs * width }, (_, i) => turns(Math.floor(i / width))),
      ),
      logStep: makeParameter([width], () =>
        Float32Array.from({ length: width }, () => Math.log(1e-3) + spread * steps.next()),
      ),
      read: normal(rng.fork("read"), [2 * pairs, width], 0.5 ** 0.5), // real parts, then imaginary ones
      skip: normal(rng.fork("skip"), [width], 1),
      out: normal(rng.fork("out"), [width, 2 * width]),
    };
  },

  apply(p, x, { chunk }, context) {
    const memory = memoryOf(p);
    const { fresh } = context;
    const y = fresh === undefined ? convolved(x, memory, chunk) : inSessions(x, memory, fresh);
    return read(p, y, x, context);
  },

  state: ({ stateSize }, width) => ({ h: [2, stateSize / 2, width] }), // real parts, imaginary parts

  step(p, x, state, _config, context) {
    const [batch, width] = x.shape;
    const memory = memoryOf(p);
    const moved = times(memory.move, parts(state.h)); // [B, 1, N/2, d] each
    const h = concat([add(moved.re, reshape(x, [batch, 1, 1, width])), moved.im], 1);
    const y = sum(times(memory.write, parts(h)).re, { axes: [2] }); // [B, 1, d]
    const out = read(p, y, reshape(x, [batch, 1, width]), context);
    return { y: reshape(out, x.shape), state: { h } };
  },

  extend(p, x, state, _config, context) {
    const memory = memoryOf(p);
    const { y, h } = behind(state.h, x, memory);
    const own = causalConvolution(x, kernelOf(memory, x.shape[1]));
    return { y: read(p, add(own, y), x, context), rows: {}, state: { h } };
  },
  packs: true,
});

type Parameters = Readonly<Record<"logRate" | "frequency" | "logStep" | "read" | "skip" | "out", Tensor>>;

/** All [N/2, d]. */
interface Memory {
  /** D A. */
  readonly exponent: Complex;
  /** e^(D A). */
  readonly move: Complex;
  /** 2 C (e^(D A) - 1) / A. */
  readonly write: Complex;
}

function memoryOf(p: Parameters): Memory {
  const [rows, width] = p.read.shape;
  const [fade, turn] = [negate(rateFrom(p.logRate)), p.frequency].map((each) =>
    reshape(each, [rows / 2, width]),
  );
  const { exponent, move, held } = rolledOut({ re: fade, im: turn }, exp(p.logStep));
  const [re, im] = split(scale(p.read, 2), 0, [rows / 2, rows / 2]);
  return { exponent, move, write: times({ re, im }, held) };
}

/** h [B, 2, N/2, d] -> [B, 1, N/2, d] each. */
function parts(h: Tensor): Complex {
  const [re, im] = split(h, 1, [1, 1]);
  return { re, im };
}

/** e^(l D A) for each of the lags: [T, N/2, d]. */
function powers({ exponent }: Memory, lags: readonly number[]): Complex {
  const times = exponent.re.graph.constant(Float32Array.from(lags), [lags.length, 1, 1]);
  return power({ re: multiply(times, exponent.re), im: multiply(times, exponent.im) });
}

/** Lags T - 1 .. 0: the last one is the present. */
const lagsBefore = (length: number) => Array.from({ length }, (_, j) => length - 1 - j);

/** K, [T, d]. */
function kernelOf(memory: Memory, length: number): Tensor {
  return sum(times(memory.write, powers(memory, lagsBefore(length))).re, { axes: [1] });
}

/** K * x, x [B, T, d]: whole, or in chunks of C tokens plus the contribution of the state before each of the N chunks. */
function convolved(x: Tensor, memory: Memory, chunk: number): Tensor {
  const [batch, length, width] = x.shape;
  if (length <= chunk) return causalConvolution(x, kernelOf(memory, length));
  const [pairs] = memory.move.re.shape;
  const count = Math.ceil(length / chunk);
  const rows = reshape(pad(x, 1, 0, count * chunk - length), [batch * count, chunk, width]); // [B N, C, d]
  // [d, N/2, B N], with chunks as rows of a batch, and [N, B, N/2, d].
  const inTurn = (each: Tensor) => transpose(reshape(each, [width, pairs, batch, count]), [3, 2, 1, 0]);
  const beside = (each: Tensor) => reshape(transpose(each, [3, 2, 1, 0]), [width, pairs, batch * count]);
  const left = leftBy(rows, memory);
  const over = powers(memory, [chunk]);
  const zeros = [0, 0].map((value) => full(x.graph, [batch, pairs, width], value));
  const { outputs } = scan([left.re, left.im].map(inTurn), zeros, ([re, im], [addRe, addIm]) => {
    const moved = times(over, { re, im });
    return { states: [add(moved.re, addRe), add(moved.im, addIm)], outputs: [re, im] };
  });
  const [re, im] = outputs.map(beside);
  const y = add(causalConvolution(rows, kernelOf(memory, chunk)), readAhead({ re, im }, chunk, memory));
  return slice(reshape(y, [batch, count * chunk, width]), 1, 0, length);
}

/** The same step by step in packed sessions: one filter cannot begin at each of them. */
function inSessions(x: Tensor, { move, write }: Memory, fresh: Tensor): Tensor {
  const [batch, length, width] = x.shape;
  const start = full(x.graph, [batch, move.re.shape[0], width], 0);
  const given = transpose(reshape(x, [batch, length, 1, width]), [1, 0, 2, 3]);
  const { outputs } = scanSessions(
    [given],
    [start, start],
    fresh,
    ([re, im], [now]) => {
      const moved = times(move, { re, im });
      const h = { re: add(moved.re, now), im: moved.im };
      return { states: [h.re, h.im], outputs: [sum(times(write, h).re, { axes: [1] })] };
    },
    { recompute: true },
  );
  return transpose(outputs[0], [1, 0, 2]);
}

/** The state after x [B, T, d] from zero: [d, N/2, B] each. */
function leftBy(x: Tensor, memory: Memory): Complex {
  const since = powers(memory, lagsBefore(x.shape[1]));
  const given = transpose(x, [2, 1, 0]); // [d, T, B]
  const sums = (each: Tensor) => matmul(ofChannel(each), given, { transposeX: true });
  return { re: sums(since.re), im: sums(since.im) };
}

/** h [d, N/2, B] -> its contribution to the next T outputs, [B, T, d]. */
function readAhead({ re, im }: Complex, length: number, memory: Memory): Tensor {
  const lags = Array.from({ length }, (_, t) => t + 1);
  const ahead = times(memory.write, powers(memory, lags));
  const y = subtract(matmul(ofChannel(ahead.re), re), matmul(ofChannel(ahead.im), im)); // [d, T, B]
  return transpose(y, [2, 1, 0]);
}

/** [T, N/2, d] -> [d, T, N/2]. */
const ofChannel = (each: Tensor) => transpose(each, [2, 0, 1]);

/** The contribution of h [B, 2, N/2, d] to the outputs of x [B, T, d], [B, T, d], and the state after x. */
function behind(before: Tensor, x: Tensor, memory: Memory) {
  const [batch, length, width] = x.shape;
  const { re, im } = parts(before);
  const columns = (each: Tensor) => transpose(reshape(each, [batch, -1, width]), [2, 1, 0]); // [d, N/2, B]
  const y = readAhead({ re: columns(re), im: columns(im) }, length, memory);
  const left = leftBy(x, memory);
  const read = (each: Tensor) => reshape(transpose(each, [2, 1, 0]), re.shape);
  const moved = times(powers(memory, [length]), { re, im });
  const h = concat([add(moved.re, read(left.re)), add(moved.im, read(left.im))], 1);
  return { y, h };
}

/** y without skip and x [B, T, d] -> [B, T, d]. */
function read(p: Parameters, y: Tensor, x: Tensor, { intervene }: Context): Tensor {
  const [batch, length, width] = x.shape;
  const o = intervene(reshape(add(y, multiply(x, p.skip)), [batch, length, 1, width]));
  return gatedLinear(gelu(reshape(o, x.shape)), p.out);
}

/**
 * @file S4D: each channel carries N/2 complex numbers that fade and turn by themselves, the same at every token.
 *
 *     A = -e^r + i w;   D = e^s                          r, w [N/2, d];  s [d]
 *     h_t = e^(D A) o h_{t-1} + u_t;   h_0 = 0           h [N/2, d], complex;  u_t = x_t
 *     y_t = 2 Re sum_n C_n (e^(D A_n) - 1) / A_n h_t,n + skip o u_t
 *     out = a o sigmoid(b),   a, b = gelu(y_t) Wout      gelu(z) = z sigmoid(1.702 z)
 *
 * In training it is one convolution, y = K * u with K_l = 2 Re sum_n C_n (e^(D A_n) - 1) / A_n e^(l D A_n), as no token changes
 * how the memory moves. So it weighs what was read by its age and by nothing else: it can copy from a fixed distance, and neither select nor
 * follow a parity or any order of things. At first r = ln 1/2, and w_n = pi n (`lin`) or (N/pi) (N / (2n + 1) - 1) (`inv`).
 *
 * Source: Gu et al. 2022, arXiv:2206.11893, and the authors' code; without dropout. Its `real` start is left out.
 */

import { z } from "zod";
import {
  add,
  causalConvolution,
  concat,
  exp,
  matmul,
  multiply,
  negate,
  reshape,
  scale,
  split,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { type Complex, heldOver, power, times } from "./complex.ts";
import { gatedLinear, gelu, normal, parameterOf } from "./layers.ts";
import { type Context, defineModel } from "./model.ts";

const config = z.strictObject({
  /** N: numbers that a channel carries, an even one. */
  stateSize: z.int().positive().multipleOf(2).default(64),
  /** How fast the numbers of a channel turn at first. */
  start: z.enum(["lin", "inv"]).default("lin"),
});
type Config = z.infer<typeof config>;

export const s4d = defineModel({
  name: "s4d",
  summary: "diagonal recurrence that is the same at every token: a convolution with a kernel of fading waves",
  source: "arXiv:2206.11893",
  config,

  traits: () => ({ recurrence: { least: -1, complex: true, commuting: true, fixed: true } }),

  init({ stateSize, start }: Config, width, rng) {
    const pairs = stateSize / 2;
    const turns = (n: number) =>
      start === "lin" ? Math.PI * n : (stateSize / Math.PI) * (stateSize / (2 * n + 1) - 1);
    const steps = rng.fork("step");
    const spread = Math.log(100);
    // Vectors, so that they have no weight decay.
    return {
      logRate: parameterOf([pairs * width], () => new Float32Array(pairs * width).fill(Math.log(0.5))),
      frequency: parameterOf([pairs * width], () =>
        Float32Array.from({ length: pairs * width }, (_, i) => turns(Math.floor(i / width))),
      ),
      logStep: parameterOf([width], () =>
        Float32Array.from({ length: width }, () => Math.log(1e-3) + spread * steps.next()),
      ),
      read: normal(rng.fork("read"), [2 * pairs, width], 0.5 ** 0.5), // real parts, then imaginary ones
      skip: normal(rng.fork("skip"), [width], 1),
      out: normal(rng.fork("out"), [width, 2 * width]),
    };
  },

  apply(p, x, _config, context) {
    const memory = memoryOf(p);
    return read(p, causalConvolution(x, kernelOf(memory, x.shape[1])), x, context);
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
  const [fade, turn] = [negate(exp(p.logRate)), p.frequency].map((each) => reshape(each, [rows / 2, width]));
  const { exponent, move, held } = heldOver({ re: fade, im: turn }, exp(p.logStep));
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

/** What h [B, 2, N/2, d] adds to the outputs of x [B, T, d], [B, T, d], and what is carried behind x. */
function behind(before: Tensor, x: Tensor, memory: Memory) {
  const [batch, length, width] = x.shape;
  const ofChannel = (each: Tensor) => transpose(each, [2, 0, 1]); // [T, N/2, d] to [d, T, N/2]
  const { re, im } = parts(before);
  const columns = (each: Tensor) => transpose(reshape(each, [batch, -1, width]), [2, 1, 0]); // [d, N/2, B]
  const ahead = times(
    memory.write,
    powers(
      memory,
      Array.from({ length }, (_, t) => t + 1),
    ),
  );
  const y = subtract(matmul(ofChannel(ahead.re), columns(re)), matmul(ofChannel(ahead.im), columns(im))); // [d, T, B]
  const since = powers(memory, lagsBefore(length));
  const given = transpose(x, [2, 1, 0]); // [d, T, B]
  const read = (each: Tensor) => {
    const sums = matmul(ofChannel(each), given, { transposeX: true }); // [d, N/2, B]
    return reshape(transpose(sums, [2, 1, 0]), re.shape);
  };
  const moved = times(powers(memory, [length]), { re, im });
  const h = concat([add(moved.re, read(since.re)), add(moved.im, read(since.im))], 1);
  return { y: transpose(y, [2, 1, 0]), h };
}

/** y without skip and x [B, T, d] -> [B, T, d]. */
function read(p: Parameters, y: Tensor, x: Tensor, { intervene }: Context): Tensor {
  const [batch, length, width] = x.shape;
  const o = intervene(reshape(add(y, multiply(x, p.skip)), [batch, length, 1, width]));
  return gatedLinear(gelu(reshape(o, x.shape)), p.out);
}

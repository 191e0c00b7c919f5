/**
 * @file Mamba-3: an additive memory with input-dependent rotation, and trapezoidal writes over two steps.
 *
 *     z, u, B, C, l, f, j, p = x Win                 z, u [e d];  B, C [N];  l, f, j [h];  p [R], R = turning N / 2
 *     B, C = norm(B) + b, norm(C) + c                RMSNorm over N, shared by the heads;  b, c [N] a head
 *     D = softplus(l + s);   m = sigmoid(j)          one number a head
 *     a = e^(-D max(softplus(f + r), 0.0001)), or with rate heavy e^(-D (1 + f') / (1 + f'')), f', f'' = max(f + r, 0), max(-f - r, 0)
 *     S_t = a_t T_t' (S_{t-1} + (1 - m_t) D_t B_{t-1} u_{t-1}') + m_t D_t B_t u_t'    S [N, e d / h] a head, S_0 = B_0 = u_0 = 0
 *     T_t rotates channels i and i + R by the angle pi D_t tanh(p_ti), for i < R, and leaves those from 2R on
 *     y_t = ((S_t' C_t + skip u_t) o silu(z_t)) Wout                       skip one number a head
 *
 * A sequence is computed in the frame that rotates with S: there B and C are rotated by the cumulative angle, and only a is left of the
 * transition. Its eigenvalues a e^(+-i angle) are complex, and it rotates by a third as well as by a half: one layer can track parity
 * and counting modulo any number; all rotations share the same planes and commute, so that no order can be tracked.
 *
 * Source: Mamba-3, arXiv:2603.15569, in its form with one input and output per head. The bias r, which begins at 0, is our own.
 * Projections start smaller than in the authors' code unless `initialization` is `source`.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { shift } from "../tensor/arithmetic.ts";
import { rotatePairs, runningAngle } from "../tensor/complex-rotation.ts";
import { dplrFrom } from "../tensor/dplr.ts";
import {
  add,
  concat,
  divide,
  exp,
  expand,
  full,
  linear,
  maximum,
  multiply,
  negate,
  reshape,
  scale,
  sigmoid,
  silu,
  slice,
  softplus,
  split,
  type Tensor,
  tanh,
  transpose,
} from "../tensor/index.ts";
import { zeroAtStarts } from "../tensor/packed-sequences.ts";
import { chunkField } from "./config-fields.ts";
import {
  constantParameter,
  headWidth,
  joinHeads,
  splitHeads,
  stepBias,
  tapAll,
  tapStep,
  torchLinear,
} from "./layers.ts";
import { recall, writeDplr } from "./matrix-memory.ts";
import { type Context, defineModel, type State } from "./model.ts";

const config = z.strictObject({
  heads: z.int().positive().default(2).describe("Number of heads, which divides e d"),
  stateSize: z.int().positive().default(16).describe("State numbers N"),
  expansion: z.int().positive().default(2).describe("Inner width as a multiple e of d"),
  turning: z
    .union([z.literal(0), z.literal(0.5), z.literal(1)])
    .default(0.5)
    .describe("Share of the N channels that rotate"),
  rate: z
    .enum(["softplus", "heavy"])
    .default("softplus")
    .describe("How the decay rate follows from the input, where heavy approaches 0 slowly"),
  firstStep: z
    .tuple([z.number().positive(), z.number().positive()])
    .default([0.001, 0.1])
    .describe("Range of the initial D, log-uniform"),
  firstRate: z.number().default(0).describe("Initial r"),
  chunk: chunkField(32),
});
type Config = z.infer<typeof config>;

export const mamba3 = defineModel({
  name: "mamba3",
  summary: "additive memory with input-dependent rotation",
  source: "arXiv:2603.15569",
  config,

  traits: ({ turning }: Config) => ({
    recurrence: { least: turning === 0 ? 0 : -1, complex: turning > 0, commuting: true },
    keeps: "decay",
  }),
  startsFrom: ["S"],

  init(config: Config, width, rng) {
    const { heads, stateSize, expansion } = config;
    const channels = expansion * width;
    headWidth(channels, heads); // refuses heads that do not divide it
    return {
      input: torchLinear(rng.fork("input"), [
        width,
        2 * channels + 2 * stateSize + 3 * heads + anglesOf(config),
      ]),
      writeNorm: constantParameter([stateSize], 1),
      readNorm: constantParameter([stateSize], 1),
      writeBias: constantParameter([heads * stateSize], 1),
      readBias: constantParameter([heads * stateSize], 1),
      stepBias: stepBias(rng.fork("stepBias"), heads, config.firstStep),
      logRate: constantParameter([heads], config.firstRate),
      skip: constantParameter([heads], 1),
      out: torchLinear(rng.fork("out"), [channels, width]),
    };
  },

  apply(p, x, config, context) {
    const { stateSize, heads, expansion } = config;
    const [batch, , width] = x.shape;
    const own = (expansion * width) / heads;
    const state = {
      S: full(x.graph, [batch, heads, stateSize, own], 0),
      pastWrite: full(x.graph, [batch, heads, stateSize], 0),
      pastValue: full(x.graph, [batch, heads, own], 0),
    };
    return over(p, x, state, config.chunk, config, context).y;
  },

  state: ({ heads, stateSize, expansion }, width) => ({
    S: [heads, stateSize, (expansion * width) / heads],
    pastWrite: [heads, stateSize],
    pastValue: [heads, (expansion * width) / heads],
  }),

  step(p, x, state, config, { taps, intervene, norm }) {
    const { write, read, value, step, logDecay, share, angle, gate, tapped } = partsOf(p, x, config, norm);
    tapStep(taps, tapped);
    const still = full(x.graph, step.shape, 0);
    const late = multiply(step, shift(negate(share), 1));
    const both = writeDplr(state.S, {
      k: inHeads(state.pastWrite, late),
      v: state.pastValue,
      logDecay: still,
    }); // [B, h, N, e d / h]
    const before = angle === undefined ? both : turnedBack(both, angle);
    const S = writeDplr(before, { k: inHeads(write, multiply(step, share)), v: value, logDecay });
    const y = add(reshape(recall(S, read), value.shape), skipped(p, value));
    const o = joinHeads(intervene(reshape(y, [x.shape[0], 1, ...value.shape.slice(1)])));
    return {
      y: linear(multiply(reshape(o, gate.shape), silu(gate)), p.out),
      state: { S, pastWrite: write, pastValue: value },
    };
  },

  extend: (p, x, state, config, context) => ({
    ...over(p, x, state, context.trains ? config.chunk : x.shape[1], config, context),
    rows: {},
  }),
  packs: true,
});

type Vectors = "writeNorm" | "readNorm" | "writeBias" | "readBias" | "stepBias" | "logRate" | "skip";
type Parameters = Readonly<Record<"input" | "out" | Vectors, Tensor>>;

/** All tokens of x [B, T, d], starting from the state. */
function over(
  p: Parameters,
  x: Tensor,
  state: State,
  chunk: number,
  config: Config,
  { taps, intervene, norm, fresh }: Context,
) {
  const length = x.shape[1];
  const { write, read, value, step, logDecay, share, angle, gate, tapped } = partsOf(p, x, config, norm);
  tapAll(taps, tapped);
  const sum = angle && transpose(runningAngle(transpose(angle, [1, 0, 2, 3]), fresh), [1, 0, 2, 3]); // [B, T, h, R]
  const inFrame = (y: Tensor) => (sum === undefined ? y : rotatePairs(y, sum));
  const [B, C] = [inFrame(write), inFrame(read)]; // [B, T, h, N]
  const behind = (y: Tensor, past: Tensor) => {
    const first = reshape(past, [past.shape[0], 1, ...past.shape.slice(1)]);
    const shifted = length === 1 ? first : concat([first, slice(y, 1, 0, length - 1)], 1);
    return zeroAtStarts(shifted, fresh);
  };
  const late = multiply(multiply(step, shift(negate(share), 1)), exp(logDecay));
  // The memory is a sum of immediate and delayed writes: computed as additional heads.
  const { o, S } = dplrFrom(
    concat([state.S, scale(state.S, 0)], 1),
    {
      q: concat([C, C], 2),
      k: concat([inHeads(B, multiply(step, share)), inHeads(behind(B, state.pastWrite), late)], 2),
      v: concat([value, behind(value, state.pastValue)], 2),
      logDecay: concat([logDecay, logDecay], 2),
    },
    { chunk, fresh },
  );
  const summed = (y: Tensor, axis: number) => {
    const [now, later] = split(y, axis, [config.heads, config.heads]);
    return add(now, later);
  };
  const y = intervene(add(summed(o, 2), skipped(p, value))); // [B, T, h, e d / h]
  const last = (z: Tensor) => reshape(slice(z, 1, length - 1, length), [z.shape[0], ...z.shape.slice(2)]);
  const after = summed(S, 1);
  return {
    y: linear(multiply(joinHeads(y), silu(gate)), p.out),
    state: {
      S: sum === undefined ? after : turnedBack(after, last(sum)),
      pastWrite: last(write),
      pastValue: last(value),
    },
  };
}

/** S [B, h, N, dv] with its N rotated back by angles [B, h, R]. */
function turnedBack(S: Tensor, angle: Tensor): Tensor {
  const [batch, heads, pairs] = angle.shape;
  const columns = transpose(S, [0, 1, 3, 2]);
  return transpose(rotatePairs(columns, reshape(negate(angle), [batch, heads, 1, pairs])), [0, 1, 3, 2]);
}

/**
 * Input-dependent quantities from x [..., d]: B, C [..., h, N], u [..., h, e d / h], D, log a and m [..., h], angles [..., h, R], z
 * [..., e d].
 */
function partsOf(p: Parameters, x: Tensor, config: Config, norm: Context["norm"]) {
  const { heads, stateSize, expansion, rate } = config;
  const channels = expansion * x.shape.at(-1)!;
  const angles = anglesOf(config);
  const lengths = [channels, channels, stateSize, stateSize, heads, heads, heads];
  const parts = split(linear(x, p.input), -1, angles === 0 ? lengths : [...lengths, angles]);
  const [gate, u, B, C, steps, fading, shares, turns] = parts;
  const leading = x.shape.slice(0, -1);
  const perHead = (y: Tensor, scaleOf: Tensor, bias: Tensor) =>
    add(reshape(norm(y, scaleOf), [...leading, 1, stateSize]), reshape(bias, [heads, stateSize]));
  const write = perHead(B, p.writeNorm, p.writeBias);
  const read = perHead(C, p.readNorm, p.readBias);
  const step = softplus(add(steps, p.stepBias));
  const logDecay = negate(multiply(step, rateOf(add(fading, p.logRate), rate)));
  const share = sigmoid(shares);
  const angle =
    turns &&
    multiply(
      reshape(scale(tanh(turns), Math.PI), [...leading, 1, angles]),
      expand(reshape(step, [...leading, heads, 1]), [...leading, heads, angles]),
    );
  const value = splitHeads(u, heads);
  const tapped = { step, decay: exp(logDecay), share, write, read, value, ...(angle && { angle }) };
  return { gate, value, write, read, step, logDecay, share, angle, tapped };
}

/** The decay rate per unit step, above 0. */
function rateOf(x: Tensor, rate: Config["rate"]): Tensor {
  if (rate === "softplus") return maximum(softplus(x), x.graph.scalar(1e-4));
  const [above, below] = [x, negate(x)].map((each) => shift(maximum(each, x.graph.scalar(0)), 1));
  return divide(above, below);
}

/** x [..., h, n] times one number a head [..., h]. */
function inHeads(x: Tensor, factor: Tensor): Tensor {
  return multiply(x, reshape(factor, [...factor.shape, 1]));
}

/** u [..., h, e d / h], each head times its skip. */
function skipped({ skip }: Parameters, u: Tensor): Tensor {
  return multiply(u, reshape(skip, [-1, 1]));
}

/** R. Errors: LabError if it is not an integer. */
function anglesOf({ stateSize, turning }: Config): number {
  const angles = (turning * stateSize) / 2;
  if (!Number.isInteger(angles))
    fail("mamba3", `a stateSize that is a multiple of ${2 / turning}`, stateSize);
  return angles;
}

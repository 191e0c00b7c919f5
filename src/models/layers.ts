/** @file Common parts of the models: initial weights, RMSNorm, SwiGLU, heads, decay, the short convolution's step. */

import { fail } from "../core/error.ts";
import { noNumbers, type Rng } from "../core/rng.ts";
import {
  add,
  causalConvolution,
  concat,
  exp,
  flattenParameters,
  linear,
  linearParts,
  matmul,
  maximum,
  mean,
  multiply,
  negate,
  type Parameter,
  type ParameterTree,
  pad,
  reshape,
  rmsNorm,
  type Shape,
  scale as scaleBy,
  sigmoid,
  silu,
  size,
  slice,
  softplus,
  split,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { keepMask } from "../tensor/packed-sequences.ts";
import { type Context, READOUT, type State } from "./model.ts";

const nothing = new Float32Array(0);

/** Deviation of a matrix at the start in GPT-2, Llama and fla. */
const COMMON_DEVIATION = 0.02;
const common = new WeakSet<Parameter>();

/** N(0, deviation^2); with `noNumbers` a shape without numbers. */
export function normal(rng: Rng, shape: Shape, deviation?: number): Parameter {
  if (rng === noNumbers) return { shape, data: nothing };
  const scale = deviation ?? COMMON_DEVIATION;
  const made = { shape, data: Float32Array.from({ length: size(shape) }, () => scale * rng.normal()) };
  if (deviation === undefined) common.add(made);
  return made;
}

/**
 * Scales, in place, what `normal` made with the common deviation: a matrix [in, out] to N(0, 1/in), an embedding to N(0, 1), the
 * matrices that write into the residual stream (`out`, `down`) to zero. Source: the start of nanochat, github.com/karpathy/nanochat.
 */
export function scaleToWidth(tree: ParameterTree): void {
  for (const [path, parameter] of flattenParameters(tree)) {
    if (!common.has(parameter)) continue;
    const name = path.slice(path.lastIndexOf(".") + 1);
    const deviation =
      name === "embedding"
        ? 1
        : name === "out" || name === "down"
          ? 0
          : (parameter.shape.at(-2) ?? 1) ** -0.5;
    for (const i of parameter.data.keys()) parameter.data[i] *= deviation / COMMON_DEVIATION;
  }
}

/** How a public layer starts a parameter, where that differs from `initialization: fixed`. */
const sources = new WeakMap<Parameter, () => ArrayLike<number>>();
type Start = (rng: Rng, shape: Shape) => ArrayLike<number>;

/** The parameter, filled by `start` with `initialization: source`. */
export function withSource(parameter: Parameter, rng: Rng, start: Start): Parameter {
  if (rng !== noNumbers) sources.set(parameter, () => start(rng.fork("source"), parameter.shape));
  return parameter;
}

/** Sets, in place, the parameters of `withSource` to their source's start. */
export function startAsSource(tree: ParameterTree): void {
  for (const [, parameter] of flattenParameters(tree)) {
    const start = sources.get(parameter);
    if (start !== undefined) parameter.data.set(start());
  }
}

/** U(-bound, bound). */
export function uniform(bound: number): Start {
  return (rng, shape) => Float32Array.from({ length: size(shape) }, () => bound * (2 * rng.next() - 1));
}

/** A matrix [in, out] that torch.nn.Linear starts: U(+-1/sqrt(in)) with `initialization: source`. */
export function torchLinear(rng: Rng, shape: readonly [number, number]): Parameter {
  return withSource(normal(rng, shape), rng, uniform(shape[0] ** -0.5));
}

/** A uniformly random orthogonal matrix: normal rows, orthonormalized in order (Gram-Schmidt). */
export function orthogonal(rng: Rng, size: number): number[][] {
  const rows: number[][] = [];
  for (let i = 0; i < size; i++) {
    let row = Array.from({ length: size }, () => rng.normal());
    // The second pass removes the rounding errors of the first.
    for (const before of [...rows, ...rows]) {
      const along = dot(row, before);
      row = row.map((each, j) => each - along * before[j]);
    }
    const length = Math.sqrt(dot(row, row));
    rows.push(row.map((each) => each / length));
  }
  return rows;
}

const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, each, i) => sum + each * y[i], 0);

export function constantParameter(shape: Shape, value: number): Parameter {
  return makeParameter(shape, () => new Float32Array(size(shape)).fill(value));
}

/** A parameter whose numbers are created on first access: shapes alone allocate nothing, however large. */
export function makeParameter(shape: Shape, make: () => Float32Array): Parameter {
  let made: Float32Array | undefined;
  return {
    shape,
    get data() {
      made ??= make();
      return made;
    },
  };
}

/** Default epsilon of norms. */
export const NORM_EPSILON = 1e-6;

/** RMSNorm with its learned scale [d]: scale o x / rms(x). */
export function norm(x: Tensor, scale: Tensor, epsilon = NORM_EPSILON): Tensor {
  return multiply(rmsNorm(x, epsilon), scale);
}

/** A low-rank replacement of one weight [width, out]: x down up. */
export function lowRankParameters(rng: Rng, width: number, rank: number, out: number) {
  return { down: normal(rng.fork("down"), [width, rank]), up: normal(rng.fork("up"), [rank, out]) };
}

export function lowRank(x: Tensor, { down, up }: { readonly down: Tensor; readonly up: Tensor }): Tensor {
  return linear(linear(x, down), up);
}

/** Rank and divisor of `lowRankLogDecay`, as in the code of gated linear attention. */
const [DECAY_RANK, DECAY_TEMPERATURE] = [16, 16];

/** The parameters of a decay for each of n channels. */
export function lowRankDecay(rng: Rng, width: number, n = width) {
  return { ...lowRankParameters(rng, width, DECAY_RANK, n), bias: constantParameter([n], 0) };
}

/** x [..., d] -> log sigmoid(x down up + bias) / 16, [..., n]. */
export function lowRankLogDecay(
  x: Tensor,
  { bias, ...weights }: Readonly<Record<"down" | "up" | "bias", Tensor>>,
): Tensor {
  return scaleBy(logSigmoid(add(lowRank(x, weights), bias)), 1 / DECAY_TEMPERATURE);
}

/** The width of one head. Errors: LabError if heads do not divide the width. */
export function headWidth(width: number, heads: number): number {
  if (width % heads !== 0) fail("model", `heads that divide width ${width}`, heads);
  return width / heads;
}

/** (g(x Wg) o x Wu) Wd, with Wg and Wu side by side in one weight; g is silu by default. Source: Shazeer 2020, arXiv:2002.05202. */
export function swiGlu(x: Tensor, gateAndUp: Tensor, down: Tensor, g: (x: Tensor) => Tensor = silu): Tensor {
  const [width] = down.shape;
  const [gate, up] = linearParts(x, gateAndUp, [width, width]);
  return linear(multiply(g(gate), up), down);
}

/** log sigmoid(x), without overflow. */
export function logSigmoid(x: Tensor): Tensor {
  return negate(softplus(negate(x)));
}

/** x sigmoid(1.702 x), an approximation of GELU. */
export function gelu(x: Tensor): Tensor {
  return multiply(x, sigmoid(scaleBy(x, 1.702)));
}

/** a o sigmoid(b), a and b halves of x W. Source: Dauphin et al. 2017, arXiv:1612.08083. */
export function gatedLinear(x: Tensor, weight: Tensor): Tensor {
  const half = weight.shape[1] / 2;
  const [a, b] = linearParts(x, weight, [half, half]);
  return multiply(a, sigmoid(b));
}

/** [B, T, h d] -> [B, T, h, d]. */
export function splitHeads(x: Tensor, heads: number): Tensor {
  return reshape(x, [...x.shape.slice(0, -1), heads, -1]);
}

/** [..., h, d] -> [..., h d]. */
export function joinHeads(x: Tensor): Tensor {
  return reshape(x, [...x.shape.slice(0, -2), -1]);
}

/** The heads' outputs, [B, T, h, dv], after interventions, [B, T, h dv]: offered to layers above, before gate and output projection. */
export function readOut(o: Tensor, { intervene, offer }: Pick<Context, "intervene" | "offer">): Tensor {
  const read = joinHeads(intervene(o));
  offer(READOUT, read);
  return read;
}

/** Hidden vectors [B, T, d], or [B, d] of a step, after interventions on each head, times Wout; without gate or norm. */
export function hiddenOut(
  h: Tensor,
  heads: number,
  out: Tensor,
  { intervene }: Pick<Context, "intervene">,
): Tensor {
  const [batch, ...rest] = h.shape;
  const read = intervene(reshape(h, [batch, rest.length === 1 ? 1 : rest[0], heads, -1]));
  return linear(reshape(read, h.shape), out);
}

/**
 * [d, n d/h] with the n gates of each head in its rows -> block-diagonal [d, n d]: at the package's widths one product with it is
 * cheaper than one per head.
 */
export function withinHeads(weight: Tensor, heads: number, gates: number): Tensor {
  if (heads === 1) return weight;
  const [width] = weight.shape;
  const own = width / heads;
  const rows = split(reshape(weight, [width, gates, own]), 0, new Array<number>(heads).fill(own));
  const placed = rows.map((block, head) => pad(block, 2, head * own, width - (head + 1) * own));
  return reshape(concat(placed, 0), [width, gates * width]);
}

/** x [..., D], weight [D, s] -> [..., D]: a block-diagonal product, one s x s block per s channels. */
export function linearInBlocks(x: Tensor, weight: Tensor): Tensor {
  const [channels, own] = weight.shape;
  const count = channels / own;
  const blocks = transpose(reshape(x, [-1, count, own]), [1, 0, 2]); // [D / s, ..., s]
  const y = matmul(blocks, reshape(weight, [count, own, own]));
  return reshape(transpose(y, [1, 0, 2]), x.shape);
}

/** LayerNorm over each head of x [..., h, dv], with a scale [h dv] and no bias. */
export function layerNormInHeads(x: Tensor, scale: Tensor): Tensor {
  const centred = subtract(x, mean(x, { axes: [-1], keep: true }));
  return multiply(rmsNorm(centred, 1e-5), reshape(scale, x.shape.slice(-2)));
}

/** One step of causalConvolution: x [B, D], past [B, K - 1, D], weight [K, D] -> y [B, D] and the past after it. */
function convolutionStep(x: Tensor, past: Tensor, weight: Tensor): { y: Tensor; past: Tensor } {
  const [batch, kept, channels] = past.shape;
  const window = concat([past, reshape(x, [batch, 1, channels])], 1); // [B, K, D]
  const [, after] = split(window, 1, [1, kept]);
  return { y: sum(multiply(window, weight), { axes: [1] }), past: after };
}

/** The same with an optional weight, or one tap and so no past; `kept` is the state after it. */
export function convolutionStepIfAny(
  x: Tensor,
  weight: Tensor | undefined,
  past: Tensor | undefined,
): { y: Tensor; kept: State } {
  if (weight === undefined) return { y: x, kept: {} };
  if (past === undefined) return { y: multiply(x, weight), kept: {} };
  const { y, past: after } = convolutionStep(x, past, weight);
  return { y, kept: { past: after } };
}

/**
 * A short convolution over several tokens, after those of `past` if given; `kept` is the state after it. For whole rows `fresh` marks
 * the starts of sessions.
 */
export function convolutionOver(
  x: Tensor,
  weight: Tensor | undefined,
  past: Tensor | undefined,
  fresh?: Tensor,
): { y: Tensor; kept: State } {
  if (weight === undefined) return { y: x, kept: {} };
  if (fresh !== undefined) return { y: convolutionInSessions(x, weight, fresh), kept: {} };
  if (past === undefined) return { y: causalConvolution(x, weight), kept: {} };
  const [, before] = past.shape;
  const [, length] = x.shape;
  const window = concat([past, x], 1); // [B, K - 1 + T, D]
  const y = slice(causalConvolution(window, weight), 1, before, before + length);
  return { y, kept: { past: slice(window, 1, length, length + before) } };
}

/** The convolution tap by tap, masked at session boundaries. */
function convolutionInSessions(x: Tensor, weight: Tensor, fresh: Tensor): Tensor {
  const [batch, length] = x.shape;
  const taps = split(weight, 0, new Array<number>(weight.shape[0]).fill(1)).toReversed(); // [1, D] each, that of the present first
  const keeps = keepMask(reshape(fresh, [batch, length, 1]));
  const before = (each: Tensor, back: number) => pad(slice(each, 1, 0, length - back), 1, back, 0);
  let y = multiply(x, taps[0]);
  let reaches = keeps; // 1 if the token so far back is in the same session
  for (let back = 1; back < Math.min(taps.length, length); back++) {
    y = add(y, multiply(multiply(before(x, back), reaches), taps[back]));
    reaches = multiply(reaches, before(keeps, back));
  }
  return y;
}

/** The state of a short convolution over `channels`; none with one tap or no convolution. */
export function convolutionPast(taps: number, channels: number): Readonly<Record<string, Shape>> {
  return taps > 1 ? { past: [taps - 1, channels] } : {};
}

/** The weight of a short convolution, if any: N(0, 1/K), or by `start` with `initialization: source`. */
export function convolutionParameter(
  rng: Rng,
  taps: number,
  channels: number,
  start?: Start,
): { convolution?: Parameter } {
  if (taps === 0) return {};
  const own = rng.fork("convolution");
  const convolution = normal(own, [taps, channels], taps ** -0.5);
  return { convolution: start === undefined ? convolution : withSource(convolution, own, start) };
}

/** The start of every matrix and short convolution in fla's models. */
export const flaStart: Start = (rng, shape) => normal(rng, shape).data;

/** The same with a bias, as torch.nn.Conv1d starts them: U(+-1/sqrt(K)) with `initialization: source`. */
export function torchConvolution(rng: Rng, taps: number, channels: number) {
  const start = uniform(taps === 0 ? 0 : taps ** -0.5);
  const bias = constantParameter([channels], 0);
  return {
    ...convolutionParameter(rng, taps, channels, start),
    convolutionBias: withSource(bias, rng.fork("convolutionBias"), start),
  };
}

/** Reports values [B, T, ...] to the taps by name. */
export function tapAll(
  taps: (name: string, value: Tensor) => void,
  values: Readonly<Record<string, Tensor>>,
): void {
  for (const [name, value] of Object.entries(values)) taps(name, value);
}

/** Reports the values of a step, [B, ...] each, as [B, 1, ...]. */
export function tapStep(
  taps: (name: string, value: Tensor) => void,
  values: Readonly<Record<string, Tensor>>,
) {
  for (const [name, value] of Object.entries(values)) {
    const [batch, ...rest] = value.shape;
    taps(name, reshape(value, [batch, 1, ...rest]));
  }
}

/**
 * An input-dependent decay per head: log a = -e^logRate softplus(x weight + bias), at most 0.
 * Initial values of Gu and Dao 2023, arXiv:2312.00752; bias and logRate are vectors, and so have no weight decay.
 */
export function decayParameters(rng: Rng, width: number, heads: number, firstRate: number | undefined) {
  return {
    weight: normal(rng.fork("weight"), [width, heads]),
    bias: stepBias(rng.fork("bias"), heads),
    logRate: logRates(rng.fork("logRate"), heads, firstRate),
  };
}

/** Logarithms of rates: all `firstRate`, or of rates uniform in (0, 16], or with `least` 1 in [1, 16). */
export function logRates(
  rng: Rng,
  count: number,
  firstRate: number | undefined,
  least: 0 | 1 = 0,
): Parameter {
  if (firstRate !== undefined) return constantParameter([count], firstRate);
  const rate = () => (least === 0 ? 16 * (1 - rng.next()) : 1 + 15 * rng.next());
  return makeParameter([count], () => Float32Array.from({ length: count }, () => Math.log(rate())));
}

export interface Decay {
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly logRate: Tensor;
}

/** x [..., d] -> log a [..., h]. */
export function logDecay(x: Tensor, { weight, bias, logRate }: Decay): Tensor {
  return negate(multiply(softplus(add(linear(x, weight), bias)), rateFrom(logRate)));
}

/** e^min(r, 40). A faster decay leaves as little, and where e^r overflows, 0 times infinity would be NaN. */
export function rateFrom(logRate: Tensor): Tensor {
  return exp(negate(maximum(negate(logRate), logRate.graph.scalar(-40))));
}

/** Biases whose softplus is a step size log-uniform in [0.001, 0.1], but at least 0.0001. */
export function stepBias(rng: Rng, count: number, [least, most]: readonly [number, number] = [1e-3, 0.1]) {
  const draw = () => {
    const step = Math.max(1e-4, Math.exp(Math.log(least) + rng.next() * Math.log(most / least)));
    return step + Math.log(-Math.expm1(-step)); // the inverse of softplus
  };
  return makeParameter([count], () => Float32Array.from({ length: count }, draw));
}

/**
 * @file SeqBoat: decaying means choose which tokens attend, and those attend to the last of the chosen ones.
 *
 *     h_t = a o h_{t-1} + x_t;   m_t = silu(sum_n C_n (1 - a_n) h_t,n + skip o x_t)      a = e^(-e^r), N a channel;  h [N, d], h_0 = 0
 *     p_t = softmax(m_t Wc / tau)_1;   active where p_t > 1/2
 *     z, g, v = silu(m Wi);   q = z o qs + qo;   k = z o ks
 *     o_t = sum_s softmax_s(q_t' k_s / sqrt(d)) v_s   over the last w active tokens, including t;  0 where t is not active
 *     y_t = silu([m_t, p_t g_t o o_t] Wout + x_t)
 *
 * No sorting is needed: with r the running count of active tokens, t sees s if both are active, s <= t and r_t - r_s < w. The choice is
 * learned only through p, and an inactive token contributes no gradient to Wi: it has no part in any o.
 *
 * The means decay independently of the input, and attention sees w tokens through one softmax: no parity by one layer, and no order.
 * The choice is based on the means alone: it can skip irrelevant tokens and thus look back further than w; skipped tokens remain only
 * in the means.
 *
 * Source: Ren et al. 2023, arXiv:2306.11197, and the authors' code, whose window is w + 1. It has softmax, for which an offset of k
 * would change nothing. Biases and relative positions are omitted, since the means encode age. One head, as there.
 */

import { z } from "zod";
import { shift } from "../tensor/arithmetic.ts";
import { future } from "../tensor/attention.ts";
import { splitChunks } from "../tensor/chunks.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  causalConvolution,
  concat,
  cumulativeSum,
  exp,
  full,
  linear,
  matmul,
  maximum,
  multiply,
  negate,
  node,
  reshape,
  scale,
  scan,
  sigmoid,
  silu,
  slice,
  softmax,
  split,
  subtract,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { NEVER, scanSessions } from "../tensor/packed-sequences.ts";
import { attendBehind, exchange, stepByExtension } from "./kv-cache.ts";
import { constantParameter, makeParameter, normal, rateFrom, tapAll } from "./layers.ts";
import { type Context, defineModel, type ExtendContext, type State } from "./model.ts";

const config = z.strictObject({
  window: z.int().positive().default(16).describe("Active tokens that each of them sees, with itself"),
  stateSize: z.int().positive().default(16).describe("Decaying means N per channel"),
});
type Config = z.infer<typeof config>;

/** Above any count of tokens; integers below twice this are exact in float32. */
const FAR = 2 ** 22;

export const seqboat = defineModel({
  name: "seqboat",
  summary: "decaying means that choose the tokens that attend",
  source: "arXiv:2306.11197",
  config,

  traits: () => ({
    recurrence: { least: 0, complex: false, commuting: true, fixed: true },
    choices: true,
  }),

  init({ stateSize }: Config, width, rng) {
    const rates = rng.fork("logRate");
    return {
      // Log-uniform in [0.001, 1]: from means over a thousand tokens to those over two. A vector, so that it has no weight decay.
      logRate: makeParameter([stateSize * width], () =>
        Float32Array.from({ length: stateSize * width }, () => Math.log(1e-3) * rates.next()),
      ),
      read: normal(rng.fork("read"), [stateSize, width], stateSize ** -0.5),
      skip: normal(rng.fork("skip"), [width], 1),
      choose: normal(rng.fork("choose"), [width, 2]),
      logTemperature: constantParameter([1], Math.log(0.3 * width ** 0.5)),
      input: normal(rng.fork("input"), [width, 3 * width]),
      queryScale: normal(rng.fork("queryScale"), [width]),
      queryOffset: constantParameter([width], 0),
      keyScale: normal(rng.fork("keyScale"), [width]),
      out: normal(rng.fork("out"), [2 * width, width]),
    };
  },

  apply(p, x, { window }, context) {
    const [, length] = x.shape;
    const memory = memoryOf(p);
    const { fresh } = context;
    const means =
      fresh === undefined ? causalConvolution(x, kernelOf(memory, length)) : inSessions(x, memory, fresh);
    const parts = partsOf(p, x, means, undefined, window, context);
    return finish(p, x, parts, attended(parts, window), context);
  },

  state: ({ stateSize }, width, length) => ({
    h: [stateSize, width],
    count: [1],
    keys: [1, length, width],
    values: [1, length, width],
    ranks: [1, length, 1],
  }),

  step: stepByExtension(extend),

  extend,
  packs: true,
});

type Vectors = "logRate" | "skip" | "logTemperature" | "queryScale" | "queryOffset" | "keyScale";
type Parameters = Readonly<Record<"read" | "choose" | "input" | "out" | Vectors, Tensor>>;

/** Implements `Mixer.extend`: the tokens attend to the cached rows and, causally, to each other. */
function extend(p: Parameters, x: Tensor, state: State, { window }: Config, context: ExtendContext) {
  const { means, h } = behind(state.h, x, memoryOf(p));
  const parts = partsOf(p, x, means, state.count, window, context);
  const { query, key, value, counts, ranks } = parts;
  const unseen = add(beyond(counts, state.ranks, window), context.unseen); // [B, 1, T, M]
  const read = attendBehind({ query, key, value }, state, unseen, beyond(counts, ranks, window));
  const [batch, length] = x.shape;
  const count = reshape(slice(counts, 2, length - 1, length), [batch, 1]);
  return {
    y: finish(p, x, parts, read, context),
    rows: { keys: key, values: value, ranks },
    state: { h, count },
  };
}

/** Both [N, d]. */
interface Memory {
  /** log a. */
  readonly logDecay: Tensor;
  /** C (1 - a). */
  readonly write: Tensor;
}

function memoryOf({ logRate, read }: Parameters): Memory {
  const logDecay = reshape(negate(rateFrom(logRate)), read.shape);
  return { logDecay, write: multiply(read, shift(negate(exp(logDecay)), 1)) };
}

/** a^l for each of the lags, [T, N, d]. */
function powers({ logDecay }: Memory, lags: readonly number[]): Tensor {
  const times = logDecay.graph.constant(Float32Array.from(lags), [lags.length, 1, 1]);
  return exp(multiply(times, logDecay));
}

/** Lags T - 1 .. 0: the last one is the present. */
const lagsBefore = (length: number) => Array.from({ length }, (_, j) => length - 1 - j);

/** The weight of a token by its age, [T, d]. */
function kernelOf(memory: Memory, length: number): Tensor {
  return sum(multiply(memory.write, powers(memory, lagsBefore(length))), { axes: [1] });
}

/** The means of x [B, T, d] starting from h [B, N, d], and the state after x. */
function behind(before: Tensor, x: Tensor, memory: Memory) {
  const [batch, length, width] = x.shape;
  const [, size] = before.shape;
  const ahead = powers(
    memory,
    Array.from({ length }, (_, t) => t + 1),
  );
  const faded = multiply(reshape(before, [batch, 1, size, width]), multiply(memory.write, ahead)); // [B, T, N, d]
  const own = causalConvolution(x, kernelOf(memory, length));
  const since = multiply(reshape(x, [batch, length, 1, width]), powers(memory, lagsBefore(length)));
  const kept = multiply(before, exp(scale(memory.logDecay, length)));
  return { means: add(own, sum(faded, { axes: [2] })), h: add(kept, sum(since, { axes: [1] })) };
}

/** The means step by step in packed sessions: one filter cannot begin at each of them. */
function inSessions(x: Tensor, { logDecay, write }: Memory, fresh: Tensor): Tensor {
  const [batch, length, width] = x.shape;
  const a = exp(logDecay);
  const given = transpose(reshape(x, [batch, length, 1, width]), [1, 0, 2, 3]);
  const start = full(x.graph, [batch, ...a.shape], 0);
  const { outputs } = scanSessions(
    [given],
    [start],
    fresh,
    ([before], [now]) => {
      const h = add(multiply(before, a), now);
      return { states: [h], outputs: [sum(multiply(h, write), { axes: [1] })] };
    },
    { recompute: true },
  );
  return transpose(outputs[0], [1, 0, 2]);
}

interface Parts {
  /** [B, T, d]. */
  readonly m: Tensor;
  readonly gate: Tensor;
  /** p where a token is active, else 0: [B, T, 1]. */
  readonly share: Tensor;
  /** [B, 1, T, d]. */
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  /** Number of active tokens so far, including this one, [B, 1, T, 1]; and the same where a token is active, else a very small number. */
  readonly counts: Tensor;
  readonly ranks: Tensor;
}

/** x and its means [B, T, d], after `count` [B, 1] active tokens or none. */
function partsOf(
  p: Parameters,
  x: Tensor,
  means: Tensor,
  count: Tensor | undefined,
  window: number,
  { taps, fresh }: Context,
): Parts {
  const [batch, length, width] = x.shape;
  const m = silu(add(means, multiply(x, p.skip)));
  const [no, yes] = split(linear(m, p.choose), -1, [1, 1]);
  const margin = subtract(yes, no); // the softmax of two is a sigmoid of their difference, above 1/2 where it is positive
  const chosen = sigmoid(multiply(margin, exp(negate(p.logTemperature))));
  const positive = node("Greater", [margin, x.graph.scalar(0)], { shape: margin.shape, dtype: "bool" });
  const active = toFloat(positive); // [B, T, 1], without a gradient
  const [z, gate, v] = split(silu(linear(m, p.input)), -1, [width, width, width]);
  const alone = (y: Tensor) => reshape(y, [batch, length, 1, width]);
  const q = alone(add(multiply(z, p.queryScale), p.queryOffset));
  const k = alone(multiply(z, p.keyScale));
  tapAll(taps, { active, share: chosen, query: q, key: k, value: alone(v) });
  // A window between the counts of two sessions hides the earlier one.
  const counted = fresh ? add(active, scale(reshape(toFloat(fresh), [batch, length, 1]), window)) : active;
  const own = cumulativeSum(counted, 1);
  const counts = count === undefined ? own : add(own, reshape(count, [batch, 1, 1]));
  const ranks = add(counts, scale(shift(active, -1), FAR));
  const asHead = (y: Tensor) => reshape(y, [batch, 1, length, 1]);
  return {
    ...{ m, gate, share: multiply(chosen, active), counts: asHead(counts), ranks: asHead(ranks) },
    ...{ query: exchange(scale(q, width ** -0.5)), key: exchange(k), value: exchange(alone(v)) },
  };
}

/**
 * Counts of queries [B, 1, T, 1] and ranks of keys [B, 1, M, 1] -> 0 for the last `window` active keys, else a large negative number:
 * [B, 1, T, M].
 */
function beyond(counts: Tensor, ranks: Tensor, window: number): Tensor {
  const since = subtract(counts, transpose(ranks, [0, 1, 3, 2]));
  return scale(maximum(shift(since, 1 - window), since.graph.scalar(0)), NEVER);
}

/** Up to this length attention keeps its intermediate values for the gradient; for longer texts blocks are recomputed. */
const KEPT = 1024;
const BLOCK = 64;

type Attending = Pick<Parts, "query" | "key" | "value" | "counts" | "ranks">;

/** The output of each token, [B, 1, T, d]; arbitrary where it is not active. */
export function attended(parts: Attending, window: number, kept = KEPT): Tensor {
  const { query, key, value, counts, ranks } = parts;
  const { graph } = query;
  const [batch, , length] = query.shape;
  const read = (q: Tensor, own: Tensor, ahead: Tensor) => {
    const scores = matmul(q, key, { transposeY: true }); // [B, 1, T, T], or of a block
    return matmul(softmax(add(add(scores, ahead), beyond(own, ranks, window))), value);
  };
  if (length <= kept) return read(query, counts, future(graph, 0, length));
  const { count, size, into, joined } = splitChunks("seqboat", [batch, length, 1], BLOCK);
  const places = (from: number, to: number) => Float32Array.from({ length: to - from }, (_, i) => from + i);
  const rows = graph.constant(places(0, count * size), [count, size, 1]);
  const columns = graph.constant(places(0, length), [1, length]);
  const { outputs } = scan(
    [into(exchange(query)), into(exchange(counts)), rows],
    [],
    (_, [q, own, row]) => {
      const ahead = scale(maximum(subtract(columns, row), graph.scalar(0)), NEVER);
      return { states: [], outputs: [read(q, own, ahead)] };
    },
    { recompute: true },
  );
  return exchange(joined(outputs[0]));
}

/** The attention output, [B, 1, T, d] -> y [B, T, d]. All information about the past passes through `intervene`. */
function finish(
  p: Parameters,
  x: Tensor,
  { m, gate, share }: Parts,
  attended: Tensor,
  { intervene }: Context,
) {
  const [batch, length, width] = x.shape;
  const gated = multiply(multiply(gate, reshape(attended, x.shape)), share);
  const o = intervene(reshape(concat([m, gated], -1), [batch, length, 1, 2 * width]));
  return silu(add(linear(reshape(o, [batch, length, 2 * width]), p.out), x));
}

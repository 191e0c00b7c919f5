/**
 * @file Memory caching: the memory of a recurrent layer is stored at the end of every segment of C tokens, and all later tokens read
 * it.
 *
 *     M_t  the memory [dk, dv] per head of the layer `base`, after token t;   M[i] = M at the end of segment i;   s the segment of t
 *     o_t = g_t[s] M_t' q_t + sum_{i < s} g_t[i] M[i]' q_t
 *     g_t = softmax over i <= s of (x_t Wu)' m[i],   m[i] the mean of x Wm over segment i; for segment s over its tokens up to t
 *
 * `mode`: `residual` has g = 1; `gated` is the softmax; `sparse` restricts it to the `chosen` ended segments with the largest products,
 * plus the current segment. `writing`: `checkpoint` continues the memory across segments, `independent` resets it in each.
 * The output is linear in the memory, so that mixing memories before reading ("soup") is equivalent: a step does that.
 *
 * The end of a text finds old segments unchanged, at the cost of a state that grows with the text; whether it then recalls more than
 * its base is measured in the zoo (evidence/zoo/log.md). The output mixes the base's memory M_t with memories of other times, and g
 * knows of segments only the mean of their tokens, which can be equal for two. So what the base can track within a segment is blurred
 * from the second one on; `independent` forgets it there. Asked about the past, three of six trained runs answered from one stored
 * memory: exactly for its time, and for later times no more than follows from it.
 *
 * Source: arXiv:2602.24281, from two accounts of it. They do not specify three choices, which are our own. What is averaged is x
 * Wm. The mean of the current segment runs up to t, for causality. Wu is initialized like all other weights.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { shift } from "../tensor/arithmetic.ts";
import type { DiagonalPlusRankOne } from "../tensor/dplr.ts";
import { dplrFrom } from "../tensor/dplr.ts";
import { toFloat } from "../tensor/embedding.ts";
import {
  add,
  concat,
  cumulativeSum,
  divide,
  expand,
  full,
  linear,
  matmul,
  mean,
  multiply,
  node,
  oneHot,
  pad,
  reshape,
  scale,
  scan,
  slice,
  softmax,
  split,
  sum,
  type Tensor,
  transpose,
} from "../tensor/index.ts";
import { NEVER } from "../tensor/packed-sequences.ts";
import { largestOnes } from "../tensor/top-k.ts";
import { headsField } from "./config-fields.ts";
import { deltanet } from "./deltanet.ts";
import { gatedDeltanet } from "./gated-deltanet.ts";
import { gla } from "./gla.ts";
import { unseenFrom } from "./kv-cache.ts";
import { normal, tapAll } from "./layers.ts";
import { asRow, writeDplr } from "./matrix-memory.ts";
import { type AnyMixer, defineModel } from "./model.ts";

const bases = { gla, deltanet, "gated-deltanet": gatedDeltanet };

const config = z.strictObject({
  base: z
    .enum(["gla", "deltanet", "gated-deltanet"])
    .default("deltanet")
    .describe("Layer whose memory is stored"),
  segment: z.int().positive().default(16).describe("Tokens C per segment"),
  mode: z
    .enum(["gated", "residual", "sparse"])
    .default("gated")
    .describe("How a token reads the stored memories"),
  chosen: z.int().positive().default(2).describe("Ended segments that a token reads with `mode: sparse`"),
  writing: z
    .enum(["checkpoint", "independent"])
    .default("checkpoint")
    .describe("Whether the memory continues across segments (checkpoint) or is reset in each"),
  longest: z
    .int()
    .positive()
    .max(65_536)
    .default(1024)
    .describe("Largest number of tokens, which determines the size of the state"),
  heads: headsField(2),
  convolution: z
    .int()
    .min(0)
    .optional()
    .describe("Taps of the short convolution of the base, by default its own"),
  betaMax: z
    .union([z.literal(1), z.literal(2)])
    .optional()
    .describe("Upper bound of b of the base, by default its own"),
  decay: z.boolean().optional().describe("Whether the memory of the base decays, by default its own"),
});
type Config = z.infer<typeof config>;

/** Steps solved together; segments are cut into chunks of at most this length. */
const LONGEST_CHUNK = 32;

/** The base and its configuration. Errors: LabError for a field that it does not have. */
function baseOf({ base, heads, convolution, betaMax, decay }: Config) {
  const mixer: AnyMixer = bases[base];
  const fields = Object.entries({ heads, convolution, betaMax, decay }).filter(
    ([, each]) => each !== undefined,
  );
  const own = parseWith<unknown>(mixer.config, Object.fromEntries(fields), `model (base: ${base})`);
  return { mixer, memory: mixer.memory!, own }; // all of them declare one
}

/** Maximum number of segments. */
const slotsOf = ({ segment, longest }: Config) => Math.ceil(longest / segment);

/** Wu and Wm; none in mode `residual`. */
type Parameters = { readonly segmentQuery?: Tensor; readonly segmentKey?: Tensor };

export const cached = defineModel({
  name: "cached",
  summary: "memory caching: stored memories of a recurrent layer are read again",
  source: "arXiv:2602.24281",
  config,

  traits(config: Config) {
    const { mixer, own } = baseOf(config);
    return mixer.traits?.(own) ?? {};
  },

  init(config: Config, width, rng, place) {
    const { mixer, own } = baseOf(config);
    return {
      ...(mixer.init(own, width, rng, place) as Record<string, never>),
      ...(config.mode !== "residual" && {
        segmentQuery: normal(rng.fork("segmentQuery"), [width, width]),
        segmentKey: normal(rng.fork("segmentKey"), [width, width]),
      }),
    };
  },

  apply(p, x, config, context) {
    const { memory, own } = baseOf(config);
    const { segment, writing, longest, heads } = config;
    const [batch, length, width] = x.shape;
    if (length > longest) fail("cached", `texts of at most ${longest} tokens (longest)`, length);
    const { given, tapped } = memory.give(p, x, own, {});
    tapAll(context.taps, tapped);
    const count = Math.ceil(length / segment);
    const padded = (y: Tensor) => pad(y, 1, 0, count * segment - length);
    const [dk, dv] = [given.k.shape[3], given.v.shape[3]];
    const segments = inSegments(given, padded, writing === "independent" ? count : 1);
    const start = full(x.graph, [segments.k.shape[0], heads, dk, dv], 0);
    const chunk = chunkOf(segment);
    const { o, S, before } = dplrFrom(start, segments, { chunk });
    const online = slice(reshape(o, [batch, count * segment, heads, dv]), 1, 0, length); // [B, T, h, dv]
    // At the end of each segment, [B, N, h, dk, dv]; the last one is not read.
    const ends =
      writing === "independent"
        ? reshape(S, [batch, count, heads, dk, dv])
        : endsOf(before, S, segment / chunk);
    const { past, now } = sharesOf(p as Parameters, x, padded, config); // [B, T, N], [B, T, 1]
    context.taps("share", placed(past, now, config));
    const fresh = multiply(online, reshape(now, [batch, length, 1, 1]));
    const memories = reshape(transpose(ends, [0, 2, 1, 3, 4]), [batch, heads, count * dk, dv]);
    const read = add(fresh, readAgain(given.q, past, memories));
    return reshape(memory.finish(p, x, read, context), [batch, length, width]);
  },

  state(config, width, length) {
    const { longest } = config;
    if (length > longest) fail("cached", `texts of at most ${longest} tokens (longest)`, length);
    const { mixer, own } = baseOf(config);
    const { S, ...rest } = mixer.state(own, width, length);
    const slots = slotsOf(config);
    return {
      ...{ S, cache: [slots, ...S] },
      ...(config.mode !== "residual" && { means: [slots, width], total: [width] }),
      ...rest,
    };
  },

  step(p, x, state, config, context) {
    const { memory, own } = baseOf(config);
    const { segment, writing } = config;
    const [batch, width] = x.shape;
    const { S: memoryBefore, cache, means, total, ...past } = state;
    const token = reshape(x, [batch, 1, width]);
    const { given, tapped, kept } = memory.give(p, token, own, past);
    tapAll(context.taps, tapped);
    const counted = (op: "Div" | "Mod") =>
      node(op, [context.position, x.graph.constant(Int32Array.of(segment), [1])], {
        shape: [batch],
        dtype: "int32",
      });
    const [at, within] = [counted("Div"), toFloat(counted("Mod"))]; // index of the segment, and position within it
    const goesOn = toFloat(node("Greater", [within, x.graph.scalar(0)], { shape: [batch], dtype: "bool" }));
    const each = (y: Tensor, rank: number) => reshape(y, [batch, ...new Array<number>(rank - 1).fill(1)]);
    const from = writing === "independent" ? multiply(memoryBefore, each(goesOn, 4)) : memoryBefore;
    const S = writeDplr(from, withoutTime(given));
    const slots = slotsOf(config);
    const here = oneHot(at, slots);
    // Every step overwrites its segment's memory; the last one remains.
    const put = (held: Tensor, value: Tensor) => {
      const slot = reshape(here, [batch, slots, ...value.shape.slice(1).map(() => 1)]);
      const one = reshape(value, [batch, 1, ...value.shape.slice(1)]);
      return add(multiply(held, shift(scale(slot, -1), 1)), multiply(one, slot));
    };
    const unseen = reshape(unseenFrom(at, slots), [batch, slots]);
    const { segmentQuery, segmentKey } = p as Parameters;
    let shares = evenly(unseen); // [B, slots], [B, 1]
    let marks = {};
    if (segmentQuery !== undefined && segmentKey !== undefined) {
      const summed = add(multiply(total, each(goesOn, 2)), linear(x, segmentKey));
      const current = divide(summed, shift(each(within, 2), 1));
      const query = linear(x, segmentQuery);
      const products = matmul(reshape(query, [batch, 1, width]), means, { transposeY: true });
      const scoreNow = sum(multiply(query, current), { axes: [-1], keep: true });
      shares = weighed(reshape(products, [batch, slots]), unseen, scoreNow, config);
      marks = { means: put(means, current), total: summed };
    }
    const share = add(shares.past, multiply(here, shares.now));
    context.taps("share", reshape(share, [batch, 1, slots]));
    const mixed = sum(multiply(cache, reshape(shares.past, [batch, slots, 1, 1, 1])), { axes: [1] });
    const soup = add(mixed, multiply(S, each(shares.now, 4)));
    const q = reshape(given.q, [batch, config.heads, -1]);
    const read = transpose(matmul(asRow(q), soup), [0, 2, 1, 3]); // [B, 1, h, dv]
    const y = reshape(memory.finish(p, token, read, context), x.shape);
    return { y, state: { S, cache: put(cache, S), ...marks, ...kept } };
  },
  unpacked: "Its segments are counted from the start of a row.",
});

/**
 * The memories before chunks [N n, B, h, dk, dv], n chunks per segment, and the last one [B, h, dk, dv] -> those after segments, [B,
 * N, h, dk, dv].
 */
function endsOf(before: Tensor, last: Tensor, each: number): Tensor {
  const [chunks, ...shape] = before.shape;
  const count = chunks / each;
  const starts = slice(reshape(before, [count, each, ...shape]), 1, 0, 1); // [N, 1, B, h, dk, dv]
  const behind = concat([reshape(starts, [count, ...shape]), reshape(last, [1, ...shape])], 0);
  return transpose(slice(behind, 0, 1, count + 1), [1, 0, 2, 3, 4]);
}

/** The largest chunk that divides a segment evenly. */
function chunkOf(segment: number): number {
  for (let chunk = Math.min(segment, LONGEST_CHUNK); ; chunk--) if (segment % chunk === 0) return chunk;
}

/** [B, T, h, ...] -> whole segments [B count, T / count, h, ...]. */
function inSegments(
  given: DiagonalPlusRankOne,
  padded: (y: Tensor) => Tensor,
  count: number,
): DiagonalPlusRankOne {
  const cut = (y: Tensor) => {
    const whole = padded(y);
    const [batch, length, ...rest] = whole.shape;
    return reshape(whole, [batch * count, length / count, ...rest]);
  };
  return mapped(given, cut);
}

/** [B, 1, h, ...] -> [B, h, ...]. */
function withoutTime(given: DiagonalPlusRankOne): DiagonalPlusRankOne {
  return mapped(given, (y) => reshape(y, [y.shape[0], ...y.shape.slice(2)]));
}

function mapped(
  { q, k, v, logDecay, removal }: DiagonalPlusRankOne,
  change: (y: Tensor) => Tensor,
): DiagonalPlusRankOne {
  return {
    q: change(q),
    k: change(k),
    v: change(v),
    logDecay: change(logDecay),
    ...(removal && { removal: { read: change(removal.read), write: change(removal.write) } }),
  };
}

/** Up to this length reading keeps its intermediate values for the gradient; for longer texts blocks are recomputed. */
const KEPT = 1024;
const BLOCK = 64;

/** q [B, T, h, dk], shares [B, T, M] and memories [B, h, M dk, dv] -> [B, T, h, dv]. */
export function readAgain(q: Tensor, shares: Tensor, memories: Tensor, kept = KEPT): Tensor {
  const length = q.shape[1];
  if (length <= kept) return readAtOnce(q, shares, memories);
  const blocks = [q, shares].map((y) => {
    const [batch, , ...rest] = y.shape;
    const count = Math.ceil(length / BLOCK);
    const cut = reshape(pad(y, 1, 0, count * BLOCK - length), [batch, count, BLOCK, ...rest]);
    return transpose(cut, [1, 0, 2, ...rest.map((_, i) => 3 + i)]); // [N, B, C, ...]
  });
  const { outputs } = scan(
    blocks,
    [],
    (_, [some, own]) => ({ states: [], outputs: [readAtOnce(some, own, memories)] }),
    { recompute: true },
  );
  const [count, batch, , heads, dv] = outputs[0].shape;
  const all = reshape(transpose(outputs[0], [1, 0, 2, 3, 4]), [batch, count * BLOCK, heads, dv]);
  return slice(all, 1, 0, length);
}

function readAtOnce(q: Tensor, shares: Tensor, memories: Tensor): Tensor {
  const [batch, length, heads, dk] = q.shape;
  const count = shares.shape[2];
  const weighedQuery = multiply(
    reshape(transpose(q, [0, 2, 1, 3]), [batch, heads, length, 1, dk]),
    reshape(shares, [batch, 1, length, count, 1]),
  );
  const read = matmul(reshape(weighedQuery, [batch, heads, length, count * dk]), memories); // [B, h, T, dv]
  return transpose(read, [0, 2, 1, 3]);
}

/** The weight of each ended segment and of the current one, [B, T, N] and [B, T, 1]. */
function sharesOf(
  { segmentQuery, segmentKey }: Parameters,
  x: Tensor,
  padded: (y: Tensor) => Tensor,
  config: Config,
) {
  const { segment } = config;
  const [batch, length, width] = x.shape;
  const count = Math.ceil(length / segment);
  const unseen = x.graph.constant(
    Float32Array.from({ length: length * count }, (_, n) =>
      n % count < Math.floor(Math.floor(n / count) / segment) ? 0 : NEVER,
    ),
    [1, length, count],
  );
  if (segmentQuery === undefined || segmentKey === undefined)
    return evenly(expand(unseen, [batch, length, count]));
  const query = linear(x, segmentQuery); // [B, T, d]
  const keys = reshape(padded(linear(x, segmentKey)), [batch, count, segment, width]);
  const counts = x.graph.constant(
    Float32Array.from({ length: segment }, (_, i) => 1 / (i + 1)),
    [segment, 1],
  );
  const running = reshape(multiply(cumulativeSum(keys, 2), counts), [batch, count * segment, width]);
  const scoreNow = sum(multiply(query, slice(running, 1, 0, length)), { axes: [-1], keep: true });
  const means = mean(keys, { axes: [2] }); // [B, N, d]
  return weighed(matmul(query, means, { transposeY: true }), unseen, scoreNow, config);
}

/** 1 for each ended segment, and for the current one. */
function evenly(unseen: Tensor) {
  const now = full(unseen.graph, [...unseen.shape.slice(0, -1), 1], 1);
  return { past: shift(scale(unseen, -1 / NEVER), 1), now };
}

/** Scores of ended segments [..., M], `unseen` NEVER for others, and of the current segment [..., 1]. */
function weighed(products: Tensor, unseen: Tensor, scoreNow: Tensor, { mode, chosen }: Config) {
  const count = products.shape.at(-1)!;
  const masked = add(products, unseen);
  const left =
    mode === "sparse"
      ? add(masked, scale(shift(largestOnes(masked, Math.min(chosen, count)), -1), -NEVER))
      : masked;
  const [past, now] = split(softmax(concat([left, scoreNow], -1)), -1, [count, 1]);
  return { past, now };
}

/** The weight of each segment, including the current one, [B, T, slots]. */
function placed(past: Tensor, now: Tensor, config: Config): Tensor {
  const slots = slotsOf(config);
  const [, length] = now.shape;
  const own = now.graph.constant(
    Float32Array.from({ length: length * slots }, (_, n) =>
      Number(n % slots === Math.floor(Math.floor(n / slots) / config.segment)),
    ),
    [length, slots],
  );
  return add(multiply(now, own), pad(past, 2, 0, slots - past.shape[2]));
}

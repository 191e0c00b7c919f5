/**
 * @file Transformer: causal softmax attention with rotary positions, as in Llama.
 *
 *     q, k, v = x Wqkv (+ c), or with `convolution` silu(conv(x Wqkv (+ c)))      h heads of q, `keyValueHeads` of k and v
 *     q, k: RMSNorm over each head, or over all heads together (`queryKeyNorm`)
 *     q_t, k_t: channels i and i + dk/2 of each head are rotated by the angle t base^(-2i/dk) (`rotaryScaling`: other frequencies),
 *     except in layers without positions (`rotary`)
 *     o_t = sum_{s <= t} softmax_s(q_t' k_s / sqrt(dk)) v_s;   y_t = o_t Wout
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *
 * With fewer heads of k and v, h / keyValueHeads consecutive heads of q share one. Source: Vaswani et al. 2017, arXiv:1706.03762; Touvron
 * et al. 2023, arXiv:2302.13971; grouped heads: Ainslie et al. 2023, arXiv:2305.13245; norm of all heads: OLMo 2, arXiv:2501.00656;
 * no positions: Kazemnejad et al. 2023, arXiv:2305.19466.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import {
  add,
  causalAttention,
  concat,
  embedding,
  expand,
  linear,
  type Parameter,
  reshape,
  rotary,
  scale,
  sessionPlaces,
  sessionStarts,
  silu,
  split,
  type Tensor,
} from "../tensor/index.ts";
import { type Angles, rotaryAngles, rotaryAt } from "../tensor/rotary.ts";
import { convolutionField, headsField } from "./config-fields.ts";
import { attendBehind, exchange, stepByExtension } from "./kv-cache.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  headWidth,
  normal,
  readOut,
  splitHeads,
  tapAll,
} from "./layers.ts";
import { type Context, defineModel, type ExtendContext, READOUT, type State } from "./model.ts";
import { RotaryScaling, rotaryMagnitude, scaledFrequency } from "./rotary-scaling.ts";

const config = z.strictObject({
  heads: headsField(2),
  keyValueHeads: z
    .int()
    .positive()
    .optional()
    .describe("Number of heads of keys and values, by default that of queries"),
  headWidth: z.int().positive().optional().describe("Width of a head, by default d / heads"),
  bias: z.boolean().optional().describe("Whether queries, keys and values have a bias, by default none"),
  queryKeyNorm: z
    .enum(["head", "width"])
    .optional()
    .describe("RMSNorm of queries and keys: of each head or over all heads, by default none"),
  convolution: convolutionField(0),
  rotaryBase: z.number().positive().default(10_000).describe("Base of the rotary frequencies"),
  rotaryScaling: RotaryScaling.optional().describe(
    "Scaling of the rotary frequencies for longer contexts: linear, llama3, yarn or dynamic, by default none",
  ),
  rotary: z
    .array(z.boolean())
    .min(1)
    .optional()
    .describe(
      "Whether each layer of the model has rotary positions (false: NoPE), repeated up to the last layer, by default all",
    ),
});
type Config = z.infer<typeof config>;

export const transformer = defineModel({
  name: "transformer",
  summary: "causal softmax attention with rotary positions (Llama block)",
  source: "arXiv:2302.13971",
  config,
  offers: [READOUT],

  traits: () => ({ recurrence: "none", attention: true }),

  inLayer: (config: Config, layer) =>
    config.rotary === undefined
      ? config
      : { ...config, rotary: [config.rotary[layer % config.rotary.length]] },

  init(config: Config, width, rng) {
    const sizes = sizesOf(config, width);
    const { all, perHead, heads, keyHeads } = sizes;
    if (perHead % 2 !== 0) fail("transformer", "heads of even width", perHead);
    if (heads % keyHeads !== 0) fail("transformer", `keyValueHeads that divide ${heads} heads`, keyHeads);
    return {
      qkv: normal(rng.fork("qkv"), [width, all]),
      ...constants(config, sizes),
      ...convolutionParameter(rng, config.convolution, all),
      out: normal(rng.fork("out"), [heads * perHead, width]),
    };
  },

  apply(p, x, config, context) {
    const { taps, intervene, offer, fresh } = context;
    const [, length, width] = x.shape;
    const sizes = sizesOf(config, width);
    const { heads, keyHeads, perHead } = sizes;
    const { y: convolved } = convolutionOver(projected(p, x), p.convolution, undefined, fresh);
    const [q, k, v] = split(mixedHeads(p, convolved, sizes, context), 1, [heads, keyHeads, keyHeads]);
    const starts = fresh && sessionStarts(fresh);
    const table = (factor: number) => {
      const angles = angleTable(x, length, perHead, config, factor);
      return starts === undefined ? angles : atPlaces(angles, sessionPlaces(starts));
    };
    const turns = hasPositions(config);
    // Rotation is linear: a factor on cos and sin scales q in the same pass.
    const query = turns ? rotary(q, table(perHead ** -0.5)) : scale(q, perHead ** -0.5);
    const [key, value] = [turns ? rotary(k, table(1)) : k, v].map((each) => forEachHead(each, heads)); // [B, h, T, dk]
    tapAll(taps, { query: exchange(query), key: exchange(key), value: exchange(value) });
    const read = readOut(exchange(causalAttention(query, key, value, { starts })), { intervene, offer }); // [B, T, h dk]
    return linear(read, p.out);
  },

  state(config, width, length) {
    const { all, perHead, keyHeads } = sizesOf(config, width);
    const cache = [keyHeads, length, perHead];
    return { keys: cache, values: cache, ...convolutionPast(config.convolution, all) };
  },

  step: stepByExtension(extend),

  extend,
  packs: true,
});

type Parameters = {
  readonly qkv: Tensor;
  readonly bias?: Tensor;
  readonly convolution?: Tensor;
  readonly queryNorm?: Tensor;
  readonly keyNorm?: Tensor;
  readonly out: Tensor;
};

/** `all`: columns of Wqkv. */
type Sizes = ReturnType<typeof sizesOf>;
function sizesOf({ heads, keyValueHeads: keyHeads = heads, headWidth: own }: Config, width: number) {
  const perHead = own ?? headWidth(width, heads);
  return { heads, keyHeads, perHead, all: (heads + 2 * keyHeads) * perHead };
}

/** In one layer, whose `rotary` has one value. */
const hasPositions = ({ rotary: [rotates] = [true] }: Config): boolean => rotates;

/** The bias, and the scales of the norms. */
function constants(
  { bias, queryKeyNorm: over }: Config,
  { all, perHead, heads, keyHeads }: Sizes,
): { bias?: Parameter; queryNorm?: Parameter; keyNorm?: Parameter } {
  const scale = (count: number) => constantParameter([over === "head" ? perHead : count * perHead], 1);
  return {
    ...(bias && { bias: constantParameter([all], 0) }),
    ...(over && { queryNorm: scale(heads), keyNorm: scale(keyHeads) }),
  };
}

function projected({ qkv, bias }: Parameters, x: Tensor): Tensor {
  const y = linear(x, qkv); // [B, T, (h + 2 hk) dk]
  return bias === undefined ? y : add(y, bias);
}

/** The convolution's output -> q, k [B, h + hk, T, dk] before the rotation, v [B, hk, T, dk]. */
function mixedHeads(p: Parameters, convolved: Tensor, sizes: Sizes, { norm }: Pick<Context, "norm">) {
  const { heads, keyHeads, perHead } = sizes;
  let mixed = p.convolution ? silu(convolved) : convolved;
  if (p.queryNorm !== undefined && p.keyNorm !== undefined) {
    const [q, k, v] = split(
      mixed,
      -1,
      [heads, keyHeads, keyHeads].map((count) => count * perHead),
    );
    mixed = concat([normInParts(q, p.queryNorm, norm), normInParts(k, p.keyNorm, norm), v], -1);
  }
  return exchange(splitHeads(mixed, heads + 2 * keyHeads));
}

/** The norm of consecutive parts of x [B, T, n s], with one scale [s]. */
function normInParts(x: Tensor, scale: Tensor, norm: Context["norm"]): Tensor {
  return reshape(norm(reshape(x, [...x.shape.slice(0, -1), -1, scale.shape[0]]), scale), x.shape);
}

/** [B, hk, T, dk] -> [B, h, T, dk]: each head's key or value. */
function forEachHead(x: Tensor, heads: number): Tensor {
  const [batch, own, length, width] = x.shape;
  const repeated = expand(reshape(x, [batch, own, 1, length, width]), [
    batch,
    own,
    heads / own,
    length,
    width,
  ]);
  return own === heads ? x : reshape(repeated, [batch, heads, length, width]);
}

/** Implements `Mixer.extend`: the tokens attend to the cached rows and, causally, to each other. */
function extend(p: Parameters, x: Tensor, state: State, config: Config, context: ExtendContext) {
  const { taps, intervene, offer, position, unseen, bound } = context;
  const sizes = sizesOf(config, x.shape[2]);
  const { heads, keyHeads, perHead } = sizes;
  const { y: convolved, kept } = convolutionOver(projected(p, x), p.convolution, state.past);
  const mixed = mixedHeads(p, convolved, sizes, context);
  const [queryAndKey, v] = split(mixed, 1, [heads + keyHeads, keyHeads]);
  const placed = hasPositions(config)
    ? rotaryAt(queryAndKey, angleTable(x, bound, perHead, config), position)
    : queryAndKey;
  const [turned, key] = split(placed, 1, [heads, keyHeads]);
  const query = scale(turned, perHead ** -0.5);
  const forAll = (part: Tensor) => exchange(forEachHead(part, heads));
  tapAll(taps, { query: exchange(query), key: forAll(key), value: forAll(v) });
  const read = attendBehind({ query, key, value: v }, state, unseen);
  const y = linear(readOut(exchange(read), { intervene, offer }), p.out); // [B, T, d]
  return { y, rows: { keys: key, values: v }, state: kept };
}

/** Rows of the table at each token's position, int32 [B, T]: [B, 1, T, width / 2]. */
function atPlaces({ cos, sin }: Angles, places: Tensor): Angles {
  const [batch, length] = places.shape;
  const rows = (table: Tensor) => reshape(embedding(table, places), [batch, 1, length, -1]);
  return { cos: rows(cos), sin: rows(sin) };
}

/** cos and sin [length, width / 2] of rotary positions, both times `factor` and the scaling's magnitude. */
function angleTable(
  x: Tensor,
  length: number,
  width: number,
  { rotaryBase, rotaryScaling }: Pick<Config, "rotaryBase" | "rotaryScaling">,
  factor = 1,
): Angles {
  const scaled = scaledFrequency(rotaryScaling, width, rotaryBase);
  const { cos, sin } = rotaryAngles(length, width, rotaryBase, scaled);
  const whole = factor * rotaryMagnitude(rotaryScaling);
  const table = (angles: Float32Array) =>
    x.graph.constant(
      angles.map((each) => whole * each),
      [length, width / 2],
    );
  return { cos: table(cos), sin: table(sin) };
}

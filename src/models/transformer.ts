/**
 * @file Transformer: causal softmax attention with rotary positions, as in Llama.
 *
 *     q, k, v = x Wqkv, or with `convolution` silu(conv(x Wqkv))
 *     q_t, k_t: channels i and i + dk/2 of each head are rotated by the angle t base^(-2i/dk) (`rotaryScaling`: other frequencies)
 *     o_t = sum_{s <= t} softmax_s(q_t' k_s / sqrt(dk)) v_s;   y_t = o_t Wout
 *     conv(x)_t = sum_j w_j o x_{t-K+1+j}, j = 0 .. K-1    one filter of K taps a channel
 *
 * Source: Vaswani et al. 2017, arXiv:1706.03762; Touvron et al. 2023, arXiv:2302.13971.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import {
  causalAttention,
  embedding,
  linear,
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
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  headWidth,
  normal,
  readOut,
  splitHeads,
  tapAll,
} from "./layers.ts";
import { defineModel, type ExtendContext, READOUT, type State } from "./model.ts";

/*
 * Rotary frequencies for contexts longer than the original training context.
 *
 *     linear    f' = f / factor
 *     llama3    w = original 2 pi / f, the turns in the original length:   f' = f / factor            w < low
 *                                                                          f' = f                     w > high
 *               between them f' = (1 - s) f / factor + s f,   s = (w - low) / (high - low)
 *
 * Here w counts the turns that a frequency makes in the original length: f original / 2 pi.
 * Source: linear: Chen et al. 2023, arXiv:2306.15595; llama3: Grattafiori et al. 2024, arXiv:2407.21783, as Hugging Face computes it.
 */

const RotaryScaling = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("linear"), factor: z.number().positive() }),
  z.strictObject({
    kind: z.literal("llama3"),
    factor: z.number().positive(),
    /** Frequencies with fewer turns are slowed down by the whole factor. */
    low: z.number().positive(),
    /** Frequencies with more turns stay unchanged. */
    high: z.number().positive(),
    /** Tokens of the original training context. */
    original: z.int().positive(),
  }),
]);
type RotaryScaling = z.infer<typeof RotaryScaling>;

/** A scaled frequency, in radians per position. */
function scaledFrequency(frequency: number, scaling: RotaryScaling | undefined): number {
  if (scaling === undefined) return frequency;
  const slowed = frequency / scaling.factor;
  if (scaling.kind === "linear") return slowed;
  const { low, high, original } = scaling;
  const turns = (original * frequency) / (2 * Math.PI);
  const kept = Math.min(1, Math.max(0, (turns - low) / (high - low)));
  return (1 - kept) * slowed + kept * frequency;
}

const config = z.strictObject({
  heads: headsField(2),
  convolution: convolutionField(0),
  rotaryBase: z.number().positive().default(10_000).describe("Base of the rotary frequencies"),
  rotaryScaling: RotaryScaling.optional().describe(
    "Scaling of the rotary frequencies for longer contexts, by default none",
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

  init({ heads, convolution }: Config, width, rng) {
    if (headWidth(width, heads) % 2 !== 0) fail("transformer", "heads of even width", width / heads);
    return {
      qkv: normal(rng.fork("qkv"), [width, 3 * width]),
      ...convolutionParameter(rng, convolution, 3 * width),
      out: normal(rng.fork("out"), [width, width]),
    };
  },

  apply(p, x, config, { taps, intervene, offer, fresh }) {
    const { heads } = config;
    const [, length, width] = x.shape;
    const projected = linear(x, p.qkv); // [B, T, 3d]
    const { y: convolved } = convolutionOver(projected, p.convolution, undefined, fresh);
    const mixed = p.convolution ? silu(convolved) : projected;
    const [q, k, v] = split(exchange(splitHeads(mixed, 3 * heads)), 1, [heads, heads, heads]); // [B, h, T, dk]
    const starts = fresh && sessionStarts(fresh);
    const table = (factor: number) => {
      const angles = angleTable(x, length, width / heads, config, factor);
      return starts === undefined ? angles : atPlaces(angles, sessionPlaces(starts));
    };
    // Rotation is linear: a factor on cos and sin scales q in the same pass.
    const [query, key] = [rotary(q, table((width / heads) ** -0.5)), rotary(k, table(1))];
    tapAll(taps, { query: exchange(query), key: exchange(key), value: exchange(v) });
    const read = readOut(exchange(causalAttention(query, key, v, { starts })), { intervene, offer }); // [B, T, d]
    return linear(read, p.out);
  },

  state({ heads, convolution }, width, length) {
    const cache = [heads, length, width / heads];
    return { keys: cache, values: cache, ...convolutionPast(convolution, 3 * width) };
  },

  step: stepByExtension(extend),

  extend,
  packs: true,
});

type Parameters = { readonly qkv: Tensor; readonly convolution?: Tensor; readonly out: Tensor };

/** Implements `Mixer.extend`: the tokens attend to the cached rows and, causally, to each other. */
function extend(
  p: Parameters,
  x: Tensor,
  state: State,
  config: Config,
  { taps, intervene, offer, position, unseen, bound }: ExtendContext,
) {
  const { heads } = config;
  const [, , width] = x.shape;
  const { y: projected, kept } = convolutionOver(linear(x, p.qkv), p.convolution, state.past); // [B, T, 3d]
  const mixed = p.convolution ? silu(projected) : projected;
  const [queryAndKey, v] = split(exchange(splitHeads(mixed, 3 * heads)), 1, [2 * heads, heads]);
  const table = angleTable(x, bound, width / heads, config);
  const [turned, key] = split(rotaryAt(queryAndKey, table, position), 1, [heads, heads]);
  const query = scale(turned, (width / heads) ** -0.5);
  tapAll(taps, { query: exchange(query), key: exchange(key), value: exchange(v) });
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

/** cos and sin [length, width / 2] of rotary positions, both times `factor`. */
function angleTable(
  x: Tensor,
  length: number,
  width: number,
  { rotaryBase, rotaryScaling }: Pick<Config, "rotaryBase" | "rotaryScaling">,
  factor = 1,
): Angles {
  const { cos, sin } = rotaryAngles(length, width, rotaryBase, (frequency) =>
    scaledFrequency(frequency, rotaryScaling),
  );
  const table = (angles: Float32Array) =>
    x.graph.constant(
      angles.map((each) => factor * each),
      [length, width / 2],
    );
  return { cos: table(cos), sin: table(sin) };
}

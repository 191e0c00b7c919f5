/**
 * @file Llama of Hugging Face and the decoders that differ from it by a few settings: our `transformer`.
 *
 *     theirs      as decoder.ts; the mixer is self_attn
 *     mistral     Llama, without a window of attention
 *     qwen2       biases of q, k and v
 *     qwen3       norms of q and k in each head
 *     olmo2       norms of all heads of q and of k together; norms after a layer's parts
 *     smollm3     no_rope_layers: 0 for layers without positions
 *     rotary      rope_theta and rope_scaling, or transformers 5's rope_parameters: unscaled, linear, llama3, yarn or dynamic
 *     refused     windows of attention, rotary positions of some channels only, other biases
 *
 * Source: transformers (models/llama, mistral, qwen2, qwen3, olmo2, smollm3).
 */

import { formatList } from "../../core/format.ts";
import type { RotaryScaling } from "../rotary-scaling.ts";
import { transformer } from "../transformer.ts";
import {
  type Checks,
  defineFamily,
  type Family,
  type ForeignConfig,
  type Own,
  type StackNames,
} from "./family.ts";
import { linear, plain } from "./tensors.ts";

const names: StackNames = {
  ...{ embedding: "model.embed_tokens", norm: "model.norm", layers: "model.layers", mixer: "self_attn" },
  ...{ mixerNorm: "input_layernorm", feedForwardNorm: "post_attention_layernorm" },
};

const own = { bias: false, queryKeyNorm: undefined, convolution: 0 };

/** `others`: the fields of ours that tell these families apart. `rotaryBase`: of a checkpoint that does not name it. */
function llamaLike(
  name: string,
  others: object,
  fixed: Family["fixed"],
  { rotaryBase = 10_000, ...norms }: Partial<StackNames> & { readonly rotaryBase?: number } = {},
): Family {
  return defineFamily({
    architecture: `${name}ForCausalLM`,
    source: `github.com/huggingface/transformers, models/${name.toLowerCase()}`,
    ...{ mixer: transformer, names: { ...names, ...norms } },
    own: { ...own, rotary: undefined, ...others },
    fields: { num_attention_heads: "heads", rms_norm_eps: "normEpsilon" },
    fixed: { hidden_act: ["silu", "swish"], ...fixed },

    read(theirs, checks) {
      if (name === "Mistral") checks.must("sliding_window", null, "4096, the default");
      else if (fixed.use_sliding_window) void theirs.sliding_window; // without effect
      const { num_attention_heads: heads, hidden_size: width, layer_types: types } = theirs;
      const window = Array.isArray(types) && types.find((type) => type !== "full_attention");
      if (window) checks.refuse("layer_types", "full_attention in each layer", window);
      const keyHeads = theirs.num_key_value_heads ?? heads;
      const perHead = theirs.head_dim ?? Number(width) / Number(heads);
      return {
        ...(keyHeads !== heads && { keyValueHeads: keyHeads }),
        ...(perHead !== Number(width) / Number(heads) && { headWidth: perHead }),
        ...rotaryOf(theirs, checks, rotaryBase),
      };
    },

    write: (ours) => ({
      num_key_value_heads: ours.keyValueHeads ?? ours.heads,
      head_dim: ours.headWidth ?? ours.width / ours.heads,
      ...rotarySettings(ours),
    }),

    parts({ heads, width, keyValueHeads: keyHeads = heads, headWidth = width / heads }) {
      const widths = [heads, keyHeads, keyHeads].map((count) => count * headWidth);
      return {
        qkv: { ...linear("q_proj", "k_proj", "v_proj"), widths },
        bias: { ...plain("q_proj.bias", "k_proj.bias", "v_proj.bias"), widths },
        queryNorm: plain("q_norm.weight"),
        keyNorm: plain("k_norm.weight"),
        out: linear("o_proj"),
      };
    },
  });
}

export const llama = llamaLike("Llama", {}, { attention_bias: [false], mlp_bias: [false] });
export const mistral = llamaLike("Mistral", {}, {});
export const qwen2 = llamaLike("Qwen2", { bias: true }, { use_sliding_window: [false] });
export const qwen3 = llamaLike(
  "Qwen3",
  { queryKeyNorm: "head" },
  { use_sliding_window: [false], attention_bias: [false] },
);
export const olmo2 = llamaLike(
  "Olmo2",
  { queryKeyNorm: "width", normPosition: "after" },
  { attention_bias: [false] },
  { mixerNorm: "post_attention_layernorm", feedForwardNorm: "post_feedforward_layernorm" },
);

const everyLayerRotary = llamaLike(
  "SmolLM3",
  {},
  { use_sliding_window: [false], attention_bias: [false], mlp_bias: [false] },
  { rotaryBase: 2_000_000 },
);
/** Layers without positions: `rotary`. With positions in all layers it is Llama. */
export const smollm3: Family = {
  ...everyLayerRotary,
  own,

  read(theirs, checks) {
    const {
      no_rope_layers: used,
      num_hidden_layers: layers,
      no_rope_layer_interval: _withoutEffect,
    } = theirs;
    const isKnown =
      Array.isArray(used) && used.length === layers && used.every((each) => each === 0 || each === 1);
    if (!isKnown)
      return checks.refuse("no_rope_layers", `0 or 1 for each of ${layers} layers`, used ?? "none");
    return {
      ...everyLayerRotary.read(theirs, checks),
      ...(used.includes(0) && { rotary: used.map(Boolean) }),
    };
  },

  write(ours: Own<{ readonly rotary?: readonly boolean[] }>, at) {
    const { layers, rotary = [true] } = ours;
    const used = Array.from({ length: layers }, (_, layer) => Number(rotary[layer % rotary.length]));
    return { ...everyLayerRotary.write(ours as never, at), no_rope_layers: used };
  },
};

const original = { original_max_position_embeddings: "original" };

/** Their names of the numbers of each kind of scaling, and ours. */
const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: {},
  linear: { factor: "factor" },
  llama3: { factor: "factor", low_freq_factor: "low", high_freq_factor: "high", ...original },
  yarn: {
    ...{ factor: "factor", beta_fast: "fast", beta_slow: "slow", attention_factor: "attention" },
    ...original,
  },
  dynamic: { factor: "factor", ...original },
};
const optional = new Set(["beta_fast", "beta_slow", "attention_factor"]);

/** `rotaryBase` and `rotaryScaling` of ours. transformers before 5 has rope_theta and rope_scaling, later versions only rope_parameters. */
function rotaryOf(theirs: ForeignConfig, { refuse }: Checks, usualBase: number) {
  const key = theirs.rope_parameters ? "rope_parameters" : "rope_scaling";
  const said = (theirs[key] ?? {}) as ForeignConfig; // an object, or a kind that is refused below
  const kind = String(said.rope_type ?? said.type ?? "default");
  if (!Object.hasOwn(kinds, kind)) return refuse(key, `rope_type ${Object.keys(kinds).join(", ")}`, kind);
  const known = ["rope_type", "type", "rope_theta", ...Object.keys(kinds[kind])];
  for (const [name, value] of Object.entries(said))
    if (!known.includes(name) && value !== null) return refuse(`${key}.${name}`, formatList(known), value);
  const numbers = Object.entries(kinds[kind]).flatMap(([name, field]) => {
    const value = said[name] ?? (field === "original" ? theirs.max_position_embeddings : undefined);
    if (optional.has(name) && (value ?? null) === null) return [];
    if (typeof value !== "number" || !(value > 0))
      return refuse(`${key}.${name}`, "a positive number", value);
    return [[field, value]];
  });
  return {
    rotaryBase: Number(said.rope_theta ?? theirs.rope_theta ?? usualBase),
    ...(kind !== "default" && { rotaryScaling: { kind, ...Object.fromEntries(numbers) } }),
  };
}

type Rotary = { readonly rotaryBase: number; readonly rotaryScaling?: RotaryScaling | undefined };

/** The inverse of `rotaryOf`, with the names that transformers 4 and 5 both read. */
function rotarySettings({ rotaryBase, rotaryScaling: scaling }: Rotary): ForeignConfig {
  if (scaling === undefined) return { rope_theta: rotaryBase };
  const { kind } = scaling;
  const numbers = Object.entries(kinds[kind]).flatMap(([name, field]) => {
    const value = scaling[field as keyof typeof scaling];
    return value === undefined ? [] : [[name, value]];
  });
  const said = { rope_type: kind, ...Object.fromEntries(numbers) };
  if (kind !== "dynamic") return { rope_theta: rotaryBase, rope_scaling: said };
  // transformers reads its original length from max_position_embeddings.
  const { original_max_position_embeddings: length, ...others } = said;
  return { rope_theta: rotaryBase, rope_scaling: others, max_position_embeddings: length };
}

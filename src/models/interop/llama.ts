/**
 * @file Llama of Hugging Face: our `transformer`.
 *
 *     theirs      as decoder.ts; norms are input_layernorm and post_attention_layernorm, the mixer is self_attn
 *     rotary      rope_theta and rope_scaling, or transformers 5's rope_parameters: unscaled, linear or llama3
 *     refused     fewer key than query heads, other scalings of rotary positions, biases
 *
 * Source: transformers (models/llama).
 */

import { fail } from "../../core/error.ts";
import { formatList } from "../../core/format.ts";
import { decoderTensors, decoderWeights } from "./decoder.ts";
import { type Checks, defineFamily, type ForeignConfig, type OwnModel } from "./family.ts";

const names = {
  embedding: "embed_tokens",
  firstNorm: "input_layernorm",
  mixer: "self_attn",
  secondNorm: "post_attention_layernorm",
};

export const llama = defineFamily({
  name: "llama",
  modelTypes: ["llama"],
  source: "github.com/huggingface/transformers, models/llama",

  config(theirs, checks) {
    const { may } = checks;
    const heads = Number(theirs.num_attention_heads);
    may("hidden_act", ["silu", "swish"]);
    may("num_key_value_heads", [theirs.num_attention_heads]);
    may("head_dim", [Number(theirs.hidden_size) / heads]);
    may("attention_bias", [false]);
    may("mlp_bias", [false]);
    return {
      mixer: "transformer",
      ...{ heads, layers: Number(theirs.num_hidden_layers), epsilon: theirs.rms_norm_eps },
      own: rotaryOf(theirs, checks),
    };
  },

  weights: (theirs, read) => decoderWeights(theirs, read, names, () => ({})),

  write: {
    mixer: "transformer",
    architecture: "LlamaForCausalLM",
    config(ours, at) {
      const { heads, width, normEpsilon, convolution = 0 } = ours;
      if (convolution > 0) fail(`${at}, model.convolution`, "0, as Llama", convolution);
      return {
        ...{ num_attention_heads: heads, num_key_value_heads: heads, head_dim: width / heads },
        ...{ hidden_act: "silu", rms_norm_eps: normEpsilon, attention_bias: false, mlp_bias: false },
        ...rotarySettings(ours),
      };
    },
    tensors: ({ layers }, weights) => decoderTensors(weights, layers, names, () => ({})),
  },
});

/** The fields of each kind of scaling, other than `rope_theta` and its name. */
const kinds = {
  default: [],
  linear: ["factor"],
  llama3: ["factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"],
} as const;

/** `rotaryBase` and `rotaryScaling` of ours. transformers before 5 has rope_theta and rope_scaling, later versions only rope_parameters. */
function rotaryOf(theirs: ForeignConfig, { refuse }: Checks) {
  const key = theirs.rope_parameters ? "rope_parameters" : "rope_scaling";
  const said = (theirs[key] ?? {}) as ForeignConfig; // an object, or a kind that is refused below
  const kind = String(said.rope_type ?? said.type ?? "default");
  if (!Object.hasOwn(kinds, kind)) return refuse(key, `rope_type ${Object.keys(kinds).join(", ")}`, kind);
  const wanted: readonly string[] = kinds[kind as keyof typeof kinds];
  const known = ["rope_type", "type", "rope_theta", ...wanted];
  for (const [name, value] of Object.entries(said))
    if (!known.includes(name) && value !== null) return refuse(`${key}.${name}`, formatList(known), value);
  const numbers = wanted.map((name) => {
    const value = said[name];
    return typeof value === "number" && value > 0
      ? value
      : refuse(`${key}.${name}`, "a positive number", value);
  });
  const rotaryBase = Number(said.rope_theta ?? theirs.rope_theta ?? 10_000);
  const [factor, low, high, original] = numbers;
  if (kind === "default") return { rotaryBase };
  return {
    rotaryBase,
    rotaryScaling: kind === "linear" ? { kind, factor } : { kind, factor, low, high, original },
  };
}

/** The inverse of `rotaryOf`, with the names that transformers 4 and 5 both read. */
function rotarySettings({ rotaryBase, rotaryScaling: scaling }: OwnModel): ForeignConfig {
  if (scaling === undefined) return { rope_theta: rotaryBase };
  const { kind, factor, low, high, original } = scaling;
  const llama3 = { low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: original };
  const said = { rope_type: kind, factor, ...(kind === "llama3" && llama3) };
  return { rope_theta: rotaryBase, rope_scaling: said };
}

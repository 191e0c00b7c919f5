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
import { transformer } from "../transformer.ts";
import { type Checks, defineFamily, type ForeignConfig } from "./family.ts";
import { linear } from "./tensors.ts";

export const llama = defineFamily({
  architecture: "LlamaForCausalLM",
  source: "github.com/huggingface/transformers, models/llama",
  mixer: transformer,
  names: {
    ...{ embedding: "model.embed_tokens", norm: "model.norm", layers: "model.layers" },
    ...{ mixerNorm: "input_layernorm", mixer: "self_attn", feedForwardNorm: "post_attention_layernorm" },
  },
  fields: { num_attention_heads: "heads", rms_norm_eps: "normEpsilon" },
  fixed: { hidden_act: ["silu", "swish"], attention_bias: [false], mlp_bias: [false] },

  read(theirs, checks) {
    const heads = Number(theirs.num_attention_heads);
    checks.may("num_key_value_heads", [heads]);
    checks.may("head_dim", [Number(theirs.hidden_size) / heads]);
    return rotaryOf(theirs, checks);
  },

  write(ours, at) {
    const { heads, width, convolution } = ours;
    if (convolution > 0) fail(`${at}, model.convolution`, "0, as Llama", convolution);
    return { num_key_value_heads: heads, head_dim: width / heads, ...rotarySettings(ours) };
  },

  parts: () => ({ qkv: linear("q_proj", "k_proj", "v_proj"), out: linear("o_proj") }),
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
function rotarySettings({
  rotaryBase,
  rotaryScaling: scaling,
}: {
  readonly rotaryBase: number;
  readonly rotaryScaling?: Readonly<Record<string, unknown>> | undefined;
}): ForeignConfig {
  if (scaling === undefined) return { rope_theta: rotaryBase };
  const { kind, factor, low, high, original } = scaling;
  const llama3 = { low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: original };
  const said = { rope_type: kind, factor, ...(kind === "llama3" && llama3) };
  return { rope_theta: rotaryBase, rope_scaling: said };
}

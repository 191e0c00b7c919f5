/**
 * @file Llama of Hugging Face: our `transformer`.
 *
 *     theirs      as decoder.ts; norms are input_layernorm and post_attention_layernorm, the mixer is self_attn
 *     refused     fewer key than query heads, scaled rotary positions, biases
 *
 * Source: transformers (models/llama).
 */

import { decoderWeights } from "./decoder.ts";
import { defineFamily } from "./family.ts";

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
    const scaling = theirs.rope_scaling as { readonly rope_type?: unknown } | null | undefined;
    if (scaling?.rope_type !== "default") may("rope_scaling", []);
    return {
      mixer: "transformer",
      ...{ heads, layers: Number(theirs.num_hidden_layers), epsilon: theirs.rms_norm_eps },
      own: { rotaryBase: Number(theirs.rope_theta ?? 10_000) },
    };
  },

  weights: (theirs, read) => decoderWeights(theirs, read, names, () => ({})),
});

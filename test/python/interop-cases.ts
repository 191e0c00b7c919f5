/**
 * @file The models that interop.soak.ts exchanges with transformers and flash-linear-attention, one line a case. All have 2 layers and
 * width 32. For a new case: write its line, run INTEROP=write npm run soak -- test/python -t CLASS, then npm run docs.
 */

export interface InteropCase {
  /** Of transformers or flash-linear-attention. */
  readonly class: string;
  /** How it differs from the other cases of its class. */
  readonly what: string;
  /** A model of ours: it is exported, and the class loads it. */
  readonly model?: { readonly name: string; readonly [field: string]: unknown };
  /** Settings of the class, in addition to the sizes: it saves a checkpoint with random weights, and we load that. */
  readonly config?: object;
  /** Arguments of its `save_pretrained`, and the `dtype` of the weights. */
  readonly save?: object;
  /** A part of the sentence that refuses the checkpoint. */
  readonly refused?: string;
}

/** The result of a case: a row of interop.jsonl. */
export interface InteropRow extends Pick<InteropCase, "class" | "what"> {
  readonly way: "export" | "import";
  readonly package: string;
  readonly version: string;
  /** The name of our model. */
  readonly model?: string;
  /** The largest difference of the logits of 2 x 23 tokens. */
  readonly difference?: number;
  /** The sentence that refuses the checkpoint. */
  readonly refused?: string;
}

/** The rows of interop.jsonl. */
export const parseRows = (text: string): InteropRow[] =>
  text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as InteropRow])); // as interop.soak.ts writes them

export const wayOf = (each: InteropCase) => (each.model === undefined ? "import" : "export");

/** The row of a case. */
export const rowOf = (rows: readonly InteropRow[], each: InteropCase): InteropRow | undefined =>
  rows.find((row) => row.class === each.class && row.what === each.what && row.way === wayOf(each));

const llama = { num_attention_heads: 4 };
const yarn = { rope_type: "yarn", rope_theta: 500, factor: 4, original_max_position_embeddings: 16 };
const ours = { kind: "yarn", factor: 4, original: 16 };
const dynamic = { rope_type: "dynamic", rope_theta: 500, factor: 4 };
const grouped = { num_attention_heads: 4, num_key_value_heads: 2 };
const tokens = { pad_token_id: null, bos_token_id: null, eos_token_id: null };
const smollm = { ...grouped, ...tokens, tie_word_embeddings: false };
const recurrent = { state_size: 5, intermediate_size: undefined };
const delta = { num_heads: 4, expand_v: 1 };
const gated = { ...delta, head_dim: 8 };

// biome-ignore-start format: one line a case
export const interopCases: readonly InteropCase[] = [
  {
    class: "LlamaForCausalLM",
    what: "rotary base, epsilon",
    model: { name: "transformer", heads: 4, rotaryBase: 500, normEpsilon: 1e-3 },
  },
  { class: "LlamaForCausalLM", what: "float32", config: llama },
  { class: "LlamaForCausalLM", what: "bfloat16", config: llama, save: { dtype: "bfloat16" } },
  { class: "LlamaForCausalLM", what: "float16", config: llama, save: { dtype: "float16" } },
  { class: "LlamaForCausalLM", what: "in shards", config: llama, save: { max_shard_size: "10KB" } },
  { class: "LlamaForCausalLM", what: "tied embeddings", config: { ...llama, tie_word_embeddings: true } },
  { class: "LlamaForCausalLM", what: "grouped queries", config: { ...llama, num_key_value_heads: 2 } },
  { class: "LlamaForCausalLM", what: "wide heads", config: { ...llama, head_dim: 16 } },
  { class: "LlamaForCausalLM", what: "yarn", config: { ...llama, rope_parameters: yarn } },
  {
    class: "LlamaForCausalLM",
    what: "yarn, attention factor",
    config: { ...llama, rope_parameters: { ...yarn, beta_fast: 2, beta_slow: 0.5, attention_factor: 1.3 } },
  },
  {
    class: "LlamaForCausalLM",
    what: "dynamic scaling, original length",
    config: { ...llama, max_position_embeddings: 32, rope_parameters: dynamic },
  },
  {
    class: "LlamaForCausalLM",
    what: "grouped wide heads, yarn",
    model: { name: "transformer", heads: 4, keyValueHeads: 2, headWidth: 12, rotaryScaling: ours },
  },
  {
    class: "LlamaForCausalLM",
    what: "dynamic scaling, original length",
    model: { name: "transformer", rotaryScaling: { kind: "dynamic", factor: 4, original: 32 } },
  },
  {
    class: "LlamaForCausalLM",
    what: "half of the channels rotated",
    config: {
      ...llama,
      rope_parameters: { rope_type: "default", rope_theta: 500, partial_rotary_factor: 0.5 },
    },
    refused: "partial_rotary_factor",
  },
  {
    class: "LlamaForCausalLM",
    what: "biases",
    config: { ...llama, attention_bias: true },
    refused: "attention_bias",
  },

  { class: "MistralForCausalLM", what: "no window", config: { ...grouped, sliding_window: null } },
  { class: "MistralForCausalLM", what: "window", config: grouped, refused: "sliding_window" },
  { class: "Qwen2ForCausalLM", what: "biases", model: { name: "transformer", keyValueHeads: 1, bias: true } },
  {
    class: "Qwen2ForCausalLM",
    what: "float16, tied embeddings",
    config: { ...grouped, tie_word_embeddings: true },
    save: { dtype: "float16" },
  },
  {
    class: "Qwen3ForCausalLM",
    what: "norms in heads",
    model: { name: "transformer", headWidth: 10, queryKeyNorm: "head" },
  },
  { class: "Qwen3ForCausalLM", what: "wide heads", config: grouped },
  {
    class: "Olmo2ForCausalLM",
    what: "norms after",
    model: { name: "transformer", heads: 4, keyValueHeads: 2, queryKeyNorm: "width", normPosition: "after" },
  },
  { class: "Olmo2ForCausalLM", what: "float32", config: grouped },
  {
    class: "SmolLM3ForCausalLM",
    what: "no positions in any layer",
    model: { name: "transformer", heads: 4, rotary: [false] },
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "no positions in one layer, grouped wide heads, yarn",
    model: {
      ...{ name: "transformer", heads: 4, keyValueHeads: 2, headWidth: 12 },
      ...{ rotary: [true, false], rotaryScaling: ours },
    },
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "no positions in any layer",
    config: { ...smollm, no_rope_layers: [0, 0] },
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "no positions in one layer, tied embeddings",
    config: { ...smollm, no_rope_layers: [0, 1], tie_word_embeddings: true },
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "positions in all layers, bfloat16",
    config: { ...smollm, no_rope_layers: [1, 1] },
    save: { dtype: "bfloat16" },
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "window",
    config: { ...smollm, no_rope_layers: [1, 0], use_sliding_window: true, sliding_window: 8 },
    refused: "use_sliding_window",
  },
  {
    class: "SmolLM3ForCausalLM",
    what: "biases",
    config: { ...smollm, attention_bias: true },
    refused: "attention_bias",
  },
  {
    class: "GPTNeoXForCausalLM",
    what: "LayerNorm, parallel parts, biases",
    config: { num_attention_heads: 4 },
    refused: "model_type",
  },

  {
    class: "MambaForCausalLM",
    what: "convolution of 3",
    model: { name: "mamba", feedForward: 0, transition: "[0,1]", stateSize: 5, convolution: 3 },
  },
  { class: "MambaForCausalLM", what: "tied embeddings", config: recurrent },
  {
    class: "MambaForCausalLM",
    what: "expansion 3, own head",
    config: { ...recurrent, expand: 3, tie_word_embeddings: false },
  },
  {
    class: "MambaForCausalLM",
    what: "no bias of the convolution",
    config: { ...recurrent, use_conv_bias: false },
    refused: "use_conv_bias",
  },
  { class: "Mamba2ForCausalLM", what: "4 heads", model: { name: "mamba2", feedForward: 0, heads: 4 } },
  {
    class: "Mamba2ForCausalLM",
    what: "one group",
    config: { ...recurrent, num_heads: 8, head_dim: 8, n_groups: 1 },
  },
  {
    class: "Mamba2ForCausalLM",
    what: "8 groups",
    config: { ...recurrent, num_heads: 8, head_dim: 8, n_groups: 8 },
    refused: "n_groups",
  },

  { class: "DeltaNetForCausalLM", what: "beta up to 2", model: { name: "deltanet", heads: 4, betaMax: 2 } },
  {
    class: "DeltaNetForCausalLM",
    what: "beta up to 1, no convolution",
    model: { name: "deltanet", heads: 4, betaMax: 1, convolution: 0 },
  },
  { class: "DeltaNetForCausalLM", what: "float32", config: delta },
  {
    class: "DeltaNetForCausalLM",
    what: "bfloat16, no convolution",
    config: { ...delta, use_short_conv: false },
    save: { dtype: "bfloat16" },
  },
  { class: "DeltaNetForCausalLM", what: "output gate", config: { ...delta, use_gate: true } },
  {
    class: "DeltaNetForCausalLM",
    what: "output gate, narrow keys, wide values",
    model: { name: "deltanet", heads: 4, outputGate: true, expandK: 0.5, expandV: 1.5 },
  },
  {
    class: "DeltaNetForCausalLM",
    what: "sum norm of q and k",
    config: { ...delta, qk_norm: "sum" },
    refused: "qk_norm",
  },

  {
    class: "GatedDeltaNetForCausalLM",
    what: "beta up to 2",
    model: { name: "gated-deltanet", heads: 4, betaMax: 2 },
  },
  {
    class: "GatedDeltaNetForCausalLM",
    what: "two heads share q and k, wide values, convolution of 3",
    model: { name: "gated-deltanet", heads: 4, keyHeads: 2, expandV: 2, convolution: 3 },
  },
  {
    class: "GatedDeltaNetForCausalLM",
    what: "beta up to 2, in shards",
    config: { ...gated, allow_neg_eigval: true },
    save: { max_shard_size: "10KB" },
  },
  {
    class: "GatedDeltaNetForCausalLM",
    what: "values twice as wide as keys, no gate, bfloat16",
    config: { ...gated, expand_v: 2, use_gate: false },
    save: { dtype: "bfloat16" },
  },
  {
    class: "GatedDeltaNetForCausalLM",
    what: "grouped values, keys of 3/4 of the width",
    config: { num_heads: 2, num_v_heads: 4, head_dim: 12, expand_v: 2 },
  },
  {
    class: "GatedDeltaNetForCausalLM",
    what: "sigmoid gate",
    config: { ...gated, output_gate_activation: "sigmoid" },
    refused: "output_gate_activation",
  },

  {
    class: "GatedDeltaProductForCausalLM",
    what: "3 steps",
    model: { name: "deltaproduct", heads: 4, householders: 3 },
  },
  {
    class: "GatedDeltaProductForCausalLM",
    what: "decay, output gate, wide values",
    model: { name: "deltaproduct", heads: 2, decay: true, outputGate: true, expandV: 2 },
  },
  {
    class: "GatedDeltaProductForCausalLM",
    what: "fla's gates, values twice as wide",
    config: { ...gated, expand_v: 2, num_householder: 2, use_forget_gate: true, allow_neg_eigval: true },
  },

  { class: "KDAForCausalLM", what: "no gate bias", model: { name: "kda", heads: 4 } },
  {
    class: "KDAForCausalLM",
    what: "two heads share q and k, wide values, gate bias",
    model: { name: "kda", heads: 4, keyHeads: 2, expandV: 1.5, gateBias: true, betaMax: 1 },
  },
  { class: "KDAForCausalLM", what: "values twice as wide", config: { ...gated, expand_v: 2 } },
  {
    class: "KDAForCausalLM",
    what: "bounded decay",
    config: { ...gated, safe_gate: true, lower_bound: -5 },
    refused: "safe_gate",
  },

  { class: "GLAForCausalLM", what: "no convolution", model: { name: "gla", heads: 4 } },
  {
    class: "GLAForCausalLM",
    what: "no gate, convolution, narrow keys",
    model: { name: "gla", heads: 4, outputGate: false, convolution: 4, expandK: 0.5, expandV: 2 },
  },
  { class: "GLAForCausalLM", what: "fla's keys, half as wide", config: { num_heads: 4 } },
  {
    class: "GLAForCausalLM",
    what: "grouped keys and values",
    config: { num_heads: 4, num_kv_heads: 2 },
    refused: "num_kv_heads",
  },

  {
    class: "LinearAttentionForCausalLM",
    what: "narrow keys",
    model: { name: "gla", heads: 4, decay: false, outputGate: false, expandK: 0.5 },
  },
  {
    class: "LinearAttentionForCausalLM",
    what: "no feature map",
    config: { num_heads: 4, feature_map: "identity" },
  },
  {
    class: "LinearAttentionForCausalLM",
    what: "fla's feature map",
    config: { num_heads: 4 },
    refused: "feature_map",
  },

  { class: "ForgettingTransformerForCausalLM", what: "default", model: { name: "fox", heads: 4 } },
  {
    class: "ForgettingTransformerForCausalLM",
    what: "norms of q and k, output gate",
    model: { name: "fox", heads: 4, queryKeyNorm: true, outputGate: true },
  },
  {
    class: "ForgettingTransformerForCausalLM",
    what: "norms of q and k, output gate",
    config: { num_heads: 4, qk_norm: true, use_output_gate: true },
  },
  {
    class: "ForgettingTransformerForCausalLM",
    what: "grouped queries",
    config: { num_heads: 4, num_kv_heads: 2 },
    refused: "num_kv_heads",
  },

  { class: "PaTHAttentionForCausalLM", what: "default", model: { name: "path", heads: 2 } },
  {
    class: "PaTHAttentionForCausalLM",
    what: "forget gate, no convolution",
    model: { name: "path", heads: 2, forgetGate: true, convolution: 0 },
  },
  {
    class: "PaTHAttentionForCausalLM",
    what: "forget gate",
    config: { num_heads: 2, use_forget_gate: true },
  },
  {
    class: "PaTHAttentionForCausalLM",
    what: "w by one matrix",
    config: { num_heads: 2, use_low_rank_w: false },
    refused: "use_low_rank_w",
  },
];
// biome-ignore-end format: one line a case

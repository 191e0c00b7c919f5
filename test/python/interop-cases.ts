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
  {
    class: "LlamaForCausalLM",
    what: "grouped queries",
    config: { ...llama, num_key_value_heads: 2 },
    refused: "num_key_value_heads",
  },
  {
    class: "LlamaForCausalLM",
    what: "yarn",
    config: { ...llama, rope_parameters: yarn },
    refused: "rope_type",
  },
  { class: "LlamaForCausalLM", what: "wide heads", config: { ...llama, head_dim: 16 }, refused: "head_dim" },
  {
    class: "LlamaForCausalLM",
    what: "biases",
    config: { ...llama, attention_bias: true },
    refused: "attention_bias",
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
];
// biome-ignore-end format: one line a case

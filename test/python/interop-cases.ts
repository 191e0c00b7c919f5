/**
 * @file The models that interop.soak.ts exchanges with transformers and flash-linear-attention, one row a case. All have 2 layers and
 * width 32. For a new case: write its row, run INTEROP=write npm run soak -- test/python -t CLASS, then npm run docs.
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

/** How a case differs, our model or the settings of the class, and how it saves or a part of the refusal. */
type Row = readonly [what: string, given: object, more?: object | string];

const casesOf: Readonly<Record<string, readonly Row[]>> = {
  LlamaForCausalLM: [
    ["rotary base, epsilon", { name: "transformer", heads: 4, rotaryBase: 500, normEpsilon: 1e-3 }],
    ["float32", llama],
    ["bfloat16", llama, { dtype: "bfloat16" }],
    ["float16", llama, { dtype: "float16" }],
    ["in shards", llama, { max_shard_size: "10KB" }],
    ["tied embeddings", { ...llama, tie_word_embeddings: true }],
    ["grouped queries", { ...llama, num_key_value_heads: 2 }],
    ["wide heads", { ...llama, head_dim: 16 }],
    ["yarn", { ...llama, rope_parameters: yarn }],
    [
      "yarn, attention factor",
      { ...llama, rope_parameters: { ...yarn, beta_fast: 2, beta_slow: 0.5, attention_factor: 1.3 } },
    ],
    ["dynamic scaling, original length", { ...llama, max_position_embeddings: 32, rope_parameters: dynamic }],
    [
      "grouped wide heads, yarn",
      { name: "transformer", heads: 4, keyValueHeads: 2, headWidth: 12, rotaryScaling: ours },
    ],
    [
      "dynamic scaling, original length",
      { name: "transformer", rotaryScaling: { kind: "dynamic", factor: 4, original: 32 } },
    ],
    [
      "half of the channels rotated",
      { ...llama, rope_parameters: { rope_type: "default", rope_theta: 500, partial_rotary_factor: 0.5 } },
      "partial_rotary_factor",
    ],
    ["biases", { ...llama, attention_bias: true }, "attention_bias"],
  ],
  MistralForCausalLM: [
    ["no window", { ...grouped, sliding_window: null }],
    ["window", grouped, "sliding_window"],
  ],
  Qwen2ForCausalLM: [
    ["biases", { name: "transformer", keyValueHeads: 1, bias: true }],
    ["float16, tied embeddings", { ...grouped, tie_word_embeddings: true }, { dtype: "float16" }],
  ],
  Qwen3ForCausalLM: [
    ["norms in heads", { name: "transformer", headWidth: 10, queryKeyNorm: "head" }],
    ["wide heads", grouped],
  ],
  Olmo2ForCausalLM: [
    [
      "norms after",
      { name: "transformer", heads: 4, keyValueHeads: 2, queryKeyNorm: "width", normPosition: "after" },
    ],
    ["float32", grouped],
  ],
  SmolLM3ForCausalLM: [
    ["no positions in any layer", { name: "transformer", heads: 4, rotary: [false] }],
    [
      "no positions in one layer, grouped wide heads, yarn",
      {
        ...{ name: "transformer", heads: 4, keyValueHeads: 2, headWidth: 12 },
        ...{ rotary: [true, false], rotaryScaling: ours },
      },
    ],
    ["no positions in any layer", { ...smollm, no_rope_layers: [0, 0] }],
    [
      "no positions in one layer, tied embeddings",
      { ...smollm, no_rope_layers: [0, 1], tie_word_embeddings: true },
    ],
    ["positions in all layers, bfloat16", { ...smollm, no_rope_layers: [1, 1] }, { dtype: "bfloat16" }],
    [
      "window",
      { ...smollm, no_rope_layers: [1, 0], use_sliding_window: true, sliding_window: 8 },
      "use_sliding_window",
    ],
    ["biases", { ...smollm, attention_bias: true }, "attention_bias"],
  ],
  GPTNeoXForCausalLM: [["LayerNorm, parallel parts, biases", { num_attention_heads: 4 }, "model_type"]],
  MambaForCausalLM: [
    [
      "convolution of 3",
      { name: "mamba", feedForward: 0, transition: "[0,1]", stateSize: 5, convolution: 3 },
    ],
    ["tied embeddings", recurrent],
    ["expansion 3, own head", { ...recurrent, expand: 3, tie_word_embeddings: false }],
    ["no bias of the convolution", { ...recurrent, use_conv_bias: false }, "use_conv_bias"],
  ],
  Mamba2ForCausalLM: [
    ["4 heads", { name: "mamba2", feedForward: 0, heads: 4 }],
    ["one group", { ...recurrent, num_heads: 8, head_dim: 8, n_groups: 1 }],
    ["8 groups", { ...recurrent, num_heads: 8, head_dim: 8, n_groups: 8 }, "n_groups"],
  ],
  DeltaNetForCausalLM: [
    ["beta up to 2", { name: "deltanet", heads: 4, betaMax: 2 }],
    ["beta up to 1, no convolution", { name: "deltanet", heads: 4, betaMax: 1, convolution: 0 }],
    ["float32", delta],
    ["bfloat16, no convolution", { ...delta, use_short_conv: false }, { dtype: "bfloat16" }],
    ["output gate", { ...delta, use_gate: true }],
    [
      "output gate, narrow keys, wide values",
      { name: "deltanet", heads: 4, outputGate: true, expandK: 0.5, expandV: 1.5 },
    ],
    ["sum norm of q and k", { ...delta, qk_norm: "sum" }, "qk_norm"],
  ],
  GatedDeltaNetForCausalLM: [
    ["beta up to 2", { name: "gated-deltanet", heads: 4, betaMax: 2 }],
    [
      "two heads share q and k, wide values, convolution of 3",
      { name: "gated-deltanet", heads: 4, keyHeads: 2, expandV: 2, convolution: 3 },
    ],
    ["beta up to 2, in shards", { ...gated, allow_neg_eigval: true }, { max_shard_size: "10KB" }],
    [
      "values twice as wide as keys, no gate, bfloat16",
      { ...gated, expand_v: 2, use_gate: false },
      { dtype: "bfloat16" },
    ],
    ["grouped values, keys of 3/4 of the width", { num_heads: 2, num_v_heads: 4, head_dim: 12, expand_v: 2 }],
    ["sigmoid gate", { ...gated, output_gate_activation: "sigmoid" }, "output_gate_activation"],
  ],
  GatedDeltaProductForCausalLM: [
    ["3 steps", { name: "deltaproduct", heads: 4, householders: 3 }],
    [
      "decay, output gate, wide values",
      { name: "deltaproduct", heads: 2, decay: true, outputGate: true, expandV: 2 },
    ],
    [
      "fla's gates, values twice as wide",
      { ...gated, expand_v: 2, num_householder: 2, use_forget_gate: true, allow_neg_eigval: true },
    ],
  ],
  KDAForCausalLM: [
    ["no gate bias", { name: "kda", heads: 4 }],
    [
      "two heads share q and k, wide values, gate bias",
      { name: "kda", heads: 4, keyHeads: 2, expandV: 1.5, gateBias: true, betaMax: 1 },
    ],
    ["values twice as wide", { ...gated, expand_v: 2 }],
    ["bounded decay", { ...gated, safe_gate: true, lower_bound: -5 }, "safe_gate"],
  ],
  GLAForCausalLM: [
    ["no convolution", { name: "gla", heads: 4 }],
    [
      "no gate, convolution, narrow keys",
      { name: "gla", heads: 4, outputGate: false, convolution: 4, expandK: 0.5, expandV: 2 },
    ],
    ["fla's keys, half as wide", { num_heads: 4 }],
    ["grouped keys and values", { num_heads: 4, num_kv_heads: 2 }, "num_kv_heads"],
  ],
  LinearAttentionForCausalLM: [
    ["narrow keys", { name: "gla", heads: 4, decay: false, outputGate: false, expandK: 0.5 }],
    ["no feature map", { num_heads: 4, feature_map: "identity" }],
    ["fla's feature map", { num_heads: 4 }, "feature_map"],
  ],
  ForgettingTransformerForCausalLM: [
    ["default", { name: "fox", heads: 4 }],
    ["norms of q and k, output gate", { name: "fox", heads: 4, queryKeyNorm: true, outputGate: true }],
    ["norms of q and k, output gate", { num_heads: 4, qk_norm: true, use_output_gate: true }],
    ["grouped queries", { num_heads: 4, num_kv_heads: 2 }, "num_kv_heads"],
  ],
  PaTHAttentionForCausalLM: [
    ["default", { name: "path", heads: 2 }],
    ["forget gate, no convolution", { name: "path", heads: 2, forgetGate: true, convolution: 0 }],
    ["forget gate", { num_heads: 2, use_forget_gate: true }],
    ["w by one matrix", { num_heads: 2, use_low_rank_w: false }, "use_low_rank_w"],
  ],
};

export const interopCases: readonly InteropCase[] = Object.entries(casesOf).flatMap(([kind, rows]) =>
  rows.map(([what, given, more]) => ({
    ...{ class: kind, what },
    ...("name" in given ? { model: given as InteropCase["model"] & object } : { config: given }),
    ...(typeof more === "string" ? { refused: more } : more && { save: more }),
  })),
);

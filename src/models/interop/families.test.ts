import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { decodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { compile, Graph } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { applyModel, configureModel, modelNamed, parameterShapes } from "../index.ts";
import { families, type Imported, importedWeights, writtenFor } from "./index.ts";

const golden = (kind: string, name: string) =>
  fileURLToPath(new URL(`../../../golden/interop/${kind}/${name}`, import.meta.url));
const tensorsOf = (kind: string, name: string) =>
  decodeSafetensors(readFileSync(golden(kind, name)), name).tensors;
const imported = (kind: string, change: object = {}) => {
  const config = JSON.parse(readFileSync(golden(kind, "config.json"), "utf8"));
  return importedWeights({ ...config, ...change }, tensorsOf(kind, "model.safetensors"), kind);
};

async function logitsOf({ model, vocabulary, weights }: Imported, tokens: Int32Array, rows: number) {
  const { name } = model as { name: string };
  const ours = configureModel(modelNamed(name), model, vocabulary, "model");
  const graph = new Graph();
  const input = graph.input("tokens", [rows, tokens.length / rows], "int32");
  const logits = applyModel(ours, graph.parameters(parameterShapes(ours)), input);
  const run = await compile(graph, { logits }, nodeRuntime());
  const numbers = Object.fromEntries(Object.entries(weights).map(([path, { data }]) => [path, data]));
  const result = await run.run({ tokens, ...numbers });
  await run.release();
  return result.logits as Float32Array;
}

/**
 * Each family, and checkpoints of it with other settings. delta_net, gated_deltanet and llama are of golden/interop/reference.py, other
 * families of fla, and gated_deltanet-fla, of fla 0.6.0 itself, and other families of transformers of 5.24 (test/python/interop.py).
 */
const checkpoints = Object.keys(families).concat(
  ...["delta_net-epsilon", "gated_deltanet-epsilon", "gated_deltanet-fla"],
  ...["llama-5", "llama-linear", "llama-llama3"],
);

test("every checkpoint there is is asked", () => {
  expect(readdirSync(golden(".", ".")).filter((name) => !name.endsWith(".py"))).toEqual(
    checkpoints.toSorted(),
  );
});

test.each(checkpoints)("%s: our logits are those of PyTorch with the same weights", async (kind) => {
  const { tokens, logits } = tensorsOf(kind, "expected.safetensors");
  const ours = await logitsOf(imported(kind), tokens.data as Int32Array, tokens.shape[0]);
  const expected = logits.data as Float32Array;
  expect(ours).toHaveLength(expected.length);
  expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.5);
  expect(Math.max(...ours.map((x, i) => Math.abs(x - expected[i])))).toBeLessThan(2e-5);
});

test.each([
  ["delta_net-epsilon", "normEpsilon"],
  ["gated_deltanet-epsilon", "normEpsilon"],
  ["llama-5", "normEpsilon"],
  ["llama-5", "rotaryBase"],
  ["llama-linear", "rotaryScaling"],
  ["llama-llama3", "rotaryScaling"],
  ["qwen2", "rotaryScaling"],
  ["smollm3", "rotary"],
])("%s: without %s our logits would be others", async (kind, key) => {
  const { tokens, logits } = tensorsOf(kind, "expected.safetensors");
  const { model, ...others } = imported(kind);
  const { [key]: said, ...rest } = model;
  expect(said).toBeDefined();
  const ours = await logitsOf({ ...others, model: rest }, tokens.data as Int32Array, tokens.shape[0]);
  const expected = logits.data as Float32Array;
  expect(Math.max(...ours.map((x, i) => Math.abs(x - expected[i])))).toBeGreaterThan(1e-3);
});

test.each([
  ["delta_net", { model_type: "rwkv7" }, /got "rwkv7"\. fla's RWKV-7 has LayerNorms/],
  ["delta_net", { model_type: "rwkv" }, /model_type of delta_net, gated_deltanet, .*, mamba2, got "rwkv"/],
  ["llama", { model_type: "gpt_neox" }, /got "gpt_neox"\. Its LayerNorms, biases and parallel parts/],
  ["delta_net", { use_gate: true }, /expected a tensor model\.layers\.0\.attn\.g_proj\.weight/],
  ["delta_net", { qk_norm: "sum" }, /qk_norm: expected "l2", as in Statelab, got "sum"/],
  ["delta_net", { attn: { layers: [1] } }, /attn: expected none, as in Statelab/],
  ["gated_deltanet", { expand_v: 2 }, /v_proj\.weight: expected shape \[32,16\], got \[16,16\]/],
  ["gated_deltanet", { num_v_heads: 3 }, /model\.keyHeads: expected a divisor of the 3 heads, got 2/],
  ["gated_deltanet", { expand_v: undefined }, /expand_v: expected a number, got "none"/],
  ["gla", { num_kv_heads: 1 }, /num_kv_heads: expected 2, as in Statelab, got 1/],
  ["kda", { safe_gate: true }, /safe_gate: expected false, as in Statelab, got true/],
  ["llama", { num_key_value_heads: 1 }, /self_attn\.k_proj\.weight: expected shape \[8,16\], got \[16,16\]/],
  ["llama", { rope_scaling: { rope_type: "longrope" } }, /rope_type default, linear, .*, got "longrope"/],
  ["qwen2", { use_sliding_window: true }, /use_sliding_window: expected false, as in Statelab, got true/],
  [
    "qwen3",
    { layer_types: ["full_attention", "sliding_attention"] },
    /layer_types: .*, got "sliding_attention"/,
  ],
  ["smollm3", { use_sliding_window: true }, /use_sliding_window: expected false, as in Statelab, got true/],
  ["smollm3", { no_rope_layers: [1] }, /no_rope_layers: expected 0 or 1 .*, got \[1\]/],
  ["smollm3", { no_rope_layers: [1, 2] }, /no_rope_layers: expected 0 or 1 .*, got \[1,2\]/],
  ["smollm3", { no_rope_layers: undefined }, /no_rope_layers: expected 0 or 1 .*, got "none"/],
  ["smollm3", { num_hidden_layers: 1e12 }, /no_rope_layers: .* each of 1000000000000 layers/],
  ["smollm3", { attention_bias: true }, /attention_bias: expected false, as in Statelab, got true/],
  ["mistral", { sliding_window: undefined }, /sliding_window: expected null, .*, got "4096, the default"/],
  ["mamba", { time_step_rank: 3 }, /time_step_rank: expected 1 or "auto", as in Statelab, got 3/],
  ["mamba2", { n_groups: undefined }, /n_groups: expected 1, as in Statelab, got "8, the default"/],
  ["mamba2", { time_step_limit: [0, 1] }, /time_step_limit: expected 0 to Infinity, got "\[0,1\]"/],
  ["llama", { rope_scaling: { rope_type: "linear" } }, /rope_scaling\.factor: expected a positive number/],
  [
    "llama",
    { rope_parameters: { rope_theta: 1e4, partial_rotary_factor: 0.5 } },
    /partial_rotary_factor: .*, got 0\.5/,
  ],
  ["llama", { sliding_window: 128 }, /sliding_window: expected a setting that Statelab supports, got 128/],
  ["delta_net", { attnres_block_size: 4 }, /attnres_block_size: expected a setting that Statelab supports/],
  ["delta_net", { hidden_size: -1 }, /hidden_size: expected 16, as in its tensors, got -1/],
  ["delta_net", { conv_size: 9 }, /attn\.q_conv1d\.weight: expected shape \[16,1,9\], got \[16,1,4\]/],
  ["llama", { intermediate_size: 7 }, /intermediate_size: expected 24, as in its tensors, got 7/],
  ["llama", { tie_word_embeddings: "yes" }, /tie_word_embeddings: expected true or false, .*"yes"/],
  ["llama", { num_hidden_layers: 3 }, /tensor model\.layers\.2\.input_layernorm\.weight, got "none"/],
])("%s with %j is refused by name", (kind, change, message) => {
  expect(() => imported(kind, change)).toThrow(message);
});

test("a setting that is null, or is known to change nothing, and tensors that say a thing twice are accepted", () => {
  const said = { attnres_block_size: null, transformers_version: "5.0.0", use_cache: true };
  expect(imported("llama", said).model).toEqual(imported("llama").model);
  const tensors = tensorsOf("llama", "model.safetensors");
  const config = JSON.parse(readFileSync(golden("llama", "config.json"), "utf8"));
  const frequencies = { dtype: "F32" as const, shape: [4], data: new Float32Array(4) };
  const copied = { ...tensors, "model.layers.0.self_attn.rotary_emb.inv_freq": frequencies };
  expect(() => importedWeights(config, copied, "llama")).not.toThrow();
  expect(() => importedWeights({ ...config, tie_word_embeddings: true }, tensors, "llama")).not.toThrow();
  const { "lm_head.weight": _, ...headless } = tensors;
  const { tie_word_embeddings: __, ...silent } = config;
  const tied = importedWeights({ ...config, tie_word_embeddings: true }, headless, "llama");
  expect(importedWeights(silent, headless, "llama")).toEqual(tied);
});

test("smollm3: without a base in the checkpoint, the rotary base is that of the class", () => {
  const { model } = imported("smollm3");
  expect(imported("smollm3", { rope_parameters: undefined }).model).toEqual({
    ...model,
    rotaryBase: 2_000_000,
  });
});

test.each([
  [[false], [0, 0]],
  [
    [true, false, false],
    [1, 0],
  ],
])("smollm3: rotary %j is written as no_rope_layers %j", (rotary, used) => {
  const { model, weights } = imported("smollm3");
  const { config } = writtenFor({ ...model, rotary }, weights, 64, "run");
  expect(config).toMatchObject({ model_type: "smollm3", no_rope_layers: used });
});

test("with positions in all layers, SmolLM3 is exported as Llama", () => {
  const { model, weights } = imported("smollm3", { no_rope_layers: [1, 1] });
  expect(writtenFor(model, weights, 64, "run").config.model_type).toBe("llama");
});

test("a tensor that nothing read is refused by its name", () => {
  const tensors = tensorsOf("delta_net", "model.safetensors");
  const config = JSON.parse(readFileSync(golden("delta_net", "config.json"), "utf8"));
  const more = { ...tensors, "model.layers.0.attn.k_norm.weight": tensors["model.norm.weight"] };
  expect(() => importedWeights(config, more, "delta_net")).toThrow(
    /delta_net, model\.layers\.0\.attn\.k_norm\.weight: expected only tensors that Statelab has/,
  );
});

test("every family has a checkpoint of its own types, and a row in docs/how-to/import-export.md", () => {
  const page = readFileSync(new URL("../../../docs/how-to/import-export.md", import.meta.url), "utf8");
  for (const type of Object.keys(families)) {
    expect(page).toContain(`| \`${type}\``);
    expect(JSON.parse(readFileSync(golden(type, "config.json"), "utf8")).model_type).toBe(type);
  }
});

test.each(checkpoints)(
  "%s: written again it has the tensors that it had, and settings that mean the same",
  (kind) => {
    const before = imported(kind);
    const { config, tensors } = writtenFor(before.model, before.weights, 64, kind);
    const theirs = tensorsOf(kind, "model.safetensors");
    expect(Object.keys(tensors).sort()).toEqual(Object.keys(theirs).sort());
    for (const [name, { shape, data }] of Object.entries(tensors)) {
      expect([name, shape]).toEqual([name, theirs[name].shape]);
      expect(data).toEqual(theirs[name].data);
    }
    const stored = Object.fromEntries(
      Object.entries(tensors).map(([name, each]) => [
        name,
        { dtype: "F32" as const, ...each } as (typeof theirs)[string],
      ]),
    );
    expect(importedWeights(config, stored, kind)).toEqual(before);
    const said = JSON.parse(readFileSync(golden(kind, "config.json"), "utf8")) as Record<string, unknown>;
    const rotary = new Set(["rope_parameters", "rope_scaling", "rope_theta"]);
    const same = Object.entries(said).filter(
      ([key, value]) => key in config && !rotary.has(key) && key !== "vocab_size" && value !== null,
    );
    expect(same.length).toBeGreaterThan(5);
    const other = same.filter(([key, value]) => JSON.stringify(config[key]) !== JSON.stringify(value));
    expect(
      other.filter(
        ([key]) =>
          !["max_position_embeddings", "hidden_act", "torch_dtype", "architectures"].includes(key) &&
          !(kind === "mistral" && key === "model_type") && // written as Llama, which is the same
          !key.endsWith("_token_id"),
      ),
    ).toEqual([]);
  },
);

test.each([
  ["llama", { name: "lstm" }, /model\.name: expected deltanet, gated-deltanet, .* and mamba2, got "lstm"/],
  ["llama", { convolution: 4 }, /model\.convolution: expected 0, as LlamaForCausalLM, got 4/],
  ["llama", { feedForward: 0 }, /model\.feedForward: expected more than 0, got 0/],
  ["llama", { normPosition: "after" }, /normPosition: expected before, .*, got "after"/],
  ["llama", { bias: true, queryKeyNorm: "head" }, /model\.bias: expected false, .*, got true/],
  ["smollm3", { convolution: 4 }, /model\.convolution: expected 0, as LlamaForCausalLM, got 4/],
  ["llama", { name: "rwkv7" }, /got "rwkv7"\. fla's RWKV-7 has LayerNorms and a feed-forward part/],
  ["gla", { decay: false }, /model\.decay: expected true, as GLAForCausalLM, got false/],
  ["forgetting_transformer", { convolution: 4 }, /convolution: expected 0, .*, got 4/],
  ["path_attn", { convolveAll: true }, /convolveAll: expected false, .*, got true/],
  ["mamba", { transition: "[-1,1]" }, /transition: expected \[0,1\], .*, got "\[-1,1\]"/],
])("what no other library computes is refused: %s with %j", (kind, change, sentence) => {
  const { model, weights } = imported(kind);
  expect(() => writtenFor({ ...model, ...change }, weights, 64, "run")).toThrow(sentence);
});

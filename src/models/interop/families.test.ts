import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { decodeSafetensors } from "../../records/safetensors.ts";
import { compile, Graph } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { applyModel, configureModel, modelNamed, parameterShapes } from "../index.ts";
import { families, type Imported, importedWeights } from "./index.ts";

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

test.each(Object.keys(families))(
  "%s: our logits are those of PyTorch with the same weights",
  async (kind) => {
    const { tokens, logits } = tensorsOf(kind, "expected.safetensors");
    const ours = await logitsOf(imported(kind), tokens.data as Int32Array, tokens.shape[0]);
    const expected = logits.data as Float32Array;
    expect(ours).toHaveLength(expected.length);
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.5);
    expect(Math.max(...ours.map((x, i) => Math.abs(x - expected[i])))).toBeLessThan(2e-5);
  },
);

test.each([
  ["delta_net", { model_type: "mamba2" }, /model_type of delta_net, gated_deltanet, llama, got "mamba2"/],
  ["delta_net", { use_gate: true }, /use_gate: expected false, as ours, got true/],
  ["delta_net", { attn: { layers: [1] } }, /attn: expected none, as ours/],
  ["gated_deltanet", { expand_v: 2 }, /expand_v: expected 1, as ours, got 2/],
  ["gated_deltanet", { expand_v: undefined }, /expand_v: expected 1, as ours, got "2, the default"/],
  ["llama", { num_key_value_heads: 1 }, /num_key_value_heads: expected 2, as ours, got 1/],
  ["llama", { rope_scaling: { rope_type: "yarn" } }, /rope_scaling: expected none, as ours/],
  [
    "llama",
    { num_hidden_layers: 3 },
    /expected a tensor model\.layers\.2\.self_attn\.q_proj\.weight, got "none"/,
  ],
])("%s with %j is refused by name", (kind, change, message) => {
  expect(() => imported(kind, change)).toThrow(message);
});

test("every family has a checkpoint of its own types, and a row in docs/interop.md", () => {
  const page = readFileSync(new URL("../../../docs/interop.md", import.meta.url), "utf8");
  for (const [name, { modelTypes }] of Object.entries(families)) {
    for (const type of modelTypes) expect(page).toContain(`| \`${type}\``);
    expect(modelTypes).toContain(JSON.parse(readFileSync(golden(name, "config.json"), "utf8")).model_type);
  }
});

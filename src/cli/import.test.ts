import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { applyModel, configureModel, initialParameters, modelNamed } from "../models/index.ts";
import { decodeSafetensors } from "../records/safetensors.ts";
import { compile, Graph } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { inOrderOf, readCheckpoint } from "../work/import/checkpoint.ts";
import type { Imported } from "../work/import/names.ts";
import { openTrained } from "../work/run/trained.ts";
import { command } from "./import.ts";

const golden = fileURLToPath(new URL("../../golden/interop/", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "statelab-import-"));
afterAll(() => rmSync(root, { recursive: true }));

const config = "seed: 1\ntask: { name: repl, variables: 3, commands: 4 }\nmodel: { name: lstm }\n";
writeFileSync(join(root, "task.yaml"), config);

/** A copy of a golden checkpoint, without what was expected of it. */
function checkpoint(kind: string, change: object = {}): string {
  const folder = mkdtempSync(join(root, "checkpoint-"));
  for (const name of ["config.json", "model.safetensors"])
    cpSync(join(golden, kind, name), join(folder, name));
  const theirs = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...theirs, ...change }));
  return folder;
}

async function logitsOf({ model, vocabulary, weights }: Imported, tokens: Int32Array, rows: number) {
  const { name } = model as { name: string };
  const ours = configureModel(modelNamed(name), model, vocabulary, "model");
  const graph = new Graph();
  const input = graph.input("tokens", [rows, tokens.length / rows], "int32");
  const logits = applyModel(ours, graph.parameters(initialParameters(ours, rngFrom(0))), input);
  const run = await compile(graph, { logits }, nodeRuntime());
  const numbers = Object.fromEntries(Object.entries(weights).map(([path, { data }]) => [path, data]));
  const result = await run.run({ tokens, ...numbers });
  await run.release();
  return result.logits as Float32Array;
}

test.each(["delta_net", "gated_deltanet", "llama"])(
  "%s: our logits are those of PyTorch with the same weights",
  async (kind) => {
    const path = join(golden, kind, "expected.safetensors");
    const { tokens, logits } = decodeSafetensors(readFileSync(path), path).tensors;
    const ours = await logitsOf(
      await readCheckpoint(checkpoint(kind)),
      tokens.data as Int32Array,
      tokens.shape[0],
    );
    const expected = logits.data as Float32Array;
    expect(ours).toHaveLength(expected.length);
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.5);
    expect(Math.max(...ours.map((x, i) => Math.abs(x - expected[i])))).toBeLessThan(2e-5);
  },
);

const call = (folder: string, out: string) =>
  command.run({
    positionals: [folder],
    values: { config: join(root, "task.yaml"), out, set: [], overwrite: false },
    json: true,
    signal: new AbortController().signal,
    print: () => {},
    say: () => {},
  });

test("an imported run opens as any other, its words where its tokenizer says they are", async () => {
  const folder = checkpoint("delta_net");
  await call(folder, join(root, "plain"));
  const plain = await openTrained(join(root, "plain"));
  const words = plain.data.tokenizer.tokens;
  expect(plain.model.vocabulary).toBe(words.length);
  const backward = Object.fromEntries(words.map((word, i) => [word, words.length - 1 - i]));
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify({ model: { vocab: backward } }));
  await call(folder, join(root, "backward"));
  const other = await openTrained(join(root, "backward"));
  const width = plain.model.width;
  for (const i of words.keys()) {
    const j = words.length - 1 - i;
    expect(other.weights.embedding.slice(i * width, (i + 1) * width)).toEqual(
      plain.weights.embedding.slice(j * width, (j + 1) * width),
    );
    expect(other.weights.head[3 * words.length + i]).toBe(plain.weights.head[3 * words.length + j]);
  }
});

test("what ours cannot compute, and what is missing, is refused by name", async () => {
  const mistakes: [string, object, RegExp][] = [
    ["delta_net", { model_type: "mamba2" }, /model_type of delta_net, gated_deltanet, llama, got "mamba2"/],
    ["delta_net", { use_gate: true }, /use_gate: expected false, as ours, got true/],
    ["gated_deltanet", { expand_v: 2 }, /expand_v: expected 1, as ours, got 2/],
    ["llama", { num_key_value_heads: 1 }, /num_key_value_heads: expected 2, as ours, got 1/],
    [
      "llama",
      { num_hidden_layers: 3 },
      /expected a tensor model\.layers\.2\.self_attn\.q_proj\.weight, got "none"/,
    ],
  ];
  for (const [kind, change, message] of mistakes)
    await expect(readCheckpoint(checkpoint(kind, change))).rejects.toThrow(message);
  const imported = await readCheckpoint(checkpoint("llama", { rms_norm_eps: 1e-5 }));
  expect(imported.remarks.join()).toContain("0.00001");
  expect(() => inOrderOf(["a"], imported, undefined, "x")).toThrow(/the 1 words of the task.*14 rows/);
  expect(() => inOrderOf(["a"], imported, { b: 1 }, "x")).toThrow(/a token \\?"\\?"?a/);
});

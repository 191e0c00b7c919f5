import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { readCheckpoint, tensorOrder } from "../app/import/run.ts";
import { openTrainedRun } from "../app/run/open.ts";
import { command } from "./import.ts";

const golden = fileURLToPath(new URL("../../golden/interop/", import.meta.url));
const root = tmpFolder("import");

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
  const plain = await openTrainedRun(join(root, "plain"));
  const words = plain.data.tokenizer.tokens;
  expect(plain.model.vocabulary).toBe(words.length);
  const backward = Object.fromEntries(words.map((word, i) => [word, words.length - 1 - i]));
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify({ model: { vocab: backward } }));
  await call(folder, join(root, "backward"));
  const other = await openTrainedRun(join(root, "backward"));
  const width = plain.model.width;
  for (const i of words.keys()) {
    const j = words.length - 1 - i;
    expect(other.weights.embedding.slice(i * width, (i + 1) * width)).toEqual(
      plain.weights.embedding.slice(j * width, (j + 1) * width),
    );
    expect(other.weights.head[3 * words.length + i]).toBe(plain.weights.head[3 * words.length + j]);
  }
});

test("words that the checkpoint does not have are said", async () => {
  const imported = await readCheckpoint(checkpoint("llama"));
  expect(() => tensorOrder(["a"], imported, undefined, "x")).toThrow(/the 1 words of the task.*14 rows/);
  expect(() => tensorOrder(["a"], imported, { b: 1 }, "x")).toThrow(/a token \\?"\\?"?a/);
  expect(() => tensorOrder(["a", "b"], imported, { a: 1, b: 1 }, "x")).toThrow(
    'x, tokenizer.json: expected a row for "b" alone, got row 1, as for "a"',
  );
});

/** The checkpoint as the shards of an index; `files` are those that the index names. */
function sharded(files: readonly string[], weightMap: unknown): string {
  const folder = checkpoint("llama");
  for (const name of files) cpSync(join(folder, "model.safetensors"), join(folder, name));
  rmSync(join(folder, "model.safetensors"));
  writeFileSync(join(folder, "model.safetensors.index.json"), JSON.stringify({ weight_map: weightMap }));
  return folder;
}

test("only model.safetensors, or the shards of the index, are read: a stray file changes nothing", async () => {
  const plain = await readCheckpoint(checkpoint("llama"));
  const folder = checkpoint("llama");
  for (const name of ["zz-old.safetensors", "a.safetensors"]) writeFileSync(join(folder, name), "stray");
  mkdirSync(join(folder, "x.safetensors"));
  expect(await readCheckpoint(folder)).toEqual(plain);
  const shards = sharded(["one.safetensors", "zz.safetensors"], { a: "one.safetensors" });
  expect(await readCheckpoint(shards)).toEqual(plain);
});

test.each([
  [
    ["one.safetensors", "two.safetensors"],
    { a: "one.safetensors", b: "two.safetensors" },
    /two\.safetensors: expected each tensor in one file, got "/,
  ],
  [
    ["one.safetensors"],
    { a: "one.safetensors", b: "two.safetensors" },
    /index\.json: expected shards that are in the folder, got "two\.safetensors"$/,
  ],
  [
    ["one.safetensors"],
    { a: "../one.safetensors" },
    /expected shards that are in the folder, got "\.\.\/one\.safetensors"$/,
  ],
  [["one.safetensors"], undefined, /expected a weight_map, tensor to file, got "none"$/],
  [["one.safetensors"], {}, /expected a weight_map, tensor to file, got \{\}$/],
])("shards %j of the index %j are refused in one sentence", async (files, weightMap, message) => {
  await expect(readCheckpoint(sharded(files, weightMap))).rejects.toThrow(message);
});

test("several files without an index are refused", async () => {
  const folder = sharded(["one.safetensors", "two.safetensors"], {});
  rmSync(join(folder, "model.safetensors.index.json"));
  await expect(readCheckpoint(folder)).rejects.toThrow(/expected model\.safetensors, or .* with its shards/);
});

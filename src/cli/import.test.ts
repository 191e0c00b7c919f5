import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
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

test("a tensor that two files have is named", async () => {
  const folder = checkpoint("llama");
  cpSync(join(folder, "model.safetensors"), join(folder, "other.safetensors"));
  await expect(readCheckpoint(folder)).rejects.toThrow(
    /other\.safetensors: expected each tensor in one file, got "/,
  );
});

test("a folder that is called x.safetensors is named, in one sentence", async () => {
  const folder = checkpoint("llama");
  mkdirSync(join(folder, "x.safetensors"));
  await expect(readCheckpoint(folder)).rejects.toThrow(
    /x\.safetensors: expected a regular file, got "a folder"$/,
  );
});

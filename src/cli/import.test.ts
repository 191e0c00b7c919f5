import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { collect } from "../app/analyze/record-activations.ts";
import { exportTo } from "../app/export/index.ts";
import { readCheckpoint, readVocabulary, tensorOrder } from "../app/import/run.ts";
import { openTrainedRun, testAbout } from "../app/run/open.ts";
import { exampleStream } from "../core/rng.ts";
import { evaluate } from "../train/evaluate.ts";
import { predictAnswers } from "../train/predictions.ts";
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

test("only model.safetensors, or the shards of the index, are read: a stray file changes nothing", async () => {
  const plain = await readCheckpoint(checkpoint("llama"));
  const folder = checkpoint("llama");
  for (const name of ["zz-old.safetensors", "a.safetensors"]) writeFileSync(join(folder, name), "stray");
  mkdirSync(join(folder, "x.safetensors"));
  expect(await readCheckpoint(folder)).toEqual(plain);
  renameSync(join(folder, "model.safetensors"), join(folder, "one.safetensors"));
  writeFileSync(join(folder, "model.safetensors.index.json"), '{"weight_map":{"a":"one.safetensors"}}');
  expect(await readCheckpoint(folder)).toEqual(plain);
});

const tokenized = fileURLToPath(new URL("../../golden/tokenizers/", import.meta.url));

test("a language model that transformers wrote is asked and analyzed in its own tokens", async () => {
  const json = (name: string) => JSON.parse(readFileSync(join(tokenized, name), "utf8"));
  writeFileSync(join(root, "task.yaml"), config.replace("commands: 4", "commands: 4, spacing: 2"));
  await call(join(tokenized, "gpt2"), join(root, "lm"));
  const run = await openTrainedRun(join(root, "lm"));
  const { repl } = json("texts.json");
  const programs = repl.length;
  const test = {
    ...testAbout(run, {}, programs),
    stream: exampleStream(1, "test {}"),
    exclude: new Set<number>(),
  };
  const weights = { tree: run.tree, data: run.weights };
  // Of each answer the value, and the most probable token before it as PyTorch computes it from the text.
  const expected = (json("gpt2/answers.json") as [string, number][][]).map((answers) =>
    answers.map(([value, id]) => [value, run.data.tokenizer.tokens[id].trim()]),
  );
  const found = [];
  for await (const answers of predictAnswers(run.model, weights, test, run.runtime)) {
    const prompts = repl[found.length];
    for (const { prompt } of answers) expect(prompts.startsWith(prompt)).toBe(true);
    found.push(answers.map(({ expected, answer }) => [expected, answer]));
  }
  expect(found).toEqual(expected);
  const right = expected.map((answers) => answers.map(([value, answer]) => Number(value === answer)));
  expect((await evaluate(run.model, weights, test, run.runtime)).hits).toEqual(right);
  const { recording, forward } = await collect(run, test, async () => {}, ["layers.1.residual"]);
  await forward.release();
  for (const [i, { tokens, questions }] of recording.programs.entries())
    for (const { position, value } of questions)
      expect(repl[i]).toContain(
        `${tokens.slice(0, position + 1).join("")} ${run.data.prepared.values[value]}`,
      );
  await exportTo({ folder: join(root, "lm"), form: "hf", out: join(root, "hf") });
  const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
  expect(read(root, "hf", "tokenizer.json")).toEqual(read(tokenized, "gpt2", "tokenizer.json"));
  expect(read(root, "hf", "tokenizer_config.json")).not.toHaveProperty("pad_token"); // a new token could change the ids
});

test("the tokenizer is kept by the run: a file that is moved or changed later has no effect", async () => {
  const folder = checkpoint("llama");
  for (const name of ["config.json", "model.safetensors", "tokenizer.json"])
    cpSync(join(tokenized, "gpt2", name), join(folder, name));
  await call(folder, join(root, "kept"));
  rmSync(folder, { recursive: true });
  expect((await openTrainedRun(join(root, "kept"))).data.tokenizer.kind).toBe("file");
  writeFileSync(join(root, "kept/own/tokenizer.json"), "{}");
  await expect(openTrainedRun(join(root, "kept"))).rejects.toThrow(
    /own\/tokenizer\.json: expected the text that/,
  );
});

test("a word may be an added token", async () => {
  const folder = checkpoint("llama");
  const file = { model: { type: "WordLevel", vocab: { a: 0 } }, added_tokens: [{ id: 1, content: ", " }] };
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(file));
  expect(await readVocabulary(folder)).toEqual({ a: 0, ", ": 1 });
});

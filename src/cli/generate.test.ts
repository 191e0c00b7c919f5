import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer as HuggingFace } from "@huggingface/tokenizers";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { callStatelab, Texts, words } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { DatasetRow } from "../schemas/dataset.ts";
import { exampleFrom, exampleStream, prepareTask, tasks } from "../tasks/index.ts";

const root = tmpFolder("generate");

async function generate(args: string[], signal = new AbortController().signal) {
  const texts = new Texts();
  const { code, stderr } = await callStatelab(["generate", ...args], { signal, texts });
  return { code, stderr, printed: texts.out };
}

test("stdout gets the task's own examples, one a line", async () => {
  const { code, printed } = await generate(words("repl --count 3 --seed 7 --set variables=4"));
  const prepared = prepareTask(tasks.repl, { variables: 4 });
  const expected = [0, 1, 2].map((i) => exampleFrom(prepared, exampleStream(7, "train")(i)));
  expect(code).toBe(0);
  expect(printed.map((line) => DatasetRow.parse(JSON.parse(line)))).toEqual(expected);
});

test("JSONL and Parquet data sets hold the same rows, with the exact posterior of every reveal, and the tokenizer file reads them", async () => {
  const [lines, parquet] = [join(root, "lines"), join(root, "parquet")];
  const call = [...words("pfsa --count 50 --set"), "spacing=[1, 6]", "--out"];
  expect((await generate([...call, lines])).code).toBe(0);
  expect((await generate([...call, parquet, "--format", "parquet"])).code).toBe(0);
  const rows = readFileSync(join(lines, "train.jsonl"), "utf8").trimEnd().split("\n");
  const bytes = readFileSync(join(parquet, "train.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual(rows.map((row) => DatasetRow.parse(JSON.parse(row))));
  expect(rows[0]).toContain('"posterior"');

  const read = (name: string) => JSON.parse(readFileSync(join(lines, name), "utf8"));
  const tokenizer = new HuggingFace(read("tokenizer.json"), read("tokenizer_config.json"));
  const vocabulary = prepareTask(tasks.pfsa, { spacing: [1, 6] }).words;
  for (const row of rows) {
    const { text } = JSON.parse(row);
    expect(
      tokenizer
        .encode(text)
        .ids.map((id: number) => vocabulary[id])
        .join(""),
    ).toBe(text);
  }
  expect(read("config.json")).toMatchObject({
    task: "pfsa",
    params: { spacing: [1, 6] },
    seed: 0,
  });
});

test("--json gives one document, with and without --out", async () => {
  const shown = await generate(words("repl --count 2 --json"));
  expect(shown.printed).toHaveLength(1);
  expect(JSON.parse(shown.printed[0])).toMatchObject({ task: "repl", count: 2, examples: [{}, {}] });
  const folder = join(root, "json");
  const written = await generate([...words("repl --count 2 --json --out"), folder, "--split", "test"]);
  expect(written.printed).toHaveLength(1);
  expect(JSON.parse(written.printed[0])).toMatchObject({ folder, rows: 2, split: "test" });
});

test("a task from a user's file is generated like a built-in one", async () => {
  const path = join(root, "mine.mjs");
  writeFileSync(
    path,
    `const params = { safeParse: (value) => ({ success: true, data: value }) };
    export default { name: "mine", summary: "one word", source: "here", params, prepare: () => ({
      words: ["x = 1\\n"], variables: ["x"], values: ["1"], maximumWords: 1,
      write: (rng, sink) => { sink.word(0); sink.state([0]); } }) };`,
  );
  for (const call of [["--task", path], [path]]) {
    const { printed, stderr } = await generate([...call, "--count", "1"]);
    expect(stderr).toBe("");
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { text: "x = 1\n", reveals: [], states: [{ end: 6, values: { x: "1" } }] },
    ]);
  }
});

test("an interrupted call leaves no file and says so", async () => {
  const controller = new AbortController();
  const out = join(root, "interrupted");
  const running = generate([...words("repl --count 100000000 --out"), out], controller.signal);
  setTimeout(() => controller.abort(), 100);
  const { stderr } = await running;
  expect(stderr).toContain("no file was changed");
  expect(() => readFileSync(join(out, "config.json"))).toThrow("ENOENT");
});

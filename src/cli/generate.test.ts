import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer as HuggingFace } from "@huggingface/tokenizers";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { DatasetRow } from "../schemas/dataset.ts";
import { exampleFrom, exampleStream, prepareTask, tasks } from "../tasks/index.ts";
import { command } from "./generate.ts";
import { runCommandLine } from "./lib/dispatch.ts";

const root = tmpFolder("generate");

async function generate(args: string[], signal = new AbortController().signal) {
  const printed: string[] = [];
  const said: string[] = [];
  const table = { generate: { summary: command.summary, load: async () => ({ command }) } };
  const streams = { print: (text: string) => printed.push(text), say: (text: string) => said.push(text) };
  const code = await runCommandLine(table, ["generate", ...args], streams, signal);
  return { code, printed, said: said.join("\n") };
}

test("stdout gets the task's own examples, one a line", async () => {
  const { code, printed } = await generate(["repl", "--count", "3", "--seed", "7", "--set", "variables=4"]);
  const prepared = prepareTask(tasks.repl, { variables: 4 });
  const expected = [0, 1, 2].map((i) => exampleFrom(prepared, exampleStream(7, "train")(i)));
  expect(code).toBe(0);
  expect(printed.map((line) => DatasetRow.parse(JSON.parse(line)))).toEqual(expected);
});

/** Generates the same data set in both formats, and reads them: [rows of the JSONL file, rows of the Parquet file]. */
async function inBothFormats(lines: string, parquet: string, ...call: string[]) {
  expect((await generate([...call, "--out", lines])).code).toBe(0);
  expect((await generate([...call, "--out", parquet, "--format", "parquet"])).code).toBe(0);
  const rows = readFileSync(join(lines, "train.jsonl"), "utf8").trimEnd().split("\n");
  const bytes = readFileSync(join(parquet, "train.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  return [rows, await parquetReadObjects({ file })] as const;
}

test("a Parquet data set has the exact posterior of every reveal, as a JSONL one has", async () => {
  const folders = [join(root, "belief-lines"), join(root, "belief-parquet")] as const;
  const [rows, columns] = await inBothFormats(...folders, "pfsa", "--count", "20");
  expect(columns).toEqual(rows.map((row) => DatasetRow.parse(JSON.parse(row))));
  expect(rows[0]).toContain('"posterior"');
});

test("JSONL and Parquet data sets hold the same rows, and the tokenizer file reads them", async () => {
  const [lines, parquet] = [join(root, "lines"), join(root, "parquet")];
  const call = ["repl", "--count", "50", "--set", "spacing=[1, 6]", "--set", "repeatedValues=true"];
  const [rows, columns] = await inBothFormats(lines, parquet, ...call);
  expect(columns).toEqual(rows.map((row) => JSON.parse(row)));

  const read = (name: string) => JSON.parse(readFileSync(join(lines, name), "utf8"));
  const tokenizer = new HuggingFace(read("tokenizer.json"), read("tokenizer_config.json"));
  const { words } = prepareTask(tasks.repl, { repeatedValues: true });
  for (const row of rows) {
    const { text } = JSON.parse(row);
    expect(
      tokenizer
        .encode(text)
        .ids.map((id: number) => words[id])
        .join(""),
    ).toBe(text);
  }
  expect(read("config.json")).toMatchObject({
    task: "repl",
    params: { variables: 3, spacing: [1, 6] },
    seed: 0,
  });
});

test("--json gives one document, with and without --out", async () => {
  const shown = await generate(["repl", "--count", "2", "--json"]);
  expect(shown.printed).toHaveLength(1);
  expect(JSON.parse(shown.printed[0])).toMatchObject({ task: "repl", count: 2, examples: [{}, {}] });
  const folder = join(root, "json");
  const written = await generate(["repl", "--count", "2", "--json", "--out", folder, "--split", "test"]);
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
    const { printed, said } = await generate([...call, "--count", "1"]);
    expect(said).toBe("");
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { text: "x = 1\n", reveals: [], states: [{ end: 6, values: { x: "1" } }] },
    ]);
  }
});

test.each([
  [["rpel"], 'task: expected the name of a task, got "rpel". Did you mean repl?'],
  [[], "generate: expected either TASK or --task FILE, got neither"],
  [["repl", "--task", "x.ts"], "expected either TASK or --task FILE, got both"],
  [["--task", "./nowhere.ts"], "./nowhere.ts: expected an existing file"],
  [["repl", "--count", "-1"], '--count: expected an integer of at least 0, got "-1"'],
  [["repl", "--seed", "x"], '--seed: expected an integer, got "x"'],
  [["repl", "--set", "variable=3"], "Did you mean variables?"],
  [
    ["repl", "--set", "spacing=40"],
    "repl: expected every spacing to be at most the number of commands (12), got 40",
  ],
  [
    ["repl", "--out", join(root, "no"), "--format", "csv"],
    '--format: expected one of jsonl, parquet, got "csv"',
  ],
  [["repl", "--format", "csv"], '--format: expected one of jsonl, parquet, got "csv"'],
  [["repl", "--format", "parquet"], '--format parquet: expected --out DIR beside it, got "none"'],
  [["repl", "--out", join(root, "no"), "--split", "a/b"], "expected a split named by letters and digits"],
])("generate %j is refused in one sentence with exit code 2", async (args, message) => {
  const { code, said, printed } = await generate(args);
  expect(code).toBe(2);
  expect(said).toContain(message);
  expect(said.split("\n")).toHaveLength(1);
  expect(printed).toEqual([]);
});

test("an interrupted call leaves no file and says so", async () => {
  const controller = new AbortController();
  const out = join(root, "interrupted");
  const running = generate(["repl", "--count", "100000000", "--out", out], controller.signal);
  setTimeout(() => controller.abort(), 100);
  const { said } = await running;
  expect(said).toContain("no file was changed");
  expect(() => readFileSync(join(out, "config.json"))).toThrow("ENOENT");
});

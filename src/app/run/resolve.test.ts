import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { DatasetRow } from "../../schemas/dataset.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { openRows } from "../../storage/dataset/rows.ts";
import { readLog } from "../../storage/index.ts";
import { taskChecks } from "../../tasks/conformance/checks.ts";
import { exampleFrom, exampleStream, taskNamed } from "../../tasks/index.ts";
import { generation, writeGeneration } from "../generate.ts";
import { evaluateRun } from "./evaluate.ts";
import { rowsTask, tracesIn } from "./resolve.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("data-set");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const rowsIn = (folder: string, split: string) => readLog(at(folder, `${split}.jsonl`), DatasetRow);

beforeAll(async () => {
  const made = { name: "repl", file: undefined, settings: ["commands=4"], seed: 3 };
  for (const [format, split, count] of [
    ["jsonl", "train", 300],
    ["jsonl", "test", 40],
    ["parquet", "train", 300],
  ] as const) {
    const drawn = await generation({ ...made, count, split });
    await writeGeneration(drawn, { folder: at(format), format, tokenizer: "word", command: "none", signal });
  }
});

test("every example is a row as it stands, and JSON lines and Parquet give the same", async () => {
  const [lines, columns] = [await rowsTask(at("jsonl")), await rowsTask(at("parquet"))].map((task) =>
    task.prepare({ folder: "", split: "train" }),
  );
  const rows = new Set(rowsIn("jsonl", "train").map((row) => JSON.stringify(row)));
  for (let i = 0; i < 50; i++) {
    const example = exampleFrom(lines, exampleStream(1, "train")(i));
    expect(rows).toContain(JSON.stringify(example));
    expect(exampleFrom(columns, exampleStream(1, "train")(i))).toEqual(example);
  }
});

test("rows that a task of the lab made have its words and references", async () => {
  const of = (await rowsTask(at("jsonl"))).prepare({ folder: "", split: "test" });
  const repl = taskNamed("repl").prepare(taskNamed("repl").params.parse({ commands: 4 }));
  expect(of.words).toEqual(repl.words);
  const example = exampleFrom(of, exampleStream(1, "test")(0));
  for (const [name, reference] of Object.entries(repl.references!)) {
    expect(of.references![name](example)).toEqual(reference(example));
  }
});

test("config.json names a task of the lab, or the rows are of a file of the user's own", async () => {
  writeFileSync(
    at("lamp.mjs"),
    `import { z } from ${JSON.stringify(createRequire(import.meta.url).resolve("zod"))};
     const write = (_, { word, state, reveal }) => { word(0); state([0]); word(1); reveal(0, 0); word(2); };
     const lamp = { words: ["flip\\n", "lamp ", "off"], variables: ["lamp"], values: ["off"], maximumWords: 3, write };
     export default { name: "lamp", summary: "a lamp", source: "mine", params: z.strictObject({}), prepare: () => lamp };`,
  );
  const lamp = { name: undefined, file: at("lamp.mjs"), settings: [], seed: 3 };
  const drawn = await generation({ ...lamp, count: 20, split: "train" });
  const written = { format: "jsonl", tokenizer: "word", command: "none", signal } as const;
  await writeGeneration(drawn, { ...written, folder: at("lamp") });
  const prepared = (await rowsTask(at("lamp"))).prepare({ folder: "", split: "train" });
  expect(prepared.words).toContain("flip");
  for (const [name, hint] of [
    ["nope", "Restore the name, or delete config.json"],
    ["repll", "Did you mean repl?"],
  ]) {
    cpSync(at("jsonl"), at(name), { recursive: true });
    const file = at(name, "config.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"task": "repl"', `"task": "${name}"`));
    await expect(rowsTask(at(name))).rejects.toThrow(
      `${file}: expected task to be one of statelab's tasks, got "${name}". ${hint}`,
    );
  }
});

test.each([
  [
    "asked in words",
    (i: number) => ({ text: `say ${i % 7}, ${i % 2}\n`, start: 7, end: 8, value: `${i % 2}` }),
  ],
  [
    "asked at a word",
    (i: number) => ({ text: `ab${"c".repeat(i % 5)}.`, start: 3 + (i % 5), end: 3 + (i % 5), value: "yes" }),
  ],
])("rows of one's own are a task as good as any: %s", async (name, row) => {
  mkdirSync(at(name));
  const lines = Array.from({ length: 60 }, (_, i) => {
    const { text, start, end, value } = row(i);
    const reveals = [{ start, end, variable: "lamp", value, commands: 0 }];
    return JSON.stringify({
      text,
      reveals,
      states: [{ end: start === end ? end : 3, values: { lamp: value } }],
    });
  });
  writeFileSync(at(name, "train.jsonl"), `${lines.join("\n")}\n\n`);
  const prepared = (await rowsTask(at(name))).prepare({ folder: "", split: "train" });
  const found = Object.entries(taskChecks).flatMap(([check, examine]) => {
    const problem = examine(prepared);
    return problem === undefined ? [] : [`${check}: ${problem}`];
  });
  expect(found).toEqual([]);
});

test("a model is trained on one split and asked about the other", async () => {
  const config = RunConfig.parse({
    task: { name: "data-set", folder: at("parquet") },
    model: { name: "gru", layers: 1, width: 8 },
    train: { steps: 3, batch: 4 },
    evaluate: { examples: 30, settings: [{ split: "test" }] },
  });
  const twoSplits = { ...config, task: { ...config.task, folder: at("jsonl") } };
  expect((await trainRun(at("run"), twoSplits, { signal })).finished).toBe(true);
  const { document } = await evaluateRun({ folder: at("run"), signal });
  expect(document.results[0]).toMatchObject({ change: { split: "test" }, programs: 30 });
  expect(document.results[0].references).toMatchObject({ exactBayes: 1 });
  await expect(trainRun(at("none"), config, { signal })).rejects.toThrow(
    /task\.split: expected one of train, got "test"/,
  );
});

test.each([
  ["no folder", "nowhere", /nowhere: expected a folder of a data set, got "nothing there"/],
  ["no rows", "empty", /empty: expected a \.jsonl or \.parquet file of rows, got "none"/],
  ["no Parquet", "odd", /train\.parquet: expected a Parquet file of rows/],
  ["a row that is none", "broken", /train\.jsonl, line 301/],
])("%s is said", async (_, folder, sentence) => {
  mkdirSync(at("empty"), { recursive: true });
  mkdirSync(at("odd"), { recursive: true });
  writeFileSync(at("odd", "train.parquet"), "not this");
  mkdirSync(at("broken"), { recursive: true });
  writeFileSync(at("broken", "train.jsonl"), readFileSync(at("jsonl", "train.jsonl")));
  appendFileSync(at("broken", "train.jsonl"), '{"text": 3}\n');
  await expect(openRows(at(folder))).rejects.toThrow(sentence);
});

test("a reveal that says another value than the text is refused by its line", async () => {
  mkdirSync(at("wrong"));
  const [row] = rowsIn("jsonl", "train");
  const [first, ...others] = row.reveals;
  const value = first.value === "1" ? "2" : "1";
  writeFileSync(
    at("wrong", "train.jsonl"),
    `${JSON.stringify({ ...row, reveals: [{ ...first, value }, ...others] })}\n`,
  );
  const prepared = (await rowsTask(at("wrong"))).prepare({ folder: "", split: "train" });
  expect(() => exampleFrom(prepared, exampleStream(0, "train")(0))).toThrow(
    /train\.jsonl, line 1: expected a reveal that is/,
  );
});

test("a row without reveals teaches nothing and ends no training; rows whose reveals overlap are named", async () => {
  const rows = rowsIn("jsonl", "train").slice(0, 6);
  const written = (name: string, changed: readonly object[]) => {
    mkdirSync(at(name));
    for (const split of ["train", "test"])
      writeFileSync(at(name, `${split}.jsonl`), changed.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return RunConfig.parse({
      task: { name: "data-set", folder: at(name) },
      model: { name: "deltanet", layers: 1, width: 8, heads: 1 },
      train: { steps: 20, batch: 1 },
      evaluate: { examples: 2, settings: [{ split: "test" }] },
    });
  };
  const none = rows.map((row, i) => (i % 2 === 0 ? row : { ...row, reveals: [] }));
  await trainRun(at("none-run"), written("none", none), { signal });
  const losses = readFileSync(at("none-run", "metrics.jsonl"), "utf8").trimEnd().split("\n");
  expect(losses).toHaveLength(20);
  expect(losses.filter((line) => line.includes('"loss":0,')).length).toBeGreaterThan(0);
  const twice = rows.map((row, i) => (i === 2 ? { ...row, reveals: [...row.reveals, row.reveals[0]] } : row));
  await expect(trainRun(at("twice-run"), written("twice", twice), { signal })).rejects.toThrow(
    /test\.jsonl, line 3: expected reveals to be reveals that do not overlap/,
  );
});

const folder = tmpFolder("traces");

test("rows of data trace and of trace --format jsonl are read alike; a line that is neither is named", () => {
  const trace = { code: "n = 1\nassert (n) == 1\n", literal: "1", steps: 1 };
  expect(() => tracesIn(folder)).toThrow(/expected a \.jsonl file of code traces, got "none"/);
  writeFileSync(join(folder, "b.jsonl"), `${JSON.stringify({ ...trace, literal: null })}\n\n`);
  writeFileSync(join(folder, "a.jsonl"), `${JSON.stringify({ id: "x", trace })}\n`);
  writeFileSync(join(folder, "README.md"), "not one");
  expect(tracesIn(folder).map(({ literal }) => literal)).toEqual(["1", null]);
  const lines = [{ code: "n = 1", state: { n: 1 } }];
  for (const [row, words] of [
    [{ code: 1 }, /b\.jsonl, line 2: expected /],
    [{ ...trace, lines }, /line 2: expected lines that make up the code, got "n = 1/],
    [
      { ...trace, lines: [{ ...lines[0], state: { n: { what: 1 } } }] },
      /line 2: expected lines\.0\.state\.n to be/,
    ],
  ] as const) {
    writeFileSync(join(folder, "b.jsonl"), `${JSON.stringify(trace)}\n${JSON.stringify(row)}\n`);
    expect(() => tracesIn(folder)).toThrow(words);
  }
  expect(() => tracesIn(at("nowhere"))).toThrow(/expected a folder of code traces, got "nothing there"/);
  expect(() => tracesIn(join(folder, "a.jsonl"))).toThrow(/expected a folder of code traces, got "a file"/);
});

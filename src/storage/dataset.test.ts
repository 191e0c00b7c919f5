import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { DatasetConfig, DatasetRow } from "../schemas/dataset.ts";
import { type DatasetContent, readDatasetConfig, writeDataset } from "./dataset.ts";

const root = tmpFolder("dataset");
let folders = 0;
const newFolder = () => join(root, String(folders++));

/** Rows of different shapes: no reveals, several, quotes and characters beyond ASCII in the text. */
function* rows(count: number): Generator<DatasetRow> {
  for (let i = 0; i < count; i++) {
    yield {
      text: `>>> a = ${i}\n'"\\ é😀${"x".repeat(i % 7)}\n`,
      reveals: Array.from({ length: i % 3 }, (_, k) => ({
        start: k,
        end: k + 1,
        variable: "b",
        value: String(i),
        commands: k,
      })),
      states: Array.from({ length: 1 + (i % 2) }, (_, k) => ({
        end: k + 8,
        values: { a: `${i}`, b: `${k}` },
      })),
    };
  }
}

const content = (change: Partial<DatasetContent> = {}): DatasetContent => ({
  rows: rows(10),
  variables: ["a", "b"],
  outcomes: [],
  config: { task: "repl", params: { commands: 3 }, seed: 7, tokenizer: "word", lab: "0.1.0" },
  split: "train",
  format: "jsonl",
  tokenizer: { version: "1.0" },
  tokenizerConfig: { tokenizer_class: "PreTrainedTokenizerFast" },
  summary: "a test",
  source: "arXiv:0000.00000",
  command: "statelab generate repl",
  ...change,
});

async function readParquet(path: string) {
  const bytes = await readFile(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  return { file, groups: parquetMetadata(file).row_groups.length };
}

test("JSON lines hold the rows, each valid by its schema", async () => {
  const folder = newFolder();
  const written = await writeDataset(folder, content());
  const lines = readFileSync(join(folder, "train.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => DatasetRow.parse(JSON.parse(line)))).toEqual([...rows(10)]);
  expect(written).toMatchObject({ rows: 10, bytes: readFileSync(join(folder, "train.jsonl")).byteLength });
  expect(readdirSync(folder).toSorted()).toEqual(written.files.toSorted());
});

test("an independent reader finds the same nested rows in the Parquet file", async () => {
  const folder = newFolder();
  await writeDataset(folder, content({ format: "parquet", rows: rows(20_000) }));
  const { file, groups } = await readParquet(join(folder, "train.parquet"));
  expect(groups).toBe(2); // 70,000 rows, reveals and states
  expect(await parquetReadObjects({ file })).toEqual([...rows(20_000)]);
});

test("posteriors are in the Parquet file as they are in the rows", async () => {
  const folder = newFolder();
  const given = [...rows(20)].map((row, i) => ({
    ...row,
    reveals: row.reveals.map((reveal) => ({
      ...reveal,
      posterior: { "1": 1 / (i + 3), "2": 1 - 1 / (i + 3) },
    })),
  }));
  await writeDataset(folder, content({ format: "parquet", rows: given, outcomes: ["1", "2"] }));
  const { file } = await readParquet(join(folder, "train.parquet"));
  expect(await parquetReadObjects({ file })).toEqual(given);
});

test("Parquet is written group by group while rows are drawn, so memory does not grow with their number", async () => {
  const folder = newFolder();
  const path = join(folder, "train.parquet");
  const text = "y".repeat(1 << 20);
  let drawn = 0;
  let largest = 0;
  function* large(): Generator<DatasetRow> {
    for (; drawn < 40; drawn++) {
      const temporary = readdirSync(folder).find((name) => name.startsWith(".train.parquet"));
      largest = Math.max(
        largest,
        temporary === undefined ? 0 : readFileSync(join(folder, temporary)).byteLength,
      );
      yield { text: `${drawn}${text}`, reveals: [], states: [{ end: 1, values: { a: "1", b: "2" } }] };
    }
  }
  await writeDataset(folder, content({ format: "parquet", rows: large() }));
  const { file, groups } = await readParquet(path);
  expect(groups).toBe(3); // 16 + 16 + 8 rows of a megabyte
  expect(largest).toBeGreaterThan(0); // something was on the disk before the last row was drawn
  expect((await parquetReadObjects({ file })).map((row) => row.text)).toEqual(
    Array.from({ length: 40 }, (_, i) => `${i}${text}`),
  );
});

test("no rows make a file that reads as no rows, in both formats", async () => {
  const [lines, parquet] = [newFolder(), newFolder()];
  await writeDataset(lines, content({ rows: [] }));
  await writeDataset(parquet, content({ rows: [], format: "parquet" }));
  expect(readFileSync(join(lines, "train.jsonl"), "utf8")).toBe("");
  const { file } = await readParquet(join(parquet, "train.parquet"));
  expect(await parquetReadObjects({ file })).toEqual([]);
});

test("config and card name every split that was written into the folder", async () => {
  const folder = newFolder();
  await writeDataset(folder, content({ rows: rows(1200) }));
  await writeDataset(
    folder,
    content({ rows: rows(5), split: "test", command: "statelab generate repl --split test" }),
  );
  const config = await readDatasetConfig(folder);
  expect(DatasetConfig.parse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")))).toEqual(config);
  expect(config?.splits).toEqual({
    train: { count: 1200, format: "jsonl", file: "train.jsonl", command: "statelab generate repl" },
    test: { count: 5, format: "jsonl", file: "test.jsonl", command: "statelab generate repl --split test" },
  });
  const [, head, body] = readFileSync(join(folder, "README.md"), "utf8").split("---\n");
  expect(parse(head)).toMatchObject({
    size_categories: ["1K<n<10K"],
    configs: [
      {
        data_files: [
          { split: "train", path: "train.jsonl" },
          { split: "test", path: "test.jsonl" },
        ],
      },
    ],
  });
  expect(body).toContain("train: 1200, test: 5");
  expect(body).toContain("```\nstatelab generate repl\nstatelab generate repl --split test\n```");
});

test("a split that is there is replaced only where that is asked for, be it by fewer rows, as many or more", async () => {
  const folder = newFolder();
  await writeDataset(folder, content());
  const before = readFileSync(join(folder, "train.jsonl"), "utf8");
  for (const count of [3, 10, 20]) {
    function* unread(): Generator<DatasetRow> {
      yield* rows(count);
      throw new Error("no row is drawn for nothing");
    }
    await expect(writeDataset(folder, content({ rows: unread() }))).rejects.toThrow(
      `${folder}: expected no split train yet, got "10 rows in train.jsonl". Replace it with --overwrite`,
    );
    expect(readFileSync(join(folder, "train.jsonl"), "utf8")).toBe(before);
  }
  rmSync(join(folder, "train.jsonl")); // what is gone can be made again
  await writeDataset(folder, content());
  expect(readFileSync(join(folder, "train.jsonl"), "utf8")).toBe(before);
});

test("writing a split over another replaces it, in the other format too", async () => {
  const folder = newFolder();
  await writeDataset(folder, content());
  await writeDataset(folder, content({ rows: rows(3), format: "parquet", overwrite: true }));
  expect(readdirSync(folder)).not.toContain("train.jsonl");
  expect((await readDatasetConfig(folder))?.splits).toEqual({
    train: { count: 3, format: "parquet", file: "train.parquet", command: "statelab generate repl" },
  });
});

test("if drawing a row fails, the folder keeps exactly what it had", async () => {
  const folder = newFolder();
  await writeDataset(folder, content());
  const files = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const before = files();
  function* failing(): Generator<DatasetRow> {
    yield* rows(3);
    throw new Error("interrupted");
  }
  for (const format of ["jsonl", "parquet"] as const) {
    await expect(writeDataset(folder, content({ rows: failing(), format, overwrite: true }))).rejects.toThrow(
      "interrupted",
    );
    expect(files()).toEqual(before);
  }
});

test.each([
  [
    "another seed",
    { config: { ...content().config, seed: 8 } },
    "the seed of the existing data set (7), got 8",
  ],
  [
    "other parameters",
    { config: { ...content().config, params: {} } },
    "the params of the existing data set",
  ],
  ["a second format", { split: "test", format: "parquet" as const }, "expected jsonl, as split train has it"],
  ["a split that is a path", { split: "../train" }, 'a split named by letters and digits, got "../train"'],
])("%s is refused and nothing changes", async (_, change, message) => {
  const folder = newFolder();
  await writeDataset(folder, content());
  const names = readdirSync(folder);
  await expect(writeDataset(folder, content(change))).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual(names);
});

test.each(["README.md", "package.json", "thesis.tex", "src"])(
  "nothing is written beside someone's %s",
  async (name) => {
    const folder = mkdtempSync(join(root, "taken-"));
    writeFileSync(join(folder, name), "mine");
    await expect(writeDataset(folder, content({ overwrite: true }))).rejects.toThrow(
      `${folder}: expected a folder that is new, empty or a data set, got "${name}". Choose another --out`,
    );
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test("a folder under version control that is empty besides is free", async () => {
  const folder = mkdtempSync(join(root, "git-"));
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".gitattributes"), "");
  expect((await writeDataset(folder, content())).rows).toBe(10);
});

test("a config.json that is broken is refused with its name", async () => {
  const folder = mkdtempSync(join(root, "broken-"));
  writeFileSync(join(folder, "config.json"), '{"version": 2}');
  await expect(writeDataset(folder, content())).rejects.toThrow(join(folder, "config.json"));
});

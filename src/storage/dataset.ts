/**
 * @file A data set on the disk, as Hugging Face `datasets` reads it:
 *
 *     DIR/train.jsonl (or .parquet), tokenizer.json, tokenizer_config.json, config.json, README.md (the card)
 *
 * Rows are streamed, so memory does not grow with their number. Every file is written to a temporary name and renamed when all are
 * complete; config.json comes last. A second split of the same data goes into the same folder; an existing split is replaced only on
 * request.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../core/error.ts";
import { parseWith, parseYaml } from "../core/settings.ts";
import { DatasetConfig, type DatasetFormat, type DatasetRow } from "../schemas/dataset.ts";
import { renameOver, syncFolder, writeFileDurably } from "./atomic.ts";
import { datasetCard } from "./dataset/card.ts";
import { describeWriteError, makeFolder } from "./folder.ts";
import { readInput } from "./record.ts";

export interface DatasetContent {
  readonly rows: Iterable<DatasetRow>;
  /** Names in every `states[i].values`: columns in Parquet. */
  readonly variables: readonly string[];
  /** Names in every `reveals[i].posterior`, also columns; none if the rows have no posteriors. */
  readonly outcomes: readonly string[];
  readonly config: Omit<DatasetConfig, "version" | "splits">;
  /** Name of the file and of the split. */
  readonly split: string;
  readonly format: DatasetFormat;
  /** Contents of tokenizer.json and tokenizer_config.json. */
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  /** Text for the card: what a row is. */
  readonly summary: string;
  readonly source: string;
  /** The command that produces the same files. */
  readonly command: string;
  /** Whether to replace an existing split of this name. */
  readonly overwrite?: boolean;
}

interface WrittenDataset {
  readonly folder: string;
  readonly files: readonly string[];
  readonly rows: number;
  /** Size of the file of rows. */
  readonly bytes: number;
}

/**
 * Writes one split and its metadata. Errors of `rows` propagate, and nothing partial remains.
 * @throws LabError if the folder contains a data set of another task, other parameters or another seed, this split already (unless
 * `overwrite` is set), or other files.
 */
export async function writeDataset(folder: string, content: DatasetContent): Promise<WrittenDataset> {
  const { split, format } = content;
  if (!/^\w[\w.-]*$/.test(split)) fail("writeDataset", "a split named by letters and digits", split);
  await makeFolder(folder);
  const before = await readDatasetConfig(folder);
  if (before === undefined) await checkFree(folder);
  else checkSame(folder, before, content);

  const file = `${split}.${format}`;
  const temporaryOf = (name: string) => join(folder, `.${name}.${randomBytes(6).toString("hex")}.tmp`);
  const temporaries: (readonly [temporary: string, name: string])[] = [];
  const temporary = (name: string): string => {
    const path = temporaryOf(name);
    temporaries.push([path, name]);
    return path;
  };
  try {
    const data = temporary(file);
    let sample: DatasetRow | undefined;
    const rows = withFirst(content.rows, (row) => {
      sample = row;
    });
    const count =
      format === "jsonl"
        ? await writeJsonLines(data, rows)
        : await (await import("./dataset/parquet.ts")).writeParquet(data, rows, content); // a library that a training needs not
    const { size } = await stat(data);
    const config: DatasetConfig = {
      version: 1,
      ...content.config,
      splits: { ...before?.splits, [split]: { count, format, file, command: content.command } },
    };
    const texts = {
      "tokenizer.json": json(content.tokenizer),
      "tokenizer_config.json": json(content.tokenizerConfig),
      "README.md": datasetCard(config, { ...content, sample }),
      "config.json": json(config),
    };
    for (const [name, text] of Object.entries(texts)) await writeFileDurably(temporary(name), text);
    for (const [from, name] of temporaries) await renameOver(from, join(folder, name));
    await syncFolder(folder);
    const replaced = before?.splits[split]?.file;
    if (replaced !== undefined && replaced !== file) await rm(join(folder, replaced), { force: true });
    return { folder, files: temporaries.map(([, name]) => name), rows: count, bytes: size };
  } catch (error) {
    throw describeWriteError(folder, error);
  } finally {
    for (const [from] of temporaries) await rm(from, { force: true });
  }
}

/** The config.json of a data set; undefined where there is none. @throws LabError (corrupt) naming the file. */
export async function readDatasetConfig(folder: string): Promise<DatasetConfig | undefined> {
  const path = join(folder, "config.json");
  if (!existsSync(path)) return undefined;
  const text = readInput(path, { regular: true }).toString("utf8");
  return parseWith(DatasetConfig, parseYaml(text, path), path);
}

/** Files that version control and file managers leave in an empty folder. */
const nobodys = /^\.(git|gitattributes|gitignore|DS_Store)$|^\..*\.tmp$/;

/** Refuses a folder with files that belong to no data set. */
async function checkFree(folder: string): Promise<void> {
  const taken = (await readdir(folder)).filter((name) => !nobodys.test(name)).sort();
  if (taken.length > 0) {
    const shown = taken.slice(0, 5).join(", ") + (taken.length > 5 ? ", ..." : "");
    fail(folder, "a folder that is new, empty or a data set", shown, "Choose another --out");
  }
}

function checkSame(folder: string, before: DatasetConfig, content: DatasetContent): void {
  const { config, split, format, overwrite = false } = content;
  const hint = "Choose another folder, or remove this one";
  for (const key of ["task", "params", "seed", "tokenizer"] as const) {
    const [was, is] = [JSON.stringify(before[key]), JSON.stringify(config[key])];
    if (was !== is)
      fail(`${folder}/config.json`, `the ${key} of the existing data set (${was})`, config[key], hint);
  }
  const there = before.splits[split];
  if (there !== undefined && !overwrite && existsSync(join(folder, there.file))) {
    const got = `${there.count} rows in ${there.file}`;
    fail(
      folder,
      `no split ${split} yet`,
      got,
      "Replace it with --overwrite, or choose another --split or --out",
    );
  }
  // Hugging Face reads all splits of a data set with one reader.
  const other = Object.entries(before.splits).find(
    ([name, entry]) => name !== split && entry.format !== format,
  );
  if (other !== undefined)
    fail(`${folder}/config.json`, `${other[1].format}, as split ${other[0]} has it`, format, hint);
}

function* withFirst<T>(items: Iterable<T>, see: (first: T) => void): Generator<T> {
  let first = true;
  for (const item of items) {
    if (first) see(item);
    first = false;
    yield item;
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const CHUNK = 1 << 20;

/** Writes a new file and flushes it to the disk; returns the number of rows. */
export async function writeJsonLines(path: string, rows: Iterable<DatasetRow>): Promise<number> {
  const file = await open(path, "wx");
  try {
    let chunk = "";
    let count = 0;
    for (const row of rows) {
      chunk += `${JSON.stringify(row)}\n`;
      count++;
      if (chunk.length >= CHUNK) {
        await file.appendFile(chunk);
        chunk = "";
      }
    }
    await file.appendFile(chunk);
    await file.sync();
    return count;
  } finally {
    await file.close();
  }
}

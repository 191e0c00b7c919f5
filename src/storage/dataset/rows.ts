/**
 * @file Rows of a data set's files, read one by one: a file may be larger than the memory.
 *
 *     JSON lines    one pass finds where each line begins, and checks it
 *     Parquet       row groups are converted to lines of an unlinked temporary file
 */

import { existsSync, fstatSync, readSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { DatasetRow } from "../../schemas/dataset.ts";
import { openRegular, parseJson } from "../record.ts";
import { spooledParquet } from "./parquet-rows.ts";

interface RowFile {
  readonly count: number;
  at(index: number): DatasetRow;
  where(index: number): string;
}

const CHUNK = 1 << 20;
const HINT = "Create one with statelab generate TASK --out DIR";

/** Every `NAME.jsonl` and `NAME.parquet` of a folder, by name. Errors: LabError naming file and row of an invalid row. */
export async function openRows(folder: string): Promise<Record<string, RowFile>> {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    fail(folder, "a folder of a data set", existsSync(folder) ? "a file" : "nothing there", HINT);
  const found: Record<string, RowFile> = {};
  for (const name of (await readdir(folder)).sort()) {
    const [, split, format] = /^(\w[\w.-]*)\.(jsonl|parquet)$/.exec(name) ?? [];
    if (split === undefined) continue;
    const path = join(folder, name);
    if (Object.hasOwn(found, split)) fail(path, `one file of split ${split}`, "two");
    found[split] =
      format === "jsonl"
        ? linesOf(openRegular(path), path, "line")
        : linesOf(await spooledParquet(path, HINT), path, "row");
  }
  if (Object.keys(found).length === 0) fail(folder, "a .jsonl or .parquet file of rows", "none", HINT);
  return found;
}

/** A row for each line that is not blank. */
function linesOf(file: number, path: string, unit: "line" | "row"): RowFile {
  const starts: number[] = [];
  const lengths: number[] = [];
  const numbers: number[] = [];
  const where = (row: number) => `${path}, ${unit} ${numbers[row]}`;
  const text = (row: number) => {
    const bytes = Buffer.alloc(lengths[row]);
    readSync(file, bytes, 0, bytes.length, starts[row]);
    return bytes.toString("utf8");
  };
  const at = (row: number) => parseJson(text(row), where(row)) as DatasetRow; // checked below
  const size = fstatSync(file).size;
  const chunk = Buffer.alloc(CHUNK);
  let start = 0;
  let line = 0;
  const add = (end: number) => {
    line++;
    if (end > start) {
      const row = starts.push(start) - 1;
      lengths.push(end - start);
      numbers.push(line);
      if (text(row).trim() === "") for (const list of [starts, lengths, numbers]) list.pop();
      else parseWith(DatasetRow, at(row), where(row));
    }
    start = end + 1;
  };
  for (let read = 0; read < size; ) {
    const got = readSync(file, chunk, 0, CHUNK, read);
    if (got === 0) break;
    for (let i = chunk.indexOf(10); i !== -1 && i < got; i = chunk.indexOf(10, i + 1)) add(read + i);
    read += got;
  }
  if (start < size) add(size);
  return { count: starts.length, at, where };
}

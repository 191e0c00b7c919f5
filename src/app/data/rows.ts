/** @file A file of rows of any kind: JSON lines, one list of JSON, or Parquet, with its checksum. */

import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { fail } from "../../core/error.ts";
import { parquetValues } from "../../storage/dataset/parquet-rows.ts";
import { parseJson, readInput, sha256 } from "../../storage/index.ts";
import type { DataFile } from "./files.ts";

/** Every row through `read`, the first being 0. Errors: LabError naming file and row. */
export async function readRows<Row>(
  path: string,
  read: (value: unknown, at: string, index: number) => Row,
): Promise<DataFile<Row>> {
  const rows: Row[] = [];
  if (path.endsWith(".parquet")) {
    if (!existsSync(path)) fail(path, "an existing file", "none");
    for await (const value of parquetValues(path))
      rows.push(read(value, `${path}, row ${rows.length + 1}`, rows.length));
    return { path, rows, checksum: await sha256OfFile(path) };
  }
  const bytes = readInput(path);
  const text = bytes.toString("utf8");
  if (text.trimStart().startsWith("[")) {
    const list = parseJson(text, path);
    if (!Array.isArray(list)) fail(path, "a list of rows", "another value", undefined, "corrupt");
    for (const value of list as unknown[]) // an array has elements of some kind
      rows.push(read(value, `${path}, row ${rows.length + 1}`, rows.length));
  } else
    for (const [i, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      const at = `${path}, line ${i + 1}`;
      rows.push(read(parseJson(line, at), at, rows.length));
    }
  return { path, rows, checksum: sha256(bytes) };
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

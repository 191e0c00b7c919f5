/** @file The files that a benchmark is read from, each row checked, with the checksum that tells one version from another. */

import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { parquetValues } from "../../storage/dataset/parquet-rows.ts";
import { parseJson, readInput, sha256 } from "../../storage/index.ts";

export interface DataFile<Row> {
  readonly path: string;
  readonly rows: readonly Row[];
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly checksum: string;
}

/** Reads a file of JSON lines. @throws LabError (corrupt) naming the line. */
export async function readJsonLines<Row>(path: string, schema: z.ZodType<Row>): Promise<DataFile<Row>> {
  return readLines(path, (value, at) => parseWith(schema, value, at));
}

/** The same of lines that are read by a function; `at` names the line in its errors. */
function readLines<Row>(path: string, read: (value: unknown, at: string) => Row): DataFile<Row> {
  const bytes = readInput(path);
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line, i): Row[] => {
      if (line.trim() === "") return [];
      const at = `${path}, line ${i + 1}`;
      return [read(parseJson(line, at), at)];
    });
  return { path, rows, checksum: sha256(bytes) };
}

/** Reads one JSON document. @throws LabError (corrupt). */
export async function readJson<T>(
  path: string,
  schema: z.ZodType<T>,
): Promise<{ value: T; checksum: string }> {
  const bytes = readInput(path);
  const value = parseWith(schema, parseJson(bytes.toString("utf8"), path), path);
  return { value, checksum: sha256(bytes) };
}

/** The file that was named, else the one below the folder STATELAB_DATA, else where `data import` keeps it, else the first candidate that is there. */
export function dataPath(
  named: string | undefined,
  inFolder: string,
  candidates: readonly string[] = [],
  hint = "Pass it with --data FILE, or import it first: statelab data import",
): string {
  const { STATELAB_DATA } = process.env;
  const found = named ?? (STATELAB_DATA === undefined ? undefined : join(STATELAB_DATA, inFolder));
  return (
    found ??
    [join("data", inFolder), ...candidates].find((path) => existsSync(path)) ??
    fail("--data", `the file ${inFolder}`, "none", hint)
  );
}

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

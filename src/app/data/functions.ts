/**
 * @file The functions of a folder of Python files, or of a file of rows, with the calls with which they are tested.
 *
 *     await openFunctions("src/", { host, jobs: 2, signal })     one row a file, its calls from doctests and asserts
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { benchmarkRow, type FunctionRow, functionRow } from "../../python/benchmarks/functions.ts";
import type { Benchmark, BenchmarkRow } from "../../python/benchmarks/index.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { unwrapAnswer } from "../../python/sandbox/open.ts";
import { readInput, sha256 } from "../../storage/index.ts";
import { readRows } from "./files.ts";

const largestBytes = 2 ** 28;

/** What `lab.found_calls` answers. */
const FoundCalls = z.object({
  source: z.string(),
  calls: z.array(z.object({ call: z.string(), expected: z.string() })),
  left: z.array(z.object({ text: z.string(), reason: z.string() })),
});

/** Errors: LabError where there is nothing, or a row has the fields of no layout. */
export async function openFunctions(
  path: string,
  {
    host,
    license,
    signal,
  }: { readonly host: PythonHost; readonly license: string; readonly signal: AbortSignal },
) {
  const found = await read(path);
  const rows: BenchmarkRow[] = [];
  for (const row of distinct(found)) rows.push(await withCalls(row, host, signal));
  return { rows, benchmark: asBenchmark(path, license, found) };
}

async function read(path: string): Promise<FunctionRow[]> {
  if (!existsSync(path)) fail("--functions", "a folder of Python files, or a file of rows", path);
  if (statSync(path).isDirectory()) {
    const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".py"),
    );
    if (files.length === 0) fail("--functions", "a folder with Python files", path);
    return files
      .toSorted()
      .map((name) => ({ id: name.slice(0, -3), source: textOf(join(path, name), true) }));
  }
  if (path.endsWith(".py")) return [{ id: basename(path, ".py"), source: textOf(path) }];
  const { rows } = await readRows(path, (value, at, index) => functionRow(value, index, at));
  if (rows.length === 0) fail(path, "at least one row", "an empty file");
  return [...rows];
}

function textOf(path: string, regular = false): string {
  return readInput(path, { largestBytes, regular }).toString("utf8");
}

function distinct(rows: readonly FunctionRow[]): FunctionRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const times = (seen.get(row.id) ?? 0) + 1;
    seen.set(row.id, times);
    return times === 1 ? row : { ...row, id: `${row.id}#${times}` };
  });
}

async function withCalls(row: FunctionRow, host: PythonHost, signal: AbortSignal): Promise<BenchmarkRow> {
  const { source, calls, tests, candidate } = row;
  if (calls !== undefined) return benchmarkRow(row, calls);
  const request = {
    operation: "found_calls",
    source,
    ...(tests !== undefined && { tests }),
    ...(candidate !== undefined && { candidate }),
  };
  const answer = unwrapAnswer(await host.run(request, {}, signal));
  if ("stopped" in answer) return benchmarkRow(row, [], [{ reason: answer.stopped }]);
  const found = parseWith(FoundCalls, answer.value, "lab.found_calls");
  const none = found.calls.length + found.left.length === 0;
  const left = none ? [{ reason: "no doctest and no assert calls a function" }] : found.left;
  return benchmarkRow({ ...row, source: found.source }, found.calls, left);
}

/** What a card says of the user's own functions. */
function asBenchmark(path: string, license: string, rows: readonly FunctionRow[]): Benchmark {
  return {
    name: "functions",
    file: basename(path),
    sha256: sha256(Buffer.from(JSON.stringify(rows))),
    url: "",
    license,
    source: relative("", path).startsWith("..") ? basename(path) : relative("", path),
    splits: { test: () => true },
    filter: {},
    tellingNames: true,
    typedValues: false,
    row: () => fail("functions", "rows of its own", "another"),
  };
}

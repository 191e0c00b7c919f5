/** @file A published benchmark's file: got from where it is published or taken from the disk, recognised, kept and opened. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import {
  type Benchmark,
  type BenchmarkRow,
  benchmarkNames,
  benchmarkRows,
  benchmarks,
} from "../../python/benchmarks/index.ts";
import { makeFolder, readInput, sha256, writeFileAtomic } from "../../storage/index.ts";
import { download } from "./download.ts";

/** Published files have a few megabytes. */
const largestBytes = 2 ** 28;

/** Where a benchmark is kept below a folder of data. */
export function benchmarkFile(benchmark: Benchmark, folder = "data"): string {
  return join(folder, benchmark.name, benchmark.file);
}

export interface GetOptions {
  readonly folder?: string;
  /** Another place than the published one. */
  readonly url?: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number, all: number | undefined) => void;
}

/** Downloads the file, and gives the path where it is kept. Errors: LabError (endpoint, or corrupt where it is another file). */
export async function getBenchmark(benchmark: Benchmark, options: GetOptions): Promise<string> {
  const { folder, url = benchmark.url, signal, onProgress } = options;
  const bytes = await download(url, { largestBytes, signal, ...(onProgress && { onProgress }) });
  return keep(benchmark, bytes, url, folder);
}

/** Takes a copy that is on the disk. Errors: LabError (corrupt) where it is another file. */
export async function importBenchmark(benchmark: Benchmark, file: string, folder?: string): Promise<string> {
  return keep(benchmark, readInput(file, { largestBytes }), file, folder);
}

/** The rows of the file that is kept. Errors: LabError where there is none. */
export function openBenchmark(benchmark: Benchmark, folder?: string): BenchmarkRow[] {
  const kept = benchmarkFile(benchmark, folder);
  if (!existsSync(kept))
    fail(kept, "the benchmark's file", "none", `First: statelab data import ${benchmark.name} FILE`);
  const bytes = readInput(kept, { largestBytes });
  check(benchmark, bytes, kept);
  return benchmarkRows(benchmark, bytes.toString("utf8"), kept);
}

async function keep(benchmark: Benchmark, bytes: Buffer, from: string, folder?: string): Promise<string> {
  check(benchmark, bytes, from);
  benchmarkRows(benchmark, bytes.toString("utf8"), from); // a file of the right bytes is readable, or the lab is wrong
  const kept = benchmarkFile(benchmark, folder);
  await makeFolder(join(kept, ".."));
  await writeFileAtomic(kept, bytes);
  return kept;
}

function check({ name, sha256: published }: Benchmark, bytes: Buffer, at: string): void {
  const got = sha256(bytes);
  if (got === published) return;
  const other = benchmarkNames.find((each) => benchmarks[each].sha256 === got);
  const hint = other === undefined ? "Get the original file" : `That is the file of ${other}`;
  fail(at, `the published file of ${name} (sha256 ${published})`, got, hint, "corrupt");
}

/** @file A published benchmark's file: got from where it is published or taken from the disk, recognised, kept and opened. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import {
  type Benchmark,
  type BenchmarkRow,
  benchmarkNames,
  benchmarkRows,
  benchmarks,
} from "../../python/benchmarks/index.ts";
import { makeFolder, readInput, sha256, writeFileAtomic } from "../../storage/index.ts";

/** Published files have a few megabytes. */
const largestBytes = 2 ** 28;

/** Where a benchmark is kept below a folder of data. */
export function benchmarkFile(benchmark: Benchmark, folder = "data"): string {
  return join(folder, benchmark.name, benchmark.file);
}

interface GetOptions {
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
    fail(kept, "the benchmark's file", "none", `Run this first: statelab data import ${benchmark.name} FILE`);
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

interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number, all: number | undefined) => void;
  readonly largestBytes?: number;
  /** Without a byte for so long it is given up. */
  readonly idleSeconds?: number;
}

/** @throws LabError (endpoint) naming the address and what went wrong. */
export async function download(
  url: string,
  { signal, onProgress, largestBytes = 2 ** 28, idleSeconds = 30 }: DownloadOptions,
): Promise<Buffer> {
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), idleSeconds * 1000);
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), idleSeconds * 1000);
  };
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, idle.signal]) });
    if (!response.ok || response.body === null)
      fail(url, "the file", `HTTP ${response.status}`, undefined, "endpoint");
    const all = Number(response.headers.get("content-length")) || undefined;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      again();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > largestBytes)
        fail(url, `at most ${largestBytes} bytes`, "more", "It is not the published file", "endpoint");
      onProgress?.(bytes, all);
    }
    if (all !== undefined && bytes !== all && response.headers.get("content-encoding") === null)
      fail(url, `${all} bytes`, bytes, "The connection closed early; try again", "endpoint");
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof LabError || signal.aborted) throw error;
    const reason = idle.signal.aborted
      ? `nothing for ${idleSeconds} s`
      : ((error as Error & { cause?: Error }).cause?.message ?? (error as Error).message); // fetch throws Errors
    return fail(url, "the file", reason, "Check the network connection", "endpoint");
  } finally {
    clearTimeout(timer);
  }
}

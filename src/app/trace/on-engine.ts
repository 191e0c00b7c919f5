/**
 * @file A benchmark whose calls are traced by an engine's tasks, a share each. When all are there, their logs are put into the one of a
 * single process, which then has nothing left to trace and writes what it always writes.
 */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { shareFiles } from "../../executors/job-outputs.ts";
import {
  isEnded,
  listFailures,
  type Piece,
  type PieceState,
  type Share,
  type SuperviseOptions,
  sharesOf,
  superviseSubmission,
} from "../../executors/supervise.ts";
import type { Benchmark } from "../../python/benchmarks/index.ts";
import { TracedLogLine } from "../../schemas/trace.ts";
import { lockFolder, makeFolder, openLog, readLog, writeFileAtomic } from "../../storage/index.ts";
import {
  benchmarkCalls,
  resultKey,
  resumed,
  type TraceBenchmarkOptions,
  type TracedBenchmark,
  traceBenchmark,
} from "./benchmark.ts";
import { callsText } from "./share.ts";

interface TracedOn {
  /** One for each share that was not traced before. */
  readonly states: readonly PieceState[];
  /** undefined while the engine still works at some, or one has failed. */
  readonly traced: TracedBenchmark | undefined;
}

export async function traceOn(
  benchmark: Benchmark,
  options: TraceBenchmarkOptions,
  { size, ...standing }: SuperviseOptions & { readonly size: number },
): Promise<TracedOn> {
  const { out, host, calls: style, anonymous, maximumSteps, wallSeconds } = options;
  const { calls } = benchmarkCalls(benchmark, options);
  const key = resultKey(benchmark, options);
  const how = { host, calls: style, anonymous, maximumSteps, wallSeconds };
  const lock = await lockFolder(out, shareFiles.traceLock);
  try {
    const path = join(out, shareFiles.traced);
    const before = await resumed(path, key, lock);
    const folderOf = ({ name }: Share) => join(out, shareFiles.all, name);
    const pieces: Piece[] = [];
    for (const share of sharesOf(calls.length, size)) {
      const own = calls.slice(share.first, share.last + 1);
      if (own.every(({ id }) => before.has(id))) continue;
      const folder = folderOf(share);
      const { text, sha256 } = callsText(own);
      await makeFolder(folder);
      await writeFileAtomic(join(folder, shareFiles.calls), text);
      pieces.push({ folder, work: { kind: "trace", sha256, key, how } });
    }
    const states = await superviseSubmission(pieces, { ...standing, home: out, unit: "shares" });
    if (!states.every(isEnded)) return { states, traced: undefined };
    const log = openLog(path, { lock });
    for (const { folder } of pieces) {
      for (const line of tracedIn(join(folder, shareFiles.traced), key)) {
        if ("key" in line || before.has(line.id)) continue;
        log.append(line);
      }
    }
    log.sync();
    log.close();
    if (listFailures(states).length > 0) return { states, traced: undefined };
    await rm(join(out, shareFiles.all), { recursive: true, force: true });
    lock.release();
    return { states, traced: await traceBenchmark(benchmark, options) };
  } finally {
    lock.release();
  }
}

function tracedIn(path: string, key: string): TracedLogLine[] {
  if (!existsSync(path)) return [];
  const [first, ...lines] = readLog(path, TracedLogLine);
  return first !== undefined && "key" in first && first.key === key ? lines : [];
}

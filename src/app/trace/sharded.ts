/**
 * @file A benchmark whose calls are traced by tasks of an executor, a share each:
 *
 *     DIR/shares/200-399/calls.jsonl        the calls themselves, so that nothing else is needed there
 *                        progress.jsonl     their traces, as the log of one process has them
 *
 * When all are there, their logs are put into the one of a single process, which then has nothing left to trace and writes what it
 * always writes.
 */

import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import type { JobHandler } from "../../executors/execute-task.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import { runSharded, type Sharded } from "../../executors/sharded.ts";
import {
  listFailures,
  type Piece,
  type PieceState,
  type SuperviseOptions,
  sharesOf,
} from "../../executors/supervise.ts";
import type { Benchmark, BenchmarkCall } from "../../python/benchmarks/index.ts";
import { TracedLogLine } from "../../schemas/trace.ts";
import {
  type Lock,
  lockFolder,
  makeFolder,
  openLog,
  parseJson,
  readInput,
  readLog,
  sha256,
  writeFileAtomic,
} from "../../storage/index.ts";
import {
  benchmarkCalls,
  resultKey,
  resumed,
  type TraceBenchmarkOptions,
  type TracedBenchmark,
  traceBenchmark,
  traceInto,
} from "./benchmark.ts";

export async function traceOn(
  benchmark: Benchmark,
  options: TraceBenchmarkOptions,
  { size, ...standing }: SuperviseOptions & { readonly size: number },
): Promise<Sharded<TracedBenchmark>> {
  const { out, host, calls: style, anonymous, maximumSteps, wallSeconds } = options;
  const { calls } = benchmarkCalls(benchmark, options);
  const key = resultKey(benchmark, options);
  const path = join(out, shareFiles.traced);
  let before: ReadonlyMap<string, unknown> = new Map();
  const work = {
    ...{ home: out, lock: shareFiles.traceLock, unit: "shares" },

    async split(lock: Lock) {
      const how = { host, calls: style, anonymous, maximumSteps, wallSeconds };
      before = await resumed(path, key, lock);
      const pieces: Piece[] = [];
      for (const { first, last, name } of sharesOf(calls.length, size)) {
        const own = calls.slice(first, last + 1);
        if (own.every(({ id }) => before.has(id))) continue;
        const folder = join(out, shareFiles.all, name);
        const text = callsText(own);
        await makeFolder(folder);
        await writeFileAtomic(join(folder, shareFiles.calls), text);
        pieces.push({ folder, work: { kind: "trace", sha256: sha256(text), key, how } });
      }
      return pieces;
    },

    async merge(pieces: readonly Piece[], states: readonly PieceState[], lock: Lock) {
      const log = openLog(path, { lock });
      for (const { folder } of pieces)
        for (const line of tracedIn(join(folder, shareFiles.traced), key))
          if (!("key" in line) && !before.has(line.id)) log.append(line);
      log.sync();
      log.close();
      if (listFailures(states).length > 0) return undefined;
      await rm(join(out, shareFiles.all), { recursive: true, force: true });
      lock.release();
      return traceBenchmark(benchmark, options);
    },
  };
  return runSharded(work, standing);
}

function tracedIn(path: string, key: string): TracedLogLine[] {
  if (!existsSync(path)) return [];
  const [first, ...lines] = readLog(path, TracedLogLine);
  return first !== undefined && "key" in first && first.key === key ? lines : [];
}

const SharedCall = z.strictObject({
  id: z.string(),
  program: z.string(),
  sources: z.array(z.string()).min(1),
  call: z.string(),
  expected: z.string(),
});

const callsText = (calls: readonly BenchmarkCall[]) =>
  calls
    .map(
      ({ id, program, sources, call, expected }) =>
        `${JSON.stringify({ id, program, sources, call, expected })}\n`,
    )
    .join("");

/** Errors: LabError (corrupt) where it is not the file that was handed over. */
function readCalls(path: string, published: string): BenchmarkCall[] {
  const bytes = readInput(path, { largestBytes: 2 ** 30 });
  const got = sha256(bytes);
  if (got !== published)
    fail(path, `the calls with the checksum ${published}`, got, "It was changed", "corrupt");
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  return lines.map((line, i) => {
    const at = `${path}, line ${i + 1}`;
    return parseWith(SharedCall, parseJson(line, at), at);
  });
}

export const trace: JobHandler<"trace"> = {
  async saved(folder) {
    const path = join(folder, shareFiles.traced);
    return existsSync(path) ? statSync(path).size : 0;
  },

  async carryOut({ folder, work: { sha256: published, key, how } }, tell, signal) {
    const lock = await lockFolder(folder, shareFiles.traceLock);
    try {
      const calls = readCalls(join(folder, shareFiles.calls), published);
      const path = join(folder, shareFiles.traced);
      const traced = await resumed(path, key, lock);
      const left = calls.filter(({ id }) => !traced.has(id));
      let done = traced.size;
      await traceInto(path, left, { ...how, jobs: 1, lock, signal }, () => {
        tell({ kind: "measure", done: ++done, of: calls.length });
      });
      if (done < calls.length) throw new Error("stopped");
    } finally {
      lock.release();
    }
  },
};

/** @file All calls of a benchmark through a host: several at a time, logged one by one so that the work can go on, then written. */

import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { shellWord } from "../../core/format.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import type { Benchmark, BenchmarkCall, BenchmarkRow } from "../../python/benchmarks/index.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { unwrapAnswer, withHost } from "../../python/sandbox/open.ts";
import { type Coverage, measureCoverage, type Traced } from "../../python/trace/coverage.ts";
import { excludedBy } from "../../python/trace/filters.ts";
import { equalLiteral, holdsNan } from "../../python/values/equality.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { traceFigures } from "../../report/figure-files.ts";
import type { Tracing } from "../../schemas/submission.ts";
import {
  parseTrace,
  recordForFile,
  TracedLogLine,
  type TracedRow,
  type TraceRecord,
} from "../../schemas/trace.ts";
import { type Lock, lockFolder, openLog, readLog, sha256 } from "../../storage/index.ts";
import { type WrittenTraces, writeTracedSet } from "../../storage/trace-dataset.ts";
import { labVersion } from "../../storage/version.ts";

export interface TraceBenchmarkOptions extends Tracing {
  readonly rows: readonly BenchmarkRow[];
  readonly split: string;
  readonly filter: "none" | "published";
  readonly jobs: number;
  readonly out: string;
  readonly progress: ProgressDisplay;
  readonly signal: AbortSignal;
}

export interface TracedBenchmark {
  readonly coverage: Coverage & {
    readonly benchmark: string;
    readonly split: string;
    readonly seconds: number;
  };
  readonly written: WrittenTraces;
  readonly interrupted: boolean;
}

export async function traceBenchmark(
  benchmark: Benchmark,
  options: TraceBenchmarkOptions,
): Promise<TracedBenchmark> {
  const { split, out, host, jobs, signal, filter, progress } = options;
  const { rows, calls } = benchmarkCalls(benchmark, options);
  const lock = await lockFolder(out, shareFiles.traceLock);
  const path = join(out, shareFiles.traced);
  const started = performance.now();
  try {
    const traced = await resumed(path, resultKey(benchmark, options), lock);
    const left = calls.filter(({ id }) => !traced.has(id));
    try {
      await traceInto(path, left, { ...options, host, jobs, lock, signal }, ({ id }, outcome) => {
        traced.set(id, outcome);
        progress.update(benchmark.name, { step: traced.size, steps: calls.length, note: id });
      });
    } finally {
      progress.close();
    }
    const taken = filter === "published" ? benchmark.filter : {};
    const seconds = (performance.now() - started) / 1000;
    const coverage = { benchmark: benchmark.name, split, seconds, ...measureCoverage(rows, traced, taken) };
    if (signal.aborted) return { coverage, written: { folder: out, files: [], bytes: 0 }, interrupted: true };
    const accepted = calls.flatMap(({ id, program, expected }): TracedRow[] => {
      const outcome = traced.get(id);
      if (outcome === undefined || "stopped" in outcome) return [];
      return excludedBy(outcome.record, taken) === undefined
        ? [
            {
              ...{ id, program, expected },
              ...(outcome.differs === true && { differs: true as const }),
              trace: outcome.record,
            },
          ]
        : [];
    });
    const written = await writeTracedSet(
      out,
      {
        rows: accepted,
        coverage,
        name: benchmark.name,
        figures: traceFigures(benchmark.name, coverage.statistics),
        split,
        license: benchmark.license,
        source: benchmark.source,
        command: `statelab data trace ${benchmark.name === "functions" ? `--functions ${shellWord(benchmark.source)}` : `${benchmark.name} --split ${split}`} --filter ${filter} --calls ${options.calls}${options.anonymous ? " --anonymous" : ""} --max-steps ${options.maximumSteps} --python ${host} --out DIR`,
        summary: `${coverage.samples} of ${coverage.calls} calls of ${coverage.functions} of ${coverage.programs} functions, traced by statelab ${labVersion()}.`,
      },
      lock,
    );
    await rm(path);
    return { coverage, written, interrupted: false };
  } finally {
    lock.release();
  }
}

/** The rows of a split, and their calls in order. */
export function benchmarkCalls(
  benchmark: Benchmark,
  { rows: all, split }: Pick<TraceBenchmarkOptions, "rows" | "split">,
) {
  const rows = all.filter(({ program }) => benchmark.splits[split](program));
  return { rows, calls: rows.flatMap((row) => row.calls) };
}

/** Everything that a trace depends on. */
export function resultKey(
  { sha256: published }: Benchmark,
  { calls, anonymous, maximumSteps, wallSeconds, host }: Tracing,
): string {
  const text = JSON.stringify([published, calls, anonymous, maximumSteps, wallSeconds, host, labVersion()]);
  return sha256(text);
}

/** Traces calls, several at a time, and adds each to the log as it comes. */
export async function traceInto(
  path: string,
  left: readonly BenchmarkCall[],
  options: Tracing & { readonly jobs: number; readonly lock: Lock; readonly signal: AbortSignal },
  onTraced: (call: BenchmarkCall, outcome: Traced) => void,
): Promise<void> {
  if (left.length === 0) return;
  const { host, jobs, lock, signal } = options;
  const log = openLog(path, { lock });
  try {
    await withHost({ host, atMost: jobs }, (opened) =>
      each(left, jobs, signal, async (call) => {
        const outcome = await traceCall(opened, call, options);
        log.append({
          id: call.id,
          ...outcome,
          ...("record" in outcome && { record: recordForFile(outcome.record) }),
        });
        onTraced(call, outcome);
      }),
    );
  } finally {
    log.close();
  }
}

/** What an interrupted call with the same key has done; a log of another one is thrown away. */
export async function resumed(path: string, key: string, lock: Lock): Promise<Map<string, Traced>> {
  const log = openLog(path, { lock });
  log.close(); // a half last line is cut
  const lines = readFileSync(path).length === 0 ? [] : readLog(path, TracedLogLine);
  const [first] = lines;
  if (first !== undefined && "key" in first && first.key === key) {
    const done = lines.flatMap((line): [string, Traced][] => {
      if ("key" in line) return [];
      const { id, ...outcome } = line;
      return [[id, outcome]];
    });
    return new Map(done);
  }
  await rm(path);
  const fresh = openLog(path);
  fresh.append({ key });
  fresh.close();
  return new Map();
}

/** The first source that can be traced counts; where none can, what the last one said. */
async function traceCall(
  host: PythonHost,
  { sources, call, expected }: BenchmarkCall,
  { calls, anonymous, maximumSteps, wallSeconds, signal }: Tracing & { readonly signal: AbortSignal },
): Promise<Traced> {
  let last: Traced = { stopped: "no program" };
  for (const source of sources) {
    const request = { operation: "trace", source, call, options: { calls, maximumSteps, anonymous } };
    const answer = unwrapAnswer(await host.run(request, { wallSeconds }, signal));
    last = "stopped" in answer ? answer : { record: parseTrace(answer.value, "lab.trace") };
    if ("record" in last && last.record.reason === null) {
      const test = testOf(last.record, expected);
      if (typeof test === "boolean") return test ? last : { ...last, differs: true };
      const tested = { operation: "outcomes", source, tests: [test] };
      const judged = unwrapAnswer(await host.run(tested, { wallSeconds }, signal));
      const differs = "value" in judged && Outcomes.parse(judged.value).outcomes[0] === "failed";
      return differs ? { ...last, differs } : last;
    }
  }
  return last;
}

/** Whether the call gives what is expected, as `==` has it; a test for Python where the values are no literals. */
function testOf({ call, literal }: TraceRecord, expected: string): boolean | string {
  const wanted = readLiteral(expected);
  const given = literal === null ? undefined : readLiteral(literal);
  if (wanted !== undefined && holdsNan(wanted)) return true; // it equals nothing, so nothing is known
  if (wanted !== undefined && given !== undefined) return equalLiteral(given, wanted);
  // an assert without a comparison expects no value
  return expected === "" ? call : `(${call}\n) == (${expected}\n)`;
}

const Outcomes = z.object({ outcomes: z.array(z.string()) });

/** At most `atMost` at a time; after `signal` nothing new begins. */
async function each<T>(
  items: readonly T[],
  atMost: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      try {
        await work(items[next++]);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atMost, items.length) }, worker));
}

/**
 * @file Faults put into programs that pass their tests, each kept only if a test ends otherwise: a corpus in which the first faulty block
 * is known.
 *
 *     for each program    all places of all kinds (lab.faults), in an order that the seed draws, kinds in turn
 *     for each place      the tests are run, contained; where none changes, the fault is silent and left out
 *     of a kept one       the run of the first changed test is recorded, right and faulty: where do they part?
 */

import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { z } from "zod";
import type { ProgressDisplay } from "../../core/progress.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import type { Benchmark, BenchmarkRow } from "../../python/benchmarks/index.ts";
import { openRecording, runByBlocks } from "../../python/debugger/index.ts";
import type { PythonHost, PythonRequest } from "../../python/sandbox/host.ts";
import { severally } from "../../python/sandbox/open.ts";
import { type HistoryRecord, parseHistory } from "../../schemas/execution-trace.ts";
import { FaultName, FaultRecord } from "../../schemas/fault.ts";
import { openLog, readLog, sha256, takeLock } from "../../storage/index.ts";
import { labVersion } from "../../storage/version.ts";

interface InjectOptions {
  /** What was done before, and where it is kept what is done now. */
  readonly log?: Pick<FaultLog, "done" | "keep">;
  readonly host: PythonHost;
  readonly jobs: number;
  /** At most so many of a program. */
  readonly each: number;
  readonly seed: number;
  readonly wallSeconds: number;
  readonly progress: ProgressDisplay;
  readonly signal: AbortSignal;
}

export interface Injected {
  readonly faults: readonly FaultRecord[];
  readonly counts: {
    readonly programs: number;
    /** With at least one fault that is kept. */
    readonly faulted: number;
    readonly faults: number;
    readonly byFault: Readonly<Record<string, number>>;
    /** Tried, and no test changed. */
    readonly silent: number;
    /** Tried, and the program did not end in time or memory. */
    readonly endless: number;
    /** Number of faults whose runs first differ in the faulty block. */
    readonly partInBlock: number;
    readonly left: readonly { readonly program: string; readonly reason: string }[];
  };
  readonly interrupted: boolean;
}

const Places = z.object({
  blocks: z.array(z.tuple([z.int(), z.int()])),
  faults: z.array(
    z.object({
      fault: FaultName,
      line: z.int(),
      block: z.tuple([z.int(), z.int()]),
      before: z.string(),
      after: z.string(),
      source: z.string(),
    }),
  ),
});
type Place = z.infer<typeof Places>["faults"][number];
const Outcomes = z.object({ outcomes: z.array(z.string()) });

/** Tries for one that is kept. */
const TRIES = 3;
const MOST_EVENTS = 5_000;
/** Lines, calls and returns that the tests of a program may take together. */
const MOST_LINES = 200_000;
const ENDLESS = "endless";

export async function injectFaults(
  benchmark: Pick<Benchmark, "name" | "license" | "sha256">,
  rows: readonly BenchmarkRow[],
  options: InjectOptions,
): Promise<Injected> {
  const { jobs, signal, progress, seed, log } = options;
  const tried = new Map<string, TriedProgram>();
  for (const { program } of rows) {
    const before = log?.done.get(program);
    if (before !== undefined) tried.set(program, before);
  }
  const open = rows.filter(({ program }) => !tried.has(program));
  let [next, count] = [0, 0];
  const worker = async () => {
    while (next < open.length && !signal.aborted) {
      const row = open[next++];
      try {
        const tally = { silent: 0, endless: 0 };
        const found = await faultsOf(benchmark, row, rngFrom(seed).fork(row.program), options, tally);
        const outcome: TriedProgram = {
          program: row.program,
          ...(typeof found === "string" ? { faults: [], left: found } : { faults: found }),
          ...tally,
        };
        log?.keep(outcome);
        tried.set(row.program, outcome);
        count += outcome.faults.length;
      } catch (error) {
        if (!signal.aborted) throw error;
        return;
      }
      progress.update("faults", { step: tried.size, steps: rows.length, note: `${count} more faults` });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(jobs, open.length) }, worker));
  } finally {
    progress.close();
  }
  const all = rows.flatMap(({ program }) => tried.get(program) ?? []);
  const sorted = all.flatMap(({ faults }) => faults);
  const sum = (of: "silent" | "endless") => all.reduce((total, each) => total + each[of], 0);
  const byFault: Record<string, number> = {};
  for (const { fault } of sorted) byFault[fault] = (byFault[fault] ?? 0) + 1;
  const inBlock = ({ parts, block }: FaultRecord) =>
    parts !== null && parts.line >= block[0] && parts.line <= block[1];
  return {
    faults: sorted,
    counts: {
      programs: all.length,
      faulted: new Set(sorted.map(({ program }) => program)).size,
      faults: sorted.length,
      byFault,
      ...{ silent: sum("silent"), endless: sum("endless") },
      partInBlock: sorted.filter(inBlock).length,
      left: all.flatMap(({ program, left }) => (left === undefined ? [] : [{ program, reason: left }])),
    },
    interrupted: signal.aborted,
  };
}

/** The faults of one program, or why it gets none. */
async function faultsOf(
  benchmark: Pick<Benchmark, "name" | "license" | "sha256">,
  row: BenchmarkRow,
  rng: Rng,
  options: InjectOptions,
  tally: { silent: number; endless: number },
): Promise<FaultRecord[] | string> {
  const { host, each, seed, wallSeconds, signal } = options;
  if (row.calls.length === 0) return row.unreadable[0]?.reason ?? "no test";
  const tests = row.calls.map(({ call, expected }) =>
    expected === "" ? call : `(${call}) == (${expected})`,
  );
  const ask = (requests: readonly PythonRequest[]) => severally(host, requests, { wallSeconds }, signal);
  const outcomesOf = (source: string) => ({
    operation: "outcomes",
    source,
    tests,
    maximumLines: MOST_LINES,
  });
  const { sources } = row.calls[0];
  const asked = await ask(sources.flatMap((source) => [outcomesOf(source), { operation: "faults", source }]));
  let reason = "a test does not pass";
  const passing = sources.findIndex((_, i) => {
    const right = asked[2 * i];
    if ("stopped" in right) reason = right.stopped;
    else if (Outcomes.parse(right.value).outcomes.includes(ENDLESS))
      reason = `its tests take more than ${MOST_LINES} lines`;
    else return Outcomes.parse(right.value).outcomes.every((outcome) => outcome === "passed");
    return false;
  });
  if (passing === -1) return reason;
  const source = sources[passing];
  const found = asked[2 * passing + 1];
  if ("stopped" in found) return found.stopped;
  const { blocks, faults } = Places.parse(found.value);
  const places = inTurn(faults, rng).slice(0, TRIES * each);
  if (places.length === 0) return "no place for a fault";
  const noticed: { place: Place; outcomes: string[]; changed: number }[] = [];
  for (let next = 0; next < places.length && noticed.length < each; next += each) {
    const tried = places.slice(next, next + each);
    const answers = await ask(tried.map((place) => outcomesOf(place.source)));
    for (const [i, place] of tried.entries()) {
      if (noticed.length === each) break;
      const answer = answers[i];
      const outcomes = "stopped" in answer ? [ENDLESS] : Outcomes.parse(answer.value).outcomes;
      const changed = outcomes.findIndex((outcome) => outcome !== "passed");
      if (outcomes.includes(ENDLESS)) tally.endless++;
      else if (changed === -1) tally.silent++;
      else noticed.push({ place, outcomes, changed });
    }
  }
  if (noticed.length === 0) return "every fault that was tried is silent";
  const calls = [...new Set(noticed.map(({ changed }) => changed))];
  const history = (text: string, test: number) => ({
    operation: "history",
    source: text,
    call: row.calls[test].call,
    options: { maximumSteps: MOST_EVENTS },
  });
  const runs = await ask([
    ...calls.map((test) => history(source, test)),
    ...noticed.map(({ place, changed }) => history(place.source, changed)),
  ]);
  const recorded = (i: number): HistoryRecord | undefined => {
    const answer = runs[i];
    return "stopped" in answer ? undefined : parseHistory(answer.value, "lab.history");
  };
  return noticed.map(({ place, outcomes, changed }, i): FaultRecord => {
    const right = recorded(calls.indexOf(changed));
    const faulty = recorded(calls.length + i);
    const { source: faultySource, ...where } = place;
    const parts = right === undefined || faulty === undefined ? null : splitTests(right, faulty);
    const { call, expected } = row.calls[changed];
    return {
      version: 1,
      id: `${row.program}/${place.fault}/${place.line}/${i + 1}`,
      program: row.program,
      ...where,
      source,
      faulty: faultySource,
      tests: tests.map((test, at) => ({ test, outcome: outcomes[at] })),
      parts,
      blocks,
      run:
        faulty === undefined || faulty.events.length === 0
          ? null
          : {
              call,
              expected: expected === "" ? "True" : expected,
              ...runByBlocks(faulty, blocks, parts?.moment),
            },
      provenance: {
        benchmark: benchmark.name,
        license: benchmark.license,
        sha256: benchmark.sha256,
        statelab: labVersion(),
        python: found.python,
        seed,
      },
    };
  });
}

/** In an order of chance, one of each kind and then the next of each: no kind is all that a program gets. */
function inTurn(places: readonly Place[], rng: Rng): Place[] {
  const shuffled = places
    .map((place, i) => ({ place, at: rng.fork(i).next() }))
    .toSorted((a, b) => a.at - b.at);
  const turns = new Map<string, number>();
  return shuffled
    .map(({ place }) => {
      const turn = turns.get(place.fault) ?? 0;
      turns.set(place.fault, turn + 1);
      return { place, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ place }) => place);
}

/** The first event in which two runs differ, and the line that ran before it. Null where they do not, up to a bound. */
export function splitTests(right: HistoryRecord, faulty: HistoryRecord): FaultRecord["parts"] {
  if (right.events.length === 0 || faulty.events.length === 0) return null;
  const [first, second] = [openRecording(right), openRecording(faulty)];
  const last = Math.min(first.length, second.length);
  for (let moment = 0; moment < last; moment++) {
    const [a, b] = [eventText(first, moment), eventText(second, moment)];
    if (a === b) continue;
    const frame = moment === 0 ? null : second.runningAfter(moment - 1);
    return { moment, line: frame === null ? 0 : second.lineOf(moment - 1, frame.activation) };
  }
  return null;
}

function eventText(run: ReturnType<typeof openRecording>, moment: number): string {
  const { event, line, function: name, activation, value, exception } = run.events[moment];
  return JSON.stringify([event, line, name, activation, value, exception?.type, run.stateAt(moment)]);
}

const Count = z.int().min(0);
export const TriedProgram = z.strictObject({
  program: z.string(),
  faults: z.array(FaultRecord).default([]),
  /** Why there is none. */
  left: z.string().optional(),
  silent: Count,
  endless: Count,
});
export type TriedProgram = z.infer<typeof TriedProgram>;
const Line = z.union([z.strictObject({ key: z.string() }), TriedProgram]);

export interface FaultLog {
  /** By program. */
  readonly done: ReadonlyMap<string, TriedProgram>;
  keep(tried: TriedProgram): void;
  close(whole: boolean): Promise<void>;
}

/** Starts over if `depends` has changed. @throws LabError (locked) if another process writes it */
export async function openFaultLog(corpus: string, depends: readonly unknown[]): Promise<FaultLog> {
  const path = `${corpus}.progress`;
  const lock = takeLock(`${corpus}.lock`);
  try {
    const key = sha256(JSON.stringify(depends));
    openLog(path, { lock }).close(); // a half last line is cut
    const lines = readFileSync(path).length === 0 ? [] : readLog(path, Line);
    const [first] = lines;
    const isSame = first !== undefined && "key" in first && first.key === key;
    if (!isSame) await rm(path);
    const log = openLog(path, { lock });
    if (!isSame) log.append({ key });
    const done = isSame
      ? lines.flatMap((line) => ("key" in line ? [] : [[line.program, line] as const]))
      : [];
    return {
      done: new Map(done),
      keep: (tried) => log.append(tried),
      async close(whole) {
        log.close();
        if (whole) await rm(path);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

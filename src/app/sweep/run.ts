/**
 * @file Runs a sweep: a queue of run configurations, workers that take one, and sweep.json at the end.
 *
 *     DIR/betaMax=1/seed-0/   the folder of a run, for each setting and seed
 *         sweep.json          the output of `--json`
 *         sweep.lock          exists while a sweep runs
 *
 * A failed run does not stop the others; repeating the command retries it. `sweepOn` runs the same queue on an executor.
 */

import { join, relative } from "node:path";
import { type Estimated, meanAccuracyWithError } from "../../analysis/seed-aggregate.ts";
import type { ExitKind } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import { type Execute, type Outcome, runJobs } from "../../executors/pool.ts";
import { runSharded, type Sharded } from "../../executors/sharded.ts";
import type { Piece, PieceState, SuperviseOptions } from "../../executors/supervise.ts";
import type { Stalled } from "../../schemas/convergence.ts";
import { type Lock, lockFolder, sweepFiles, writeFileAtomic } from "../../storage/index.ts";
import { dataWorkerPieces } from "../data-worker/run.ts";
import { inOwnProcess, type RunAnswers, type RunJob, type RunProgress } from "../run/execute.ts";
import { stalledIn, type TestSummary } from "../run/results.ts";
import { planSweep, type SweepRequest, type SweepRun } from "./plan.ts";

export interface RunSweepOptions {
  readonly folder: string;
  /** Parallel runs. */
  readonly jobs: number;
  readonly overwrite: boolean;
  /** Executes a run; by default in a child process. */
  readonly execute?: Execute<RunJob, RunProgress, RunAnswers>;
  readonly log?: RunJob["log"];
  readonly signal: AbortSignal;
  readonly onStart?: (run: SweepRun, all: readonly SweepRun[]) => void;
  readonly onProgress?: (run: SweepRun, progress: RunProgress) => void;
  /** `mistake` is the kind of the LabError with which a run failed. */
  readonly onEnd?: (
    run: SweepRun,
    how: "done" | "failed" | "stopped",
    words: string,
    mistake: ExitKind | undefined,
  ) => void;
}

/** Executes the unfinished runs and writes sweep.json, even after an interruption. */
export async function runSweep(runs: readonly SweepRun[], options: RunSweepOptions) {
  const { folder, jobs, overwrite, log, signal, execute = inOwnProcess } = options;
  const lock = await lockFolder(folder, sweepFiles.lock);
  try {
    const left = runs.filter(({ known }) => known === undefined);
    const work = left.map((run): RunJob => ({ folder: run.folder, config: run.config, overwrite, log }));
    const runOf = (job: RunJob) => left[work.indexOf(job)];
    const outcomes = await runJobs(work, execute, {
      atMost: jobs,
      signal,
      onStart: (job) => options.onStart?.(runOf(job), left),
      onProgress: (job, progress) => options.onProgress?.(runOf(job), progress),
      onEnd(job, outcome) {
        const { message = "", mistake } = outcome.kind === "failed" ? outcome.failure : {};
        options.onEnd?.(runOf(job), outcome.kind, message, mistake);
      },
    });
    const outcomeOf = new Map(left.map((run, i) => [run, outcomes[i]]));
    return await writeRecord(folder, runs, outcomeOf, lock);
  } finally {
    lock.release();
  }
}

/** Writes sweep.json of runs that have an outcome or were finished before. */
async function writeRecord(
  folder: string,
  runs: readonly SweepRun[],
  outcomeOf: ReadonlyMap<SweepRun, Outcome<RunAnswers>>,
  lock: Lock,
): Promise<SweepRecord> {
  const record = recordOf(
    runs.map((run) => endOf(run, outcomeOf.get(run) ?? { kind: "done", result: { results: run.known! } })),
  );
  const path = join(folder, sweepFiles.record);
  await writeFileAtomic(path, `${jsonText(record, sweepFiles.record, 2)}\n`, lock);
  return record;
}

interface Ended {
  readonly folder: string;
  readonly setting: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

type EndedRun = Ended &
  (
    | {
        readonly state: "done";
        /** Absent if the whole curriculum was trained. */
        readonly stalled?: Stalled;
        readonly results: readonly TestSummary[];
      }
    | { readonly state: "failed"; readonly failure: string }
    | { readonly state: "stopped" }
  );

function endOf({ setting, seed, folder, config }: SweepRun, outcome: Outcome<RunAnswers>): EndedRun {
  const run: Ended = { folder, setting: setting.name, changes: setting.changes, seed };
  switch (outcome.kind) {
    case "done": {
      const stalled = stalledIn(folder, config);
      return { ...run, state: "done", ...(stalled && { stalled }), results: outcome.result.results };
    }
    case "failed":
      return { ...run, state: "failed", failure: outcome.failure.message };
    case "stopped":
      return { ...run, state: "stopped" };
    default:
      return outcome satisfies never;
  }
}

/** A test of a setting, over the seeds whose run is done and had programs to evaluate. */
interface SweepRow {
  readonly setting: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly seeds: readonly number[];
  /** Absent if every program had been trained on. */
  readonly accuracy?: Estimated;
  readonly accuracyLast?: Estimated;
  /** Mean accuracies of the reference solvers on the same programs. */
  readonly references: Readonly<Record<string, number>>;
}

/** The content of sweep.json and the output of `--json`. */
export interface SweepRecord {
  readonly version: 1;
  readonly runs: readonly EndedRun[];
  readonly table: readonly SweepRow[];
}

function recordOf(runs: readonly EndedRun[]): SweepRecord {
  const settings = [...new Set(runs.map(({ setting }) => setting))];
  const done = runs.filter((run) => run.state === "done");
  return { version: 1, runs, table: settings.flatMap((setting) => rowsOf(setting, done)) };
}

function rowsOf(setting: string, done: readonly (Ended & { results: readonly TestSummary[] })[]): SweepRow[] {
  const own = done.filter((run) => run.setting === setting);
  return (own[0]?.results ?? []).map(({ change, references }, i) => {
    const asked = own.filter(({ results }) => results[i].programs > 0);
    const over = (share: (row: TestSummary) => number) =>
      meanAccuracyWithError(asked.map(({ results }) => share(results[i])));
    const about = { setting, change, seeds: asked.map(({ seed }) => seed) };
    if (asked.length === 0) return { ...about, references: {} };
    return {
      ...about,
      accuracy: over(({ accuracy }) => accuracy),
      accuracyLast: over(({ accuracyLast }) => accuracyLast),
      references: Object.fromEntries(
        Object.keys(references).map((name) => [name, over((row) => row.references[name]).mean]),
      ),
    };
  });
}

/**
 * Runs a sweep on an executor: submits the runs that are not submitted yet, polls until all have ended, and writes sweep.json.
 * A repeated call shows the progress.
 */
export function sweepOn(
  request: SweepRequest,
  runs: readonly SweepRun[],
  {
    dataWorkers = 0,
    log,
    ...standing
  }: SuperviseOptions & { readonly dataWorkers?: number; readonly log?: RunJob["log"] },
): Promise<Sharded<SweepRecord>> {
  const { folder } = request;
  const left = runs.filter(({ known }) => known === undefined);
  const work = {
    ...{ home: folder, lock: sweepFiles.lock, unit: dataWorkers > 0 ? "runs and data workers" : "runs" },

    // Each run is followed by its data workers, so that an executor that starts tasks in order never starts a run without them.
    split: async () =>
      left.flatMap((run): Piece[] => [
        { folder: run.folder, work: { kind: "run", config: run.config, log } },
        ...dataWorkerPieces(run.folder, {
          home: folder,
          folder: join(folder, "feeders", relative(folder, run.folder)),
          count: dataWorkers,
        }),
      ]),

    async merge(pieces: readonly Piece[], states: readonly PieceState[], lock: Lock) {
      // The tasks left their answers in their folders.
      const ended = await planSweep(request);
      const stateOf = new Map(pieces.map(({ folder: at }, i) => [at, states[i]]));
      const outcomes = new Map(
        ended
          .filter(({ known }) => known === undefined)
          .map((run): [SweepRun, Outcome<RunAnswers>] => {
            const state = stateOf.get(run.folder);
            const message = state?.kind === "failed" ? state.words : "its answers are not in its folder";
            return [run, { kind: "failed", failure: { message } }];
          }),
      );
      return writeRecord(folder, ended, outcomes, lock);
    },
  };
  return runSharded(work, standing);
}

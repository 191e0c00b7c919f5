/**
 * @file Executes a run: train or resume, then evaluate. Used by the workers of sweeps, searches and experiments, in a child
 * process (`worker.ts`) or as a task of an executor.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PartsDone } from "../../core/progress.ts";
import { commandVariable, type JobHandler } from "../../executors/execute-task.ts";
import { inChildProcess } from "../../executors/fork.ts";
import type { RunConfig, StepRecord } from "../../schemas/run-config.ts";
import type { TestedRecord } from "../../schemas/test-result.ts";
import { latestCheckpoint, runFiles } from "../../storage/index.ts";
import { retryWhileLocked } from "../../storage/lock.ts";
import { answersToAll, askTests } from "./evaluate.ts";
import { openTrainedRun } from "./open.ts";
import { thisCommand } from "./provenance.ts";
import { readResults, stageName, type TestSummary } from "./results.ts";
import { resumeRun } from "./resume.ts";
import { type TrainRunOptions, trainRun } from "./train.ts";

/** A job of a worker, plain data. */
export interface RunJob {
  readonly folder: string;
  readonly config: RunConfig;
  /** Replace an existing run. */
  readonly overwrite: boolean;
  /** Train to this step only, and evaluate there. */
  readonly until?: number;
  readonly log?: TrainRunOptions["log"];
}

/** The result of a worker, plain data: one summary for each test of the configuration, in order. */
export interface RunAnswers {
  readonly results: readonly TestSummary[];
}

/** Evaluates the tests of the configuration unless others are given. Throws on an abort; progress is saved. */
export async function executeRun(
  { folder, config, overwrite, until, log }: RunJob,
  tell: Tell,
  signal: AbortSignal,
  tests: RunConfig["evaluate"]["settings"] = config.evaluate.settings,
) {
  const options = { ...reportsOf(config, tell), signal, overwrite, until, log };
  const begun = !overwrite && existsSync(join(folder, runFiles.config));
  const before = begun ? ((await latestCheckpoint(folder))?.step ?? 0) : 0;
  if (until === undefined || before < until) {
    const { finished, step } = await retryWhileLocked(signal, () =>
      begun ? resumeRun(folder, options) : trainRun(folder, config, options),
    );
    if (!finished && (until === undefined || step < until)) throw new Error("stopped");
  }
  const run = await openTrainedRun(folder, {
    step: until !== undefined && before > until ? until : undefined,
  });
  const answers = await askTests(folder, run, {
    tests,
    programs: config.evaluate.examples,
    known: readResults(folder),
    onAsk: (test) => tell({ kind: "ask", test }),
    signal,
  });
  // `answers`: one for each test, in order.
  return { run, answers };
}

/** Answers of a run at its end or at `until`. Saved answers are used: a run that was continued may have no such checkpoint. */
export async function readAnswers(
  job: RunJob,
  tell: Tell,
  signal: AbortSignal,
): Promise<readonly TestedRecord[]> {
  const { folder, config, until } = job;
  const before = until === undefined ? undefined : answersToAll(readResults(folder), config.evaluate, until);
  return before ?? (await executeRun(job, tell, signal)).answers;
}

/** What a worker reports while it runs, a few times a second. Plain data. */
export type RunProgress =
  | { readonly kind: "start"; readonly parameters: number; readonly bytes: number; readonly seconds: number }
  | {
      readonly kind: "step";
      readonly step: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly stage: string;
      readonly secondsPerStep: number;
      readonly tokensPerSecond: number;
    }
  | { readonly kind: "warning"; readonly sentence: string }
  | { readonly kind: "ask"; readonly test: string }
  | ({ readonly kind: "measure" } & PartsDone);

export type Tell = (progress: RunProgress) => void;

const reportEveryMilliseconds = 200;
/** The reported speed is the mean over so many steps. */
const recentSteps = 20;

/** Callbacks of a training that report progress, at most every 200 ms. */
function reportsOf(config: RunConfig, tell: Tell): Pick<TrainRunOptions, "onStart" | "onStep" | "onWarning"> {
  let reported = Number.NEGATIVE_INFINITY;
  const recent: StepRecord[] = [];
  const total = (key: "seconds" | "tokens") => recent.reduce((sum, record) => sum + record[key], 0);
  return {
    onStart: ({ parameters, estimate: { bytes, seconds } }) =>
      tell({ kind: "start", parameters, bytes, seconds }),
    onWarning: (sentence) => tell({ kind: "warning", sentence }),
    onStep: (record) => {
      recent.push(record);
      if (recent.length > recentSteps) recent.shift();
      const now = performance.now();
      if (record.step < config.train.steps && now - reported < reportEveryMilliseconds) return;
      reported = now;
      tell({
        kind: "step",
        step: record.step,
        loss: record.loss,
        accuracy: record.runningAccuracy,
        stage: stageName(config, record.stage),
        secondsPerStep: total("seconds") / recent.length,
        tokensPerSecond: total("tokens") / total("seconds"),
      });
    },
  };
}

/** Runs a job in a child process, which then takes another. One thread each: two single-threaded runs are faster than one run with two threads. */
export const inOwnProcess = inChildProcess<RunJob, RunProgress, RunAnswers>({
  entry: new URL("./worker.ts", import.meta.url),
  reuse: true,
  environment: { OMP_NUM_THREADS: "1", [commandVariable]: JSON.stringify(thisCommand()) },
});

/** The handler of `run` tasks of an executor. */
export const run: JobHandler<"run"> = {
  saved: async (folder) => (await latestCheckpoint(folder))?.step ?? 0,
  async carryOut({ folder, work: { config, log } }, tell, signal) {
    await readAnswers({ folder, config, overwrite: false, log }, tell, signal);
  },
};

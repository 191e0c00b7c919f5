/** @file A run from its configuration to its answers: train or go on, then ask. What a worker of a sweep or an experiment does. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { TestedRecord } from "../../schemas/test-result.ts";
import { latestCheckpoint, runFiles } from "../../storage/index.ts";
import { patiently } from "../../storage/retry-while-locked.ts";
import { openTrained, type TrainedRun } from "./open.ts";
import { reportsOf, type Tell } from "./progress.ts";
import { readTested, type TestSummary } from "./results.ts";
import { answersToAll, askTests } from "./run-tests.ts";
import { trainNew, trainOn } from "./train.ts";

/** Plain data. */
export interface RunJob {
  readonly folder: string;
  readonly config: RunConfig;
  /** Whether a run that is there is to be replaced. */
  readonly overwrite: boolean;
  /** It is trained to this step and asked there, though more are configured. */
  readonly until?: number;
}

/** What its process answers: plain data, one summary for each test of the configuration, in its order. */
export interface RunAnswers {
  readonly results: readonly TestSummary[];
}

export interface CarriedOut {
  readonly run: TrainedRun;
  /** One for each test, in their order. */
  readonly answers: readonly TestedRecord[];
}

/** Asks about the tests of the configuration unless others are given. Throws when it was stopped: all is saved then. */
export async function carryOut(
  { folder, config, overwrite, until }: RunJob,
  tell: Tell,
  signal: AbortSignal,
  tests: RunConfig["evaluate"]["tests"] = config.evaluate.tests,
): Promise<CarriedOut> {
  const options = { ...reportsOf(config, tell), signal, overwrite, until };
  const begun = !overwrite && existsSync(join(folder, runFiles.config));
  const before = begun ? ((await latestCheckpoint(folder))?.step ?? 0) : 0;
  if (until === undefined || before < until) {
    const { finished, step } = await patiently(signal, () =>
      begun ? trainOn(folder, options) : trainNew(folder, config, options),
    );
    if (!finished && (until === undefined || step < until)) throw new Error("stopped");
  }
  const run = await openTrained(folder, { step: until !== undefined && before > until ? until : undefined });
  const answers = await askTests(folder, run, {
    tests,
    programs: config.evaluate.programs,
    known: readTested(folder),
    onAsk: (test) => tell({ kind: "ask", test }),
    signal,
  });
  return { run, answers };
}

/** What the run answers at its end, or at `until`. Answers that are there are taken: a run that went on since may have other weights left. */
export async function answersOf(
  job: RunJob,
  tell: Tell,
  signal: AbortSignal,
): Promise<readonly TestedRecord[]> {
  const { folder, config, until } = job;
  const before = until === undefined ? undefined : answersToAll(readTested(folder), config, until);
  return before ?? (await carryOut(job, tell, signal)).answers;
}

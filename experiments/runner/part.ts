/**
 * @file One part of an experiment carried out: a run, as a sweep carries it out, and what the experiment measures besides, or work
 * that trains nothing.
 */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isModulePath } from "../../src/app/own-code/load.ts";
import { executeRun, type RunJob, type Tell } from "../../src/app/run/execute.ts";
import type { TrainedRun } from "../../src/app/run/open.ts";
import { changedSince, readProvenance } from "../../src/app/run/provenance.ts";
import { cameTo, trainingCurve } from "../../src/app/run/results.ts";
import { LabError } from "../../src/core/error.ts";
import { jsonText } from "../../src/core/json.ts";
import type { PartsDone } from "../../src/core/progress.ts";
import type { JobHandler } from "../../src/executors/execute-task.ts";
import { parameterCount } from "../../src/models/index.ts";
import {
  MeasuredRecord,
  Measurement,
  ResultRow,
  TrainingCurve,
} from "../../src/schemas/experiment-result.ts";
import { StepRecord } from "../../src/schemas/run-config.ts";
import type { TestedRecord } from "../../src/schemas/test-result.ts";
import {
  latestCheckpoint,
  lockFolder,
  makeFolder,
  readLog,
  readRecord,
  runFiles,
  writeFileAtomic,
} from "../../src/storage/index.ts";
import type { Measuring, PlannedRun, PlannedTest, PlannedWork } from "./define.ts";

export interface Job extends PlannedRun, RunJob {
  /** The experiment whose `measureRun` measures the trained model, if any. */
  readonly measuredBy?: string;
  /** Points of its curve. */
  readonly curvePoints?: number;
}

export interface WorkJob extends PlannedWork {
  readonly folder: string;
  readonly measuredBy: string;
}

export interface JobResult {
  readonly rows: readonly ResultRow[];
  readonly measurements: readonly Measurement[];
  /** Of a run that was trained. */
  readonly curve?: TrainingCurve;
}

const Answered = z.strictObject({
  version: z.literal(1),
  /** Everything that the rest depends on; a model of the user's own besides, whose run is removed when it is edited. */
  about: z.unknown(),
  result: z.strictObject({
    rows: z.array(ResultRow),
    measurements: z.array(Measurement),
    curve: TrainingCurve.optional(),
  }),
});

function aboutOf(job: Job | WorkJob) {
  const { setting, model } = job;
  if (!("config" in job)) return { setting, model, seed: job.seed, options: job.options };
  return { setting, model, config: job.config, tests: job.tests };
}

/** What the very same run came to before; undefined where it is not done, or its record is damaged. */
export async function keptResult(job: Job | WorkJob): Promise<JobResult | undefined> {
  const path = join(job.folder, runFiles.answered);
  if (!existsSync(path)) return undefined;
  try {
    const { about, result } = await readRecord(path, Answered, "");
    return JSON.stringify(about) === JSON.stringify(aboutOf(job)) ? (result as JobResult) : undefined; // absent keys are absent
  } catch (error) {
    if (error instanceof LabError) return undefined;
    throw error;
  }
}

export async function keepResult(job: Job | WorkJob, result: JobResult): Promise<void> {
  const path = join(job.folder, runFiles.answered);
  const record = Answered.parse({ version: 1, about: aboutOf(job), result });
  await writeFileAtomic(path, `${jsonText(record, path)}\n`);
}

/** Removes a run whose model is a file of the user's own that is not as it was. */
export async function removeIfChanged({ folder, config }: Job): Promise<void> {
  if (!isModulePath(config.model.name) || !existsSync(folder)) return;
  const origin = await readProvenance(folder);
  if (origin === undefined || changedSince(folder, origin).length > 0) await rm(folder, { recursive: true });
}

const REPORT_EVERY_MILLISECONDS = 200;

interface MeasureOptions {
  readonly folder: string;
  /** The experiment: several may measure the models of one folder. */
  readonly name: string;
  /** Everything that what is found depends on. */
  readonly about: PlannedRun | PlannedWork;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PartsDone) => void;
}

/** What was found before for the very same run or work, or what `measuring` finds now. */
export async function measureOnce(
  measuring: () => Measuring,
  { folder, name, about, signal, onProgress }: MeasureOptions,
): Promise<readonly Measurement[]> {
  const home = join(folder, runFiles.measured);
  const path = join(home, `${name}.json`);
  const before = await recordAt(path);
  if (before !== undefined && JSON.stringify(before.about) === JSON.stringify(about))
    return before.measurements;
  const { setting, model } = about;
  const seed = plannedSeed(about);
  let reported = Number.NEGATIVE_INFINITY;
  const steps = measuring();
  for (;;) {
    const step = await steps.next();
    if (step.done) {
      const measurements = step.value.map((row) => ({ setting, model, seed, at: {}, ...row }));
      const record = MeasuredRecord.parse({ version: 1, about, measurements });
      await makeFolder(home);
      await writeFileAtomic(path, `${jsonText(record, path, 1)}\n`);
      return record.measurements;
    }
    const now = performance.now();
    if (now - reported >= REPORT_EVERY_MILLISECONDS) {
      onProgress(step.value);
      reported = now;
    }
    await new Promise(setImmediate); // an interruption is heard between two steps
    if (signal.aborted) throw new Error("stopped");
  }
}

export const plannedSeed = (planned: Pick<PlannedRun, "config"> | Pick<PlannedWork, "seed">) =>
  "config" in planned ? planned.config.seed : planned.seed;

/** A damaged record is measured again. */
async function recordAt(path: string): Promise<MeasuredRecord | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return await readRecord(path, MeasuredRecord, "");
  } catch (error) {
    if (error instanceof LabError) return undefined;
    throw error;
  }
}

/** Throws when it was stopped: all is saved then. */
export const executePart = (job: Job | WorkJob, onProgress: Tell, signal: AbortSignal): Promise<JobResult> =>
  "config" in job ? trained(job, onProgress, signal) : worked(job, onProgress, signal);

/** All experiments and their reports are read where they are needed alone: most runs start sooner without. */
async function experimentCalled(name: string) {
  const { experimentNamed } = await import("../index.ts");
  return experimentNamed(name);
}

async function worked(job: WorkJob, onProgress: Tell, signal: AbortSignal): Promise<JobResult> {
  const { folder, measuredBy: name, ...work } = job;
  const { measureWork } = await experimentCalled(name);
  if (measureWork === undefined) throw new Error(`${name} plans work, but has no measureWork`);
  const measurements = await measureOnce(() => measureWork(work), {
    folder,
    name,
    about: work,
    signal,
    onProgress: (progress) => onProgress({ kind: "measure", ...progress }),
  });
  return { rows: [], measurements };
}

async function trained(job: Job, onProgress: Tell, signal: AbortSignal): Promise<JobResult> {
  const { measuredBy, tests } = job;
  const { run, answers } = await executeRun(
    job,
    onProgress,
    signal,
    tests.map(({ change }) => change),
  );
  const stage = readLog(join(job.folder, runFiles.metrics), StepRecord).at(-1)?.stage ?? 0;
  const rows = tests.flatMap((test, i) => rowOf(job, cameTo(job.config, test, stage), answers[i]));
  const measurements =
    measuredBy === undefined ? [] : await measured(measuredBy, job, run, onProgress, signal);
  return {
    rows,
    measurements,
    curve: {
      setting: job.setting,
      model: job.model,
      ...trainingCurve(job, parameterCount(run.tree), job.curvePoints),
      run: await trainedAs(job),
    },
  };
}

/** What the evidence says of a training. */
async function trainedAs({ folder, config: { model, train } }: Job): Promise<TrainingCurve["run"]> {
  const { name, ...fields } = model;
  const { batch, learningRate, loss, schedule, weightDecay } = train;
  const commit = (await readProvenance(folder))?.sessions.at(-1)?.commit;
  return {
    ...{ model: name, loss, settings: { ...fields, batch, learningRate, schedule, weightDecay } },
    ...(commit !== undefined && { commit }),
  };
}

/** An answer in the experiment's words; none where every program of this kind was trained on: there was nothing to ask. */
function rowOf({ setting, model, config }: Job, test: PlannedTest, answer: TestedRecord): ResultRow[] {
  const { programs, reveals, accuracy, accuracyLast, accuracyByReveal, references, nats } = answer;
  if (programs === 0) return [];
  const { name, change, asTrained, chance } = test;
  return [
    ResultRow.parse({
      ...{ setting, model, seed: config.seed },
      tested: { name, change, programs, reveals, asTrained, chance },
      ...{ accuracy, accuracyLast, accuracyByReveal, references },
      ...(nats && { nats }),
    }),
  ];
}

async function measured(name: string, job: Job, run: TrainedRun, onProgress: Tell, signal: AbortSignal) {
  const { folder, overwrite: _, measuredBy: __, curvePoints: ___, ...planned } = job;
  const { measureRun } = await experimentCalled(name);
  if (measureRun === undefined) return [];
  return measureOnce(() => measureRun(run, planned), {
    folder,
    name,
    about: planned,
    signal,
    onProgress: (progress) => onProgress({ kind: "measure", ...progress }),
  });
}

export const part: JobHandler<"part"> = {
  saved: async (folder) => (await latestCheckpoint(folder))?.step ?? 0,

  async carryOut({ folder, work }, tell, signal) {
    // Absent keys are absent: the schema leaves out what is not there.
    const job = { ...work.part, folder, ...("config" in work.part && { overwrite: false }) } as Job | WorkJob;
    if ("config" in job) return keepResult(job, await executePart(job, tell, signal));
    const lock = await lockFolder(folder, runFiles.lock); // a training takes its own lock
    try {
      await keepResult(job, await executePart(job, tell, signal));
    } finally {
      lock.release();
    }
  },
};

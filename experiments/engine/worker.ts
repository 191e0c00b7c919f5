/**
 * @file One part of an experiment in a process of its own: a run (train or go on, ask about every test, measure
 * what else the experiment wants), or work that trains nothing.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveJob } from "../../src/jobs/worker.ts";
import { parameterCount } from "../../src/models/index.ts";
import { ResultRow, type TrainingCurve } from "../../src/records/result.ts";
import { type RunConfig, StepRecord } from "../../src/records/run.ts";
import { openLog, readLog } from "../../src/store/index.ts";
import type { Evaluation } from "../../src/train/evaluate.ts";
import type { RunProgress } from "../../src/work/run/progress.ts";
import { type TrainRunOptions, trainNew, trainOn } from "../../src/work/run/train.ts";
import { askAbout, openTrained, type TrainedRun } from "../../src/work/run/trained.ts";
import type { PlannedTest } from "./experiment.ts";
import type { Job, JobResult, WorkJob } from "./job.ts";
import { measureOnce } from "./measure.ts";

/** Points of a training curve: enough for a figure. */
const CURVE_POINTS = 200;
const REPORT_EVERY_MILLISECONDS = 200;

type Tell = (progress: RunProgress) => void;

await serveJob<Job | WorkJob, RunProgress, JobResult>((job, onProgress, signal) =>
  "config" in job ? trained(job, onProgress, signal) : worked(job, onProgress, signal),
);

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
  const { folder, config, measuredBy } = job;
  let reported = 0;
  const recent: { tokens: number; seconds: number }[] = [];
  const options: TrainRunOptions = {
    signal,
    onStart: ({ parameters, estimate: { bytes, seconds } }) =>
      onProgress({ kind: "start", parameters, bytes, seconds }),
    onStep: (record) => {
      recent.push(record);
      if (recent.length > 20) recent.shift();
      const now = performance.now();
      if (now - reported < REPORT_EVERY_MILLISECONDS && record.step !== config.train.steps) return;
      reported = now;
      const seconds = recent.reduce((total, each) => total + each.seconds, 0);
      const tokens = recent.reduce((total, each) => total + each.tokens, 0);
      onProgress({
        kind: "step",
        step: record.step,
        loss: record.loss,
        accuracy: record.runningAccuracy,
        stage: stageName(config, record.stage),
        secondsPerStep: seconds / recent.length,
        tokensPerSecond: tokens / seconds,
      });
    },
  };
  const begun = existsSync(join(folder, "config.json"));
  const { finished } = begun ? await trainOn(folder, options) : await trainNew(folder, config, options);
  if (!finished) throw new Error("stopped");
  const run = await openTrained(folder);
  const rows = await askAboutAll(job, run, (test) => onProgress({ kind: "ask", test }), signal);
  const measurements =
    measuredBy === undefined ? [] : await measured(measuredBy, job, run, onProgress, signal);
  return { rows, measurements, curve: curveOf(job, parameterCount(run.tree)) };
}

async function measured(name: string, job: Job, run: TrainedRun, onProgress: Tell, signal: AbortSignal) {
  const { folder, measuredBy: _, ...planned } = job;
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

/** Each answer is logged in the run's folder, so that nothing is asked twice however often the work is cut short. */
async function askAboutAll(
  { setting, model, folder, config, tests }: Job,
  run: TrainedRun,
  onAsk: (test: string) => void,
  signal: AbortSignal,
): Promise<ResultRow[]> {
  const path = join(folder, "tested.jsonl");
  const log = openLog(path);
  try {
    const known = readLog(path, ResultRow);
    const rows: ResultRow[] = [];
    for (const test of tests) {
      if (signal.aborted) throw new Error("stopped");
      onAsk(test.name);
      const before = known.find((row) => answers(row, test, config.evaluate.programs));
      const { name, change, asTrained, chance } = test;
      if (before !== undefined) {
        rows.push({ ...before, setting, model, tested: { ...before.tested, name, asTrained } });
        continue;
      }
      const { evaluation, references } = await askAbout(run, change, config.evaluate.programs);
      const { programs, reveals } = evaluation;
      if (programs === 0) continue; // every program of this kind was trained on: there is nothing to ask
      const row: ResultRow = {
        setting,
        model,
        seed: config.seed,
        tested: { name, change, programs, reveals, asTrained, chance },
        ...sharesOf(evaluation),
        references: Object.fromEntries(
          Object.entries(references).map(([solver, each]) => [solver, sharesOf(each)]),
        ),
      };
      log.append(row);
      rows.push(row);
    }
    return rows;
  } finally {
    log.close();
  }
}

/** A small task has fewer programs than were asked for; a log of another number of programs is asked again. */
function answers({ tested }: ResultRow, { change, chance }: PlannedTest, programs: number): boolean {
  const same = JSON.stringify(tested.change) === JSON.stringify(change) && tested.chance === chance;
  return same && tested.programs === programs;
}

function sharesOf({ accuracy, accuracyLast, accuracyByReveal }: Evaluation) {
  return { accuracy, accuracyLast, accuracyByReveal: [...accuracyByReveal] };
}

/** A stage by its hardest change, `12` for `{ spacing: 12 }`, or by its number where it changes nothing. */
function stageName({ curriculum }: RunConfig, stage: number): string {
  const values = Object.values(curriculum.stages[stage].at(-1)!);
  return values.length === 0 ? String(stage + 1) : values.map((value) => [value].flat().join("–")).join(", ");
}

function curveOf({ folder, setting, model, config }: Job, parameters: number): TrainingCurve {
  const records = readLog(join(folder, "metrics.jsonl"), StepRecord);
  // Of the steps that are configured: runs that end early have their points where the others have theirs.
  const every = Math.max(1, Math.ceil(config.train.steps / CURVE_POINTS));
  return {
    setting,
    model,
    seed: config.seed,
    parameters,
    learningRate: config.train.learningRate,
    steps: config.train.steps,
    seconds: records.reduce((total, { seconds }) => total + seconds, 0),
    points: records
      .filter(({ step }) => step % every === 0 || step === records.length)
      .map(({ step, loss, runningAccuracy, stage }) => ({
        step,
        loss,
        accuracy: runningAccuracy,
        stage: stageName(config, stage),
      })),
  };
}

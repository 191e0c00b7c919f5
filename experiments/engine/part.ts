/**
 * @file One part of an experiment carried out: a run, as a sweep carries it out, and what the experiment measures besides, or work
 * that trains nothing.
 */

import { join } from "node:path";
import { parameterCount } from "../../src/models/index.ts";
import { ResultRow } from "../../src/records/result.ts";
import { StepRecord } from "../../src/records/run.ts";
import { readLog, runFiles } from "../../src/store/index.ts";
import { carryOut } from "../../src/work/run/carry-out.ts";
import { curveOf } from "../../src/work/run/curve.ts";
import type { Tell } from "../../src/work/run/progress.ts";
import type { KnownTest } from "../../src/work/run/tested.ts";
import type { TrainedRun } from "../../src/work/run/trained.ts";
import { cameTo } from "../../src/work/run/trained-on.ts";
import type { PlannedTest } from "./experiment.ts";
import type { Job, JobResult, WorkJob } from "./job.ts";
import { measureOnce } from "./measure.ts";

/** Throws when it was stopped: all is saved then. */
export const carryOutPart = (
  job: Job | WorkJob,
  onProgress: Tell,
  signal: AbortSignal,
): Promise<JobResult> =>
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
  const { run, answers } = await carryOut(
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
      ...curveOf(job, parameterCount(run.tree), job.curvePoints),
    },
  };
}

/** An answer in the experiment's words; none where every program of this kind was trained on: there was nothing to ask. */
function rowOf({ setting, model, config }: Job, test: PlannedTest, answer: KnownTest): ResultRow[] {
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

/** @file One run of an experiment in a process of its own: train (or go on), then ask about every condition. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TrainRunOptions, trainNew, trainOn } from "../src/cli/train-run.ts";
import { askAbout, openTrained } from "../src/cli/trained-run.ts";
import { serveJob } from "../src/jobs/worker.ts";
import { parameterCount } from "../src/models/index.ts";
import type { ResultRow, TrainingCurve } from "../src/records/result.ts";
import { StepRecord } from "../src/records/run.ts";
import { readLog } from "../src/store/index.ts";
import { replReferences } from "../src/tasks/repl.ts";
import type { Job, JobProgress, JobResult } from "./job.ts";

/** Points of a training curve: enough for a figure. */
const CURVE_POINTS = 200;
const REPORT_EVERY_MILLISECONDS = 200;

await serveJob<Job, JobProgress, JobResult>(async (job, onProgress, signal) => {
  const { folder, config, conditions, window } = job;
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
        spacing: job.trained.spacings[record.stage],
        secondsPerStep: seconds / recent.length,
        tokensPerSecond: tokens / seconds,
      });
    },
  };
  const begun = existsSync(join(folder, "config.json"));
  const { finished } = begun ? await trainOn(folder, options) : await trainNew(folder, config, options);
  if (!finished) throw new Error("stopped");
  const run = await openTrained(folder);
  const rows: ResultRow[] = [];
  for (const [i, { commands, spacing, asTrained }] of conditions.entries()) {
    if (signal.aborted) throw new Error("stopped");
    onProgress({ kind: "ask", condition: i });
    const references = replReferences({ window, repeatedValues: false });
    const asked = await askAbout(run, { commands, spacing }, config.evaluate.programs, references);
    const { evaluation } = asked;
    rows.push({
      model: job.model,
      seed: config.seed,
      trained: job.trained,
      tested: { commands, spacing, programs: evaluation.programs, reveals: evaluation.reveals, asTrained },
      accuracy: evaluation.accuracy,
      accuracyLast: evaluation.accuracyLast,
      accuracyByReveal: [...evaluation.accuracyByReveal],
      exactBayes: asked.references.exactBayes.accuracy,
      windowedBayes: asked.references.windowedBayes.accuracy,
      windowedBayesWithoutBoundary: asked.references.windowedBayesWithoutBoundary.accuracy,
      windowedBayesByReveal: [...asked.references.windowedBayes.accuracyByReveal],
    });
  }
  return { rows, curve: curveOf(job, parameterCount(run.tree)) };
});

function curveOf({ folder, model, config, trained }: Job, parameters: number): TrainingCurve {
  const records = readLog(join(folder, "metrics.jsonl"), StepRecord);
  const every = Math.max(1, Math.ceil(records.length / CURVE_POINTS));
  return {
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
        spacing: trained.spacings[stage],
      })),
  };
}

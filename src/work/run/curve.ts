/** @file How a run learned, thinned for drawing: its log of steps as a training curve. */

import { join } from "node:path";
import type { TrainingCurve } from "../../records/result.ts";
import { type RunConfig, StepRecord } from "../../records/run.ts";
import { readLog, runFiles } from "../../store/index.ts";
import { stageName } from "./progress.ts";

/** Points of a curve: enough for a figure. */
const POINTS = 200;

export function curveOf(
  { folder, config }: { readonly folder: string; readonly config: RunConfig },
  parameters: number,
  most = POINTS,
): Omit<TrainingCurve, "setting" | "model"> {
  const records = readLog(join(folder, runFiles.metrics), StepRecord);
  // Of the steps that are configured: runs that end early have their points where the others have theirs.
  const every = Math.max(1, Math.ceil(config.train.steps / most));
  return {
    seed: config.seed,
    parameters,
    learningRate: config.train.learningRate,
    batch: config.train.batch,
    stages: { reached: (records.at(-1)?.stage ?? 0) + 1, of: config.curriculum.stages.length },
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

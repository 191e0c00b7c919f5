/** @file How a run learned, thinned for drawing: its log of steps as a training curve. */

import { z } from "zod";
import type { StreamStep } from "../../analysis/async-data-stats.ts";
import type { ReportedStream } from "../../report/async-data.ts";
import type { TrainingCurve } from "../../schemas/experiment-result.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { stageName } from "./progress.ts";
import { stepsOf } from "./stage-reached.ts";

/** Points of a curve: enough for a figure. */
const POINTS = 200;

interface RunAt {
  readonly folder: string;
  readonly config: RunConfig;
}

export function curveOf(
  { folder, config }: RunAt,
  parameters: number,
  most = POINTS,
): Omit<TrainingCurve, "setting" | "model"> {
  const records = stepsOf(folder, config);
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

/** How its examples came; undefined where the training made them itself. */
export function streamOf({ folder, config }: RunAt): ReportedStream | undefined {
  const bounds = config.teach?.stream;
  if (bounds === undefined) return undefined;
  const steps = stepsOf(folder, config).flatMap((record): StreamStep[] => {
    const parsed = Streamed.safeParse(record);
    return parsed.success ? [{ step: record.step, seconds: record.seconds, ...parsed.data }] : [];
  });
  return { bounds, steps };
}

/** What `src/app/async-data/source.ts` records. */
const Streamed = z.object({
  waited: z.number(),
  blockSeconds: z.number(),
  blockWaited: z.number(),
  unread: z.number(),
  staleness: z.number().optional(),
});

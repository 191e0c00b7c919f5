/**
 * @file The learning rate over the steps 1 .. N, after a linear warm-up over W steps.
 *
 *     constant  1
 *     cosine    f + (1 - f) (1 + cos(pi (t - W) / (N - W))) / 2        f: the share that is left at the end
 *     wsd       1, then linear to f over the last D steps              (warm-up, stable, decay)
 */

import type { TrainConfig } from "../records/run.ts";

type ScheduleConfig = Pick<
  TrainConfig,
  "steps" | "learningRate" | "schedule" | "warmupSteps" | "decaySteps" | "finalShare"
>;

export function learningRateAt(step: number, config: ScheduleConfig): number {
  const { learningRate, warmupSteps } = config;
  return learningRate * Math.min(1, step / Math.max(1, warmupSteps)) * shareAt(step, config);
}

function shareAt(
  step: number,
  { steps, schedule, warmupSteps, decaySteps, finalShare }: ScheduleConfig,
): number {
  switch (schedule) {
    case "constant":
      return 1;
    case "cosine": {
      const done = clamp((step - warmupSteps) / Math.max(1, steps - warmupSteps));
      return finalShare + ((1 - finalShare) * (1 + Math.cos(Math.PI * done))) / 2;
    }
    case "wsd":
      return 1 - (1 - finalShare) * clamp((step - (steps - decaySteps)) / Math.max(1, decaySteps));
    default:
      return schedule satisfies never;
  }
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/**
 * @file A curriculum that advances when the model is ready: stages of increasingly hard variants of a task.
 *
 *     [spacing 1] -> [1, 2] -> [1, 2, 4] -> [1, 2, 4, 12]     each step on 95 % accuracy at the widest spacing
 *
 * Each example is drawn from one of the variants of its stage; the running accuracy on the last, hardest variant decides.
 */

import type { CurriculumConfig } from "../schemas/run-config.ts";

export interface StageProgress {
  readonly stage: number;
  readonly stepsInStage: number;
  /** Reveals of the hardest variant, discounted with age: how many were asked, and how many were right. */
  readonly asked: number;
  readonly right: number;
}

export const beginning: StageProgress = { stage: 0, stepsInStage: 0, asked: 0, right: 0 };

/** In [0, 1]; 0 if nothing was asked yet. */
export function runningAccuracy({ right, asked }: StageProgress): number {
  return asked === 0 ? 0 : right / asked;
}

/** After a step in which `right` of `asked` reveals of the hardest variant were right. */
export function advance(
  before: StageProgress,
  right: number,
  asked: number,
  config: CurriculumConfig,
): StageProgress {
  const kept = Math.exp(-asked / config.averagingWindow);
  const now = {
    stage: before.stage,
    stepsInStage: before.stepsInStage + 1,
    asked: before.asked * kept + asked,
    right: before.right * kept + right,
  };
  const last = before.stage === config.stages.length - 1;
  const mastered = now.asked >= config.averagingWindow / 2 && runningAccuracy(now) >= config.threshold;
  const overdue = now.stepsInStage >= (config.maxStepsPerStage ?? Number.POSITIVE_INFINITY);
  return !last && (mastered || overdue) ? { ...beginning, stage: before.stage + 1 } : now;
}

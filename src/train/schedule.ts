/**
 * @file The learning rate over the steps 1 .. N, after a linear warm-up over W steps.
 *
 *     constant  1
 *     cosine    f + (1 - f) (1 + cos(pi (t - W) / (N - W))) / 2        f: minLearningRateRatio
 *     wsd       1, then down to f over the last D steps                (warm-up, stable, decay)
 *     range     f^((N - t) / (N - 1)), from f to 1, without a warm-up      the learning-rate range test
 *     wsd-s     1, then down to f before each b_i, and 1 again         decayCheckpoints b_1 < b_2 < ... = N; D_i = decayFraction (b_i - b_{i-1})
 *
 *     down, linear      1 - (1 - f) u                                  u = 0 .. 1 over the D steps
 *     down, inverse     1 / ((1/f - 1) u + 1)                          1 / rate is linear
 *
 * The rate of wsd-s at a step does not depend on later budgets: a run can be resumed to one more budget as if it had been planned.
 *
 * Source: wsd: Hu et al. 2024, arXiv:2404.06395; wsd-s and its inverse decay: Wen et al. 2024, arXiv:2410.05192. That the
 * share is relative to the steps since the previous budget is our reading. range: Smith 2015, arXiv:1506.01186, with exponential steps.
 */

import type { TrainConfig } from "../schemas/run-config.ts";

export type ScheduleConfig = Pick<
  TrainConfig,
  | "steps"
  | "learningRate"
  | "schedule"
  | "warmupSteps"
  | "decaySteps"
  | "minLearningRateRatio"
  | "decayFraction"
  | "decayShape"
> & { readonly decayCheckpoints?: readonly number[] | undefined };

const USUAL_DECAY_SHARE = 0.1;

/** The rate at a step, counted from 1. After the last budget, wsd-s stays at the full rate. */
export function learningRateAt(step: number, config: ScheduleConfig): number {
  const { learningRate, warmupSteps, schedule } = config;
  const warm = schedule === "range" ? 1 : Math.min(1, step / Math.max(1, warmupSteps));
  return learningRate * warm * shareAt(step, config);
}

function shareAt(step: number, config: ScheduleConfig): number {
  const { steps, schedule, warmupSteps, decaySteps, minLearningRateRatio } = config;
  switch (schedule) {
    case "constant":
      return 1;
    case "cosine": {
      const done = clamp((step - warmupSteps) / Math.max(1, steps - warmupSteps));
      return minLearningRateRatio + ((1 - minLearningRateRatio) * (1 + Math.cos(Math.PI * done))) / 2;
    }
    case "range":
      return minLearningRateRatio ** ((steps - step) / Math.max(1, steps - 1));
    case "wsd":
      return decayed(step, steps, decaySteps, config);
    case "wsd-s": {
      const { decayCheckpoints: budgets = [], decayFraction = USUAL_DECAY_SHARE } = config;
      const next = budgets.findIndex((budget) => step <= budget);
      if (next === -1) return 1;
      const before = next === 0 ? 0 : budgets[next - 1];
      return decayed(step, budgets[next], Math.round(decayFraction * (budgets[next] - before)), config);
    }
    default:
      return schedule satisfies never;
  }
}

/** 1 until `length` steps before `end`, then falling to the final share. */
function decayed(step: number, end: number, length: number, config: ScheduleConfig): number {
  const { schedule, minLearningRateRatio, decayShape = schedule === "wsd-s" ? "inverse" : "linear" } = config;
  const done = clamp((step - (end - length)) / Math.max(1, length));
  if (decayShape === "linear") return 1 - (1 - minLearningRateRatio) * done;
  return 1 / ((1 / minLearningRateRatio - 1) * done + 1);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Where a range test found its rates. */
export interface RangeTest {
  /** The rate at which the loss fell fastest; undefined if it did not fall. */
  readonly fastest: number | undefined;
  /** The rate of the lowest loss, beyond which it rose; undefined if it fell up to the end. */
  readonly lowest: number | undefined;
}

/** Compares means of the loss over a tenth of the steps; undefined for fewer than 20 steps. */
export function rangeTest(
  records: readonly { readonly learningRate: number; readonly loss: number }[],
): RangeTest | undefined {
  if (records.length < 20) return undefined;
  const window = Math.floor(records.length / 10);
  const sums = [0];
  for (const { loss } of records) sums.push(sums[sums.length - 1] + loss);
  const means = sums.slice(window).map((sum, i) => (sum - sums[i]) / window);
  let before = Number.POSITIVE_INFINITY; // the lowest so far: a loss that jumps and comes back has not fallen
  const falls = means.slice(window).map((after, i) => {
    before = Math.min(before, means[i]);
    return before - after;
  });
  const most = Math.max(...falls);
  const lowest = means.indexOf(Math.min(...means));
  return {
    fastest: most > 0 ? records[falls.indexOf(most) + window].learningRate : undefined,
    lowest: lowest === means.length - 1 ? undefined : records[lowest + (window >> 1)].learningRate,
  };
}

/**
 * @file What runs with several seeds say: the mean of a share, and the difference of two contenders.
 *
 *     mean ± t s / √n                   s the deviation of the n values, t of Student with n − 1 degrees of freedom, at 95 %
 *     mean(d) ± t s(d) / √n,  d = b − a with the same seed
 *
 * Two runs with one seed had the same programs, so what a seed makes easy or hard cancels in d: the paired interval is
 * the narrower, the more the two go up and down together.
 * Source: Student 1908, Biometrika 6:1.
 */

import { z } from "zod";
import { mean, studentInterval } from "../core/statistics.ts";

/** Low and high. */
export const Interval = z.tuple([z.number(), z.number()]).readonly();
export type Interval = z.infer<typeof Interval>;

export interface Estimated {
  readonly mean: number;
  /** At 95 %; undefined where there is but one value, or all are the same: their spread, which it is made of, tells nothing. */
  readonly interval: Interval | undefined;
}

/** The mean of shares. Its interval is cut to [0, 1], where every share lies. */
export function meanAccuracyWithError(shares: readonly number[]): Estimated {
  const { mean: middle, interval } = estimated(shares);
  if (interval === undefined) return { mean: middle, interval };
  return { mean: middle, interval: [Math.max(0, interval[0]), Math.min(1, interval[1])] };
}

/** The mean of b − a over pairs [a, b]. */
export function meanDifference(pairs: readonly (readonly [a: number, b: number])[]): Estimated {
  return estimated(pairs.map(([a, b]) => b - a));
}

/** Shares and their differences that are nearer than this are the same. */
const ROUNDING = 1e-12;

function estimated(values: readonly number[]): Estimated {
  const varies = Math.max(...values) - Math.min(...values) > ROUNDING;
  return { mean: mean(values), interval: varies ? studentInterval(values) : undefined };
}

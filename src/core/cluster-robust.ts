/**
 * @file Intervals for proportions whose answers are clustered by program.
 *
 *     p = sum r_i / sum a_i               r_i right of a_i asked in program i, of n programs
 *     v = n / (n - 1) sum (r_i - p a_i)^2 / (sum a_i)^2                the variance of p between programs
 *     m = p (1 - p) / v (z / t)^2          as many independent answers would be as uncertain; t of Student with n - 1
 *
 * The interval is the exact binomial one of p m successes in m trials. Without variance between programs, m starts from n: one answer a
 * program. (0 of 24 programs: 0 to 14.2 %, where a bootstrap says 0 to 0.)
 *
 * The difference of two models on the same programs is gains minus losses, each such a proportion; their intervals are combined with
 * the correlation r of the two between programs:
 *
 *     D - sqrt((g - g_low)^2 + (l_high - l)^2 - 2 r (g - g_low) (l_high - l)),  and likewise above
 *
 * Sources: Korn and Graubard 1998, Survey Methodology 24:193; Zou and Donner 2008, Stat. Med. 27:1693 (the second step).
 */

import { binomialInterval, studentPoint } from "./incomplete-beta.ts";

export type Interval = readonly [low: number, high: number];

/** One cluster: the answers to one program. Counts need not be whole. */
export interface Cluster {
  readonly asked: number;
  readonly right: number;
}

interface EstimatedShare {
  readonly share: number;
  /** 95 % interval. */
  readonly interval: Interval;
}

const NORMAL = 1.959963984540054;

/** The proportion of correct answers. Without answers it is 0 with interval [0, 1]. */
export function clusteredMean(clusters: readonly Cluster[]): EstimatedShare {
  const asked = sumOf(clusters, (cluster) => cluster.asked);
  if (asked === 0) return { share: 0, interval: [0, 1] };
  const n = clusters.length;
  const share = sumOf(clusters, ({ right }) => right) / asked;
  if (n === 1) return { share, interval: [0, 1] };
  const between = sumOf(clusters, (cluster) => residual(cluster, share) ** 2);
  const variance = ((n / (n - 1)) * between) / asked ** 2;
  // Rounding can leave a tiny positive variance where the true one is zero.
  const varies = share > 0 && share < 1 && variance > 1e-20;
  const alike = varies ? Math.min(asked, (share * (1 - share)) / variance) : n;
  const trials = alike * (NORMAL / studentPoint(n - 1)) ** 2;
  return { share, interval: binomialInterval(share * trials, trials) };
}

/** Correct answers of two models on the same questions. */
export interface PairedCluster {
  readonly asked: number;
  readonly rightA: number;
  readonly rightB: number;
}

/** Accuracy of b minus accuracy of a, in [-1, 1]. */
export function clusteredDifference(clusters: readonly PairedCluster[]): {
  readonly difference: number;
  readonly interval: Interval;
} {
  const gained = clusters.map(({ asked, rightA, rightB }) => ({
    asked,
    right: Math.max(0, rightB - rightA),
  }));
  const lost = clusters.map(({ asked, rightA, rightB }) => ({ asked, right: Math.max(0, rightA - rightB) }));
  const [gain, loss] = [clusteredMean(gained), clusteredMean(lost)];
  const difference = gain.share - loss.share;
  const products = (one: readonly Cluster[], p: number, other: readonly Cluster[], q: number) =>
    one.reduce((sum, cluster, i) => sum + residual(cluster, p) * residual(other[i], q), 0);
  const scale = Math.sqrt(
    products(gained, gain.share, gained, gain.share) * products(lost, loss.share, lost, loss.share),
  );
  const correlation = scale < 1e-20 ? 0 : products(gained, gain.share, lost, loss.share) / scale;
  const reach = (one: number, other: number) =>
    Math.sqrt(Math.max(0, one ** 2 + other ** 2 - 2 * correlation * one * other));
  const below = reach(gain.share - gain.interval[0], loss.interval[1] - loss.share);
  const above = reach(gain.interval[1] - gain.share, loss.share - loss.interval[0]);
  return {
    difference,
    interval: [Math.max(-1, difference - below), Math.min(1, difference + above)],
  };
}

/**
 * sum y / sum x over pairs [y, x], with Student's interval of its linearisation: residuals y - ratio x, n - 1 degrees of freedom.
 * For arbitrary numbers; for proportions use `clusteredShare`. Needs at least two pairs, and x of one sign.
 */
export function ratioOfSums(pairs: readonly (readonly [y: number, x: number])[]): {
  readonly ratio: number;
  readonly interval: Interval;
} {
  const n = pairs.length;
  const whole = sumOf(pairs, ([, x]) => x);
  const ratio = sumOf(pairs, ([y]) => y) / whole;
  const variance = ((n / (n - 1)) * sumOf(pairs, ([y, x]) => (y - ratio * x) ** 2)) / whole ** 2;
  const half = studentPoint(n - 1) * Math.sqrt(variance);
  return { ratio, interval: [ratio - half, ratio + half] };
}

function residual({ asked, right }: Cluster, share: number): number {
  return right - share * asked;
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

/**
 * @file Statistics of repeated measurements.
 *
 *     mean = Σ x / n        standard error = √(Σ (x − mean)² / (n − 1) / n)
 *
 * Spearman's rank correlation is the correlation of the ranks, equal values sharing the mean of theirs.
 *
 * Source: Spearman 1904, Am. J. Psychology 15:72.
 */

import { studentPoint } from "./incomplete-beta.ts";
import type { Rng } from "./rng.ts";

/** NaN for no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** The standard deviation of the population the values were drawn from (divides by n − 1); NaN for fewer than two. */
export function standardDeviation(values: ArrayLike<number>): number {
  if (values.length < 2) return Number.NaN;
  const middle = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - middle) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/** The standard deviation of the mean; NaN for fewer than two values. */
export function standardError(values: ArrayLike<number>): number {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/** The middle value, or the mean of the two middle ones; NaN for no values. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** The value below which a share q in [0, 1] lies, interpolated linearly between neighbours; NaN for no values. */
export function quantile(values: ArrayLike<number>, q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const at = q * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

/** (accuracy - chance) / (1 - chance): 0 is guessing, 1 is always right. With chance 1: accuracy - 1. */
export function scaledAccuracy(accuracy: number, chance: number): number {
  return chance === 1 ? accuracy - 1 : (accuracy - chance) / (1 - chance);
}

/**
 * Chance accuracy when n distinct values are revealed in sequence: after k of them n - k are left to guess from, so (1/n + 1/(n - 1) +
 * ... + 1) / n.
 */
export function chanceInARow(n: number): number {
  return mean(Array.from({ length: n }, (_, k) => 1 / (n - k)));
}

/** 95 % interval of the mean of a normal population: mean ± t standard errors. Unbounded for fewer than two values. */
export function studentInterval(values: ArrayLike<number>): [number, number] {
  if (values.length < 2) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const half = studentPoint(values.length - 1) * standardError(values);
  return [mean(values) - half, mean(values) + half];
}

/** Spearman's correlation, in [-1, 1]. NaN if one of them does not vary. */
export function rankCorrelation(x: readonly number[], y: readonly number[]): number {
  const [a, b] = [ranks(x), ranks(y)];
  const [middleA, middleB] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [da, db] = [a[i] - middleA, b[i] - middleB];
    both += da * db;
    ofA += da * da;
    ofB += db * db;
  }
  return both / Math.sqrt(ofA * ofB);
}

/** Ranks from 0; ties share the mean of their ranks. */
function ranks(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

/*
 * The paired bootstrap: an interval for the mean difference of two conditions measured on the same tasks.
 *
 *     d_i = b_i - a_i over n tasks        mean of n draws with repetition from d, so many times        its quantiles
 *
 * Tasks are resampled with both numbers, so effects common to a task cancel. If all differences are equal, the interval has width zero.
 *
 * Source: Efron 1979, Ann. Statist. 7:1; percentile interval.
 */

interface PairedDifference {
  readonly difference: number;
  /** 95 % interval. */
  readonly interval: readonly [low: number, high: number];
}

/** The mean of b minus a, task by task. NaN for no tasks. */
export function pairedBootstrap(
  a: readonly number[],
  b: readonly number[],
  rng: Rng,
  draws = 2000,
): PairedDifference {
  const differences = b.map((value, i) => value - a[i]);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++) sum += differences[rng.below(differences.length)];
    return sum / differences.length;
  });
  return {
    difference: mean(differences),
    interval: [quantile(means, 0.025), quantile(means, 0.975)],
  };
}

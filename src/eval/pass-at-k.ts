/**
 * @file pass@k: how likely one of k answers drawn from a program's n is right, where c of them are.
 *
 *     1 - C(n - c, k) / C(n, k)  =  1 - prod_{j = n - c + 1}^{n} (1 - k / j)
 *
 * Source: Chen et al. 2021, arXiv:2107.03374.
 */

import type { Rng } from "../math/rng.ts";
import { quantile } from "../math/statistics.ts";

/** 1 where fewer than k are wrong: with n < k that says nothing, but it is what CRUXEval's evaluator computes. */
export function passAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let missed = 1;
  for (let j = n - c + 1; j <= n; j++) missed *= 1 - k / j;
  return 1 - missed;
}

const resamples = 2000;

/**
 * Percentile bootstrap, 95 %: the mean of the values over sets of as many, drawn with replacement. A value is one
 * program's: programs are drawn, not answers, for the answers to one program are alike. Source: Efron 1979.
 */
export function bootstrapInterval(values: readonly number[], rng: Rng): [number, number] | null {
  if (values.length === 0) return null;
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[rng.below(values.length)];
    return sum / values.length;
  });
  return [quantile(means, 0.025), quantile(means, 0.975)];
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

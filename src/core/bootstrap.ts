/**
 * @file The paired bootstrap: how far a mean difference may be from the truth, where the same tasks were done in both ways.
 *
 *     d_i = b_i - a_i over n tasks        mean of n draws with repetition from d, so many times        its quantiles
 *
 * Tasks are drawn, each with both of its numbers, so what is common to a task is in both and goes away. Where all differences are the same
 * the interval is that number: a bootstrap does not know what it has not seen.
 *
 * Source: Efron 1979, Ann. Statist. 7:1; percentile interval.
 */

import type { Rng } from "./rng.ts";
import { mean, quantile } from "./statistics.ts";

export interface PairedDifference {
  readonly difference: number;
  /** At 95 %. */
  readonly interval: readonly [low: number, high: number];
}

/** b less a, task by task. Of none it is NaN. */
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

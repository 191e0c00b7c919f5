/**
 * @file pass@k: the probability that at least one of k answers drawn from n is correct, given that c of n are.
 *
 *     1 - C(n - c, k) / C(n, k)  =  1 - prod_{j = n - c + 1}^{n} (1 - k / j)
 *
 * Source: Chen et al. 2021, arXiv:2107.03374.
 */

import { clusteredMean } from "../../core/cluster-robust.ts";

/** 1 where fewer than k are wrong: with n < k that says nothing, but it is what CRUXEval's evaluator computes. */
export function passAtK(n: number, c: number, k: number): number {
  if (n - c < k) return 1;
  let missed = 1;
  for (let j = n - c + 1; j <= n; j++) missed *= 1 - k / j;
  return 1 - missed;
}

/**
 * 95 % interval of the mean over programs. Each value belongs to one program, because the answers to one program are
 * correlated. null without programs.
 */
export function programInterval(values: readonly number[]): [number, number] | null {
  if (values.length === 0) return null;
  const [low, high] = clusteredMean(values.map((right) => ({ asked: 1, right }))).interval;
  return [low, high];
}

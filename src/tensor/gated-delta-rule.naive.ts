/**
 * @file The gated delta rule, one step at a time, in plain numbers: the reference for the chunked kernel.
 *
 *     S = a_t S;  S = S + b_t k_t (v_t - S' k_t)';  o_t = S' q_t            S [dk, dv], initially 0
 */

import type { Rows } from "./delta-rule.naive.ts";

/** q, k: [T, dk]; v: [T, dv]; beta, logDecay: [T]. Returns o: [T, dv]. */
export function gatedDeltaRuleNaive(
  q: Rows,
  k: Rows,
  v: Rows,
  beta: ArrayLike<number>,
  logDecay: ArrayLike<number>,
): number[][] {
  const S = Array.from(k[0], () => Array.from(v[0], () => 0)); // [dk, dv]
  const recall = (key: ArrayLike<number>) =>
    Array.from(v[0], (_, j) => S.reduce((sum, row, i) => sum + row[j] * key[i], 0));
  return Array.from(q, (query, t) => {
    for (const row of S) for (const j of row.keys()) row[j] *= Math.exp(logDecay[t]);
    const recalled = recall(k[t]);
    for (const [i, row] of S.entries())
      for (const j of row.keys()) row[j] += beta[t] * k[t][i] * (v[t][j] - recalled[j]);
    return recall(query);
  });
}

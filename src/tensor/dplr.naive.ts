/**
 * @file A memory with a diagonal-plus-rank-one transition, one step at a time, in plain numbers: the reference for the chunked kernel.
 *
 *     S = diag(e^(l_t)) S + b_t (S' a_t)' + k_t v_t', with the previous S on the right;  o_t = S' q_t     S [dk, dv], initially 0
 */

import type { Rows } from "./delta-rule.naive.ts";

/** q, k, a, b: [T, dk]; v: [T, dv]; logDecay: [T, dk]. Returns o: [T, dv]. */
export function dplrNaive(q: Rows, k: Rows, v: Rows, logDecay: Rows, a?: Rows, b?: Rows): number[][] {
  const S = Array.from(k[0], () => Array.from(v[0], () => 0)); // [dk, dv]
  const recall = (key: ArrayLike<number>) =>
    Array.from(v[0], (_, j) => S.reduce((sum, row, i) => sum + row[j] * key[i], 0));
  return Array.from(q, (query, t) => {
    const read = a === undefined ? undefined : recall(a[t]);
    for (const [i, row] of S.entries()) {
      for (const j of row.keys()) {
        row[j] = Math.exp(logDecay[t][i]) * row[j] + k[t][i] * v[t][j];
        if (read !== undefined && b !== undefined) row[j] += b[t][i] * read[j];
      }
    }
    return recall(query);
  });
}

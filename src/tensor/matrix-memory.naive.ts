/**
 * @file The matrix memory of mLSTM, one step at a time, in plain numbers and without a stabilizer: float64 suffices while the gates are
 * below 700.
 *
 *     S_t = f_t S_{t-1} + e^(i_t) k_t v_t';  n_t = f_t n_{t-1} + e^(i_t) k_t;  h_t = S_t' q_t / max(|n_t' q_t|, 1)
 */

import type { Rows } from "./delta-rule.naive.ts";

/** q, k: [T, dk]; v: [T, dv]; input, logForget: [T]. Returns h: [T, dv]. */
export function matrixMemoryNaive(
  q: Rows,
  k: Rows,
  v: Rows,
  input: ArrayLike<number>,
  logForget: ArrayLike<number>,
): number[][] {
  const S = Array.from(k[0], () => Array.from(v[0], () => 0)); // [dk, dv]
  const n = Array.from(k[0], () => 0);
  return Array.from(q, (query, t) => {
    const [keep, write] = [Math.exp(logForget[t]), Math.exp(input[t])];
    for (const [i, row] of S.entries()) {
      for (const j of row.keys()) row[j] = keep * row[j] + write * k[t][i] * v[t][j];
      n[i] = keep * n[i] + write * k[t][i];
    }
    const total = n.reduce((sum, each, i) => sum + each * query[i], 0);
    return Array.from(v[0], (_, j) => {
      const recalled = S.reduce((sum, row, i) => sum + row[j] * query[i], 0);
      return recalled / Math.max(Math.abs(total), 1);
    });
  });
}

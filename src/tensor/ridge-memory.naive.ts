/**
 * @file A memory read by ridge regression, one step at a time, in plain numbers: solved by elimination instead of iteration. The
 * reference for the chunked kernel.
 *
 *     H = a H + k k',  U = a U + k v';   (H + m I) x = q,  m = ridge |H| or ridge;   o = U' (q + p (x - q))
 */

import type { Rows } from "./delta-rule.naive.ts";

interface RidgeNaive {
  readonly ridge: number;
  readonly relative: boolean;
}

/** q, k: [T, dk]; v: [T, dv]; logDecay, share: [T]. Returns o: [T, dv]. */
export function ridgeMemoryNaive(
  q: Rows,
  k: Rows,
  v: Rows,
  logDecay: readonly number[],
  share: readonly number[],
  { ridge, relative }: RidgeNaive,
): number[][] {
  const H = Array.from(k[0], () => Array.from(k[0], () => 0));
  const U = Array.from(k[0], () => Array.from(v[0], () => 0));
  return Array.from(q, (query, t) => {
    const fade = Math.exp(logDecay[t]);
    for (const [i, key] of Array.from(k[t]).entries()) {
      for (const j of H[i].keys()) H[i][j] = fade * H[i][j] + key * k[t][j];
      for (const j of U[i].keys()) U[i][j] = fade * U[i][j] + key * v[t][j];
    }
    const norm = Math.sqrt(H.flat().reduce((sum, each) => sum + each * each, 1e-12));
    const added = relative ? ridge * norm : ridge;
    const x = solved(
      H.map((row, i) => row.map((each, j) => each + (i === j ? added : 0))),
      Array.from(query),
    );
    const asked = x.map((each, i) => query[i] + share[t] * (each - query[i]));
    return Array.from(v[0], (_, j) => asked.reduce((sum, each, i) => sum + each * U[i][j], 0));
  });
}

/** x with A x = b, by elimination; A is symmetric positive definite, so no pivoting is needed. */
export function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = b.length;
  for (let pivot = 0; pivot < n; pivot++) {
    for (let i = pivot + 1; i < n; i++) {
      const factor = rows[i][pivot] / rows[pivot][pivot];
      for (let j = pivot; j <= n; j++) rows[i][j] -= factor * rows[pivot][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let rest = rows[i][n];
    for (let j = i + 1; j < n; j++) rest -= rows[i][j] * x[j];
    x[i] = rest / rows[i][i];
  }
  return x;
}

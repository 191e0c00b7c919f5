/**
 * @file Ridge regression to classes: the linear probe. One weight column a class, fitted to 1 for the class and 0 else.
 *
 *     W = (X'X / n + λ I)^-1 X'Y / n,   X and Y less their means;   the class of x is argmax (x - mean) W + mean of Y
 *
 * λ = 1e-3 of the mean variance of a feature, so that features of any size are treated alike.
 * Source: Hoerl and Kennard 1970, Technometrics 12:1.
 */

import { meanRow, secondMoments, solvePositive } from "./linear-algebra.ts";

const SHRINKAGE = 1e-3;

/** The part that is shared by all labelings of one set of rows. */
interface RidgeRows {
  readonly rows: readonly ArrayLike<number>[];
  readonly mean: Float64Array;
  readonly moments: readonly Float64Array[];
}

export function ridgeRows(rows: readonly ArrayLike<number>[]): RidgeRows {
  const mean = meanRow(rows);
  const moments = secondMoments(rows, mean);
  const spread = moments.reduce((sum, row, i) => sum + row[i], 0) / Math.max(1, moments.length);
  for (const [i, row] of moments.entries()) row[i] += SHRINKAGE * spread + 1e-12;
  return { rows, mean, moments };
}

/** labels[i] in 0 .. classes - 1. Several labelings share the factorization: one classifier each. */
export function ridgeClassifiers(
  { rows, mean, moments }: RidgeRows,
  labelings: readonly (readonly number[])[],
  classes: number,
): ((row: ArrayLike<number>) => number)[] {
  const width = mean.length;
  const columns = labelings.length * classes;
  const right = Array.from({ length: width }, () => new Float64Array(columns));
  const shares = new Float64Array(columns);
  for (const [l, labels] of labelings.entries())
    for (const label of labels) shares[l * classes + label] += 1 / rows.length;
  // Σ (x - mean) (y - share) = Σ (x - mean) y
  for (const [n, row] of rows.entries()) {
    for (let i = 0; i < width; i++) {
      const x = (row[i] - mean[i]) / rows.length;
      for (let l = 0; l < labelings.length; l++) right[i][l * classes + labelings[l][n]] += x;
    }
  }
  const weights = solvePositive(moments, right);
  return labelings.map((_, l) => (row) => {
    let [best, most] = [0, Number.NEGATIVE_INFINITY];
    for (let c = 0; c < classes; c++) {
      const column = l * classes + c;
      let score = shares[column];
      for (let i = 0; i < width; i++) score += (row[i] - mean[i]) * weights[i][column];
      if (score > most) [best, most] = [c, score];
    }
    return best;
  });
}

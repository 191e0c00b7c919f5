/**
 * @file Ridge regression of a number on a few features, for fewer rows than features too.
 *
 *     w = (X'X / n + l s I)^-1 X'y / n,   X and y less their means;  s: mean variance of a feature;  l = 0.1
 *
 * Source: Hoerl and Kennard 1970, Technometrics 12:1.
 */

import { meanRow, secondMoments, solvePositive } from "../../../core/linear-algebra.ts";

const SHRINKAGE = 0.1;

export function fittedRidge(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
): (row: readonly number[]) => number {
  const mean = meanRow(rows);
  const offset = targets.reduce((sum, each) => sum + each, 0) / targets.length;
  const moments = secondMoments(rows, mean);
  const spread = moments.reduce((sum, row, i) => sum + row[i], 0) / moments.length;
  for (const [i, row] of moments.entries()) row[i] += SHRINKAGE * spread + 1e-12;
  const right = Array.from(mean, (centre, i) =>
    Float64Array.of(
      rows.reduce((sum, row, n) => sum + (row[i] - centre) * (targets[n] - offset), 0) / rows.length,
    ),
  );
  const weights = solvePositive(moments, right);
  return (row) => row.reduce((sum, x, i) => sum + (x - mean[i]) * weights[i][0], offset);
}

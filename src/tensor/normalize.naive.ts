/** @file RMS normalization and unit-length normalization, in plain numbers. */

import { mapRows, type Numbers } from "./naive.ts";

/** x / sqrt(mean(x^2) + epsilon), row by row. */
export function rmsNormNaive(x: Numbers, epsilon = 1e-6): Numbers {
  return mapRows(x, (row) => row.map((each) => each / Math.sqrt(squares(row) / row.length + epsilon)));
}

/** x / sqrt(sum(x^2) + epsilon), row by row. */
export function unitNormNaive(x: Numbers, epsilon = 1e-6): Numbers {
  return mapRows(x, (row) => row.map((each) => each / Math.sqrt(squares(row) + epsilon)));
}

function squares(row: readonly number[]): number {
  return row.reduce((sum, x) => sum + x * x, 0);
}

/** @file Softmax and its logarithm over the last axis, in plain numbers: y_i = e^x_i / sum_j e^x_j. */

import { mapRows, type Numbers } from "./naive.ts";

export function softmaxNaive(x: Numbers): Numbers {
  return mapRows(x, (row) => logSoftmaxRow(row).map(Math.exp));
}

export function logSoftmaxNaive(x: Numbers): Numbers {
  return mapRows(x, logSoftmaxRow);
}

/** Subtracts the largest before exponentiation, since e^1000 would overflow even here. */
export function logSoftmaxRow(row: readonly number[]): number[] {
  const largest = Math.max(...row);
  const total = row.reduce((sum, x) => sum + Math.exp(x - largest), 0);
  return row.map((x) => x - largest - Math.log(total));
}

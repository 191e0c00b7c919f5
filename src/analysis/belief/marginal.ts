/**
 * @file Marginals: M[i, j] = P(variable i has value j), n² numbers in place of n!.
 *
 *     hidden permutation        M := Σ_k w_k P_k M                exact: a swap mixes two rows
 *     answer "i is j"           row            M[i, ·] := e_j
 *                               row+column     and M[k, j] := 0 for every other row k
 *                               sinkhorn       and rows and columns are scaled until all sum to 1
 *     reading                   M[i, ·] / Σ_j M[i, j]
 *
 * The first two answers are linear in M, the third is not. What is lost is how variables hang together: after a swap of
 * a and b, seen or not, a tells b, and M forgets that. So none of them is exact; row+column alone finds b by the column.
 *
 * Source: own definitions. The scaling: Sinkhorn 1964, Ann. Math. Stat. 35:876.
 */

import type { PermutationWalk, RandomCommand } from "../../core/permutation-walk.ts";
import type { Filter } from "./filter.ts";

export const marginalRules = ["row", "row+column", "sinkhorn"] as const;
export type MarginalRule = (typeof marginalRules)[number];

/** [n, n], row i at i * n. */
export type Marginals = Readonly<Float64Array>;

export function marginalFilter(walk: PermutationWalk, rule: MarginalRule): Filter<Marginals> {
  const n = walk.variables;
  return {
    start: new Float64Array(n * n).map((_, at) =>
      walk.start === "uniform" ? 1 / n : at % (n + 1) === 0 ? 1 : 0,
    ),
    act: (marginals, command) => permuted(marginals, walk.commands[command], n),
    answers: (marginals, variable) => {
      const row = marginals.slice(variable * n, (variable + 1) * n);
      const sum = row.reduce((total, share) => total + share, 0);
      return row.map((share) => (sum > 0 ? share / sum : 1 / n));
    },
    observe: (marginals, variable, value) => {
      const written = marginals.slice();
      if (rule !== "row") for (let row = 0; row < n; row++) written[row * n + value] = 0;
      written.fill(0, variable * n, (variable + 1) * n);
      written[variable * n + value] = 1;
      return rule === "sinkhorn" ? doublyStochastic(written, n) : written;
    },
  };
}

function permuted(marginals: Marginals, command: RandomCommand, n: number): Float64Array {
  const after = new Float64Array(n * n);
  for (const { permutation, probability } of command) {
    for (let row = 0; row < n; row++) {
      const from = permutation[row] * n;
      for (let column = 0; column < n; column++) {
        after[row * n + column] += probability * marginals[from + column];
      }
    }
  }
  return after;
}

/** Far more than the few dozen that belief needs as a rule: sums are 1 after few where no share is tiny. */
const SWEEPS = 20_000;
const TOLERANCE = 1e-10;

/**
 * Rows and columns scaled in turns until all sums are 1. An entry on no positive diagonal is in no possible order: the
 * scaling would bring it to 0 as 1 / sweeps, so it is 0 from the start.
 */
export function doublyStochastic(marginals: Marginals, n: number): Float64Array {
  const scaled = onDiagonals(marginals, n);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    scaleLines(scaled, n, 1, n);
    if (scaleLines(scaled, n, n, 1) < TOLERANCE) break;
  }
  return scaled;
}

/** Keeps the entries through which n positive ones go, one in each row and column. Sets of columns are bits. */
function onDiagonals(marginals: Marginals, n: number): Float64Array {
  const all = (1 << n) - 1;
  const rowsIn = (columns: number) => {
    let rows = 0;
    for (let left = columns; left > 0; left &= left - 1) rows++;
    return rows;
  };
  // above[c]: the first rows, as many as c has columns, can take just these; below[c]: the other rows the other columns.
  const above = new Uint8Array(all + 1);
  const below = new Uint8Array(all + 1);
  above[0] = 1;
  below[all] = 1;
  for (let taken = 0; taken < all; taken++) {
    if (above[taken] === 0) continue;
    const row = rowsIn(taken) * n;
    for (let j = 0; j < n; j++)
      if ((taken & (1 << j)) === 0 && marginals[row + j] > 0) above[taken | (1 << j)] = 1;
  }
  const kept = new Float64Array(n * n);
  for (let taken = all - 1; taken >= 0; taken--) {
    const row = rowsIn(taken) * n;
    for (let j = 0; j < n; j++) {
      const next = taken | (1 << j);
      if (next === taken || marginals[row + j] <= 0 || below[next] === 0) continue;
      below[taken] = 1;
      if (above[taken] === 1) kept[row + j] = marginals[row + j];
    }
  }
  return kept;
}

/** Divides each line of n numbers, `step` apart, by its sum if it has one. @returns how far from 1 the worst sum was. */
function scaleLines(numbers: Float64Array, n: number, step: number, between: number): number {
  let worst = 0;
  for (let line = 0; line < n; line++) {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += numbers[line * between + k * step];
    if (sum === 0) continue;
    worst = Math.max(worst, Math.abs(sum - 1));
    for (let k = 0; k < n; k++) numbers[line * between + k * step] /= sum;
  }
  return worst;
}

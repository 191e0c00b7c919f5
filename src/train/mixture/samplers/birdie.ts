/**
 * @file Birdie: observes all parts; a regression predicts the reward of shares, and the next shares are those with the best prediction.
 *
 *     f = (L' - L) / L                                   a part's loss before a window, L, and after it, L'
 *     r = clip(-100 e tanh(sqrt(L L') f^3 e), -1, 1)     cubic: from L = 2, a fall of 1 % pays .0015, and one of 9 % pays 1
 *     sum of r over the parts  ~  ridge(1, shares, their squares, shares times L)
 *
 * Candidates are 4,096 draws from the simplex and as many from each of three Pareto distributions; the mean of the best eight is
 * used. At first, and later with a probability that falls from .5 to .2 by a cosine, a random candidate is used instead.
 *
 * The paper uses a network of 4 x 256 instead of the ridge; a trial of both is in evidence/objective-mixture/log.md. In the
 * repository a window has 512 steps.
 *
 * Ridge, for fewer rows than features too:
 *
 *     w = (X'X / n + l s I)^-1 X'y / n,   X and y centered;  s: mean variance of a feature;  l = 0.1
 *
 * Source: Blouir et al. 2024, as in the repository samblouir/birdie; ridge: Hoerl and Kennard 1970, Technometrics 12:1.
 */

import { z } from "zod";
import { meanRow, secondMoments, solvePositive } from "../../../core/linear-algebra.ts";
import type { Rng } from "../../../core/rng.ts";
import { definePolicy, type Past } from "./policy.ts";

const CANDIDATES = 4096;
const PARETO = [1, 2, 3] as const;
const BEST = 8;
const [FIRST, HIGH, LOW] = [0.05, 0.5, 0.2] as const;

export const birdie = definePolicy({
  params: z.strictObject({}),
  choose({ given, windows, done }, rng) {
    const parts = given.length;
    const looked = given.map((_, i) => i);
    const candidates = candidatesOf(parts, rng.fork("candidates"));
    const closed = windows.filter(({ after }) => after.length > 0);
    if (closed.length === 0) return { shares: given.map(() => 1 / parts), looked };
    if (rng.fork("explore").next() < explorationAt(done))
      return { shares: candidates[rng.fork("any").below(candidates.length)], looked };
    const expected = expectedBy(closed);
    const losses = closed[closed.length - 1].after;
    const best = candidates
      .map((shares) => ({ shares, paid: expected(shares, losses) }))
      .sort((a, b) => b.paid - a.paid)
      .slice(0, BEST);
    return {
      shares: given.map((_, i) => best.reduce((sum, { shares }) => sum + shares[i], 0) / best.length),
      looked,
    };
  },
});

/** The reward of a part for its loss before and after a window. */
export function cubicReward(before: number, after: number): number {
  if (!(before > 0) || after < 0) return 0;
  const change = (after - before) / before;
  const steep = Math.tanh(Math.sqrt(before * after) * change ** 3 * Math.E);
  return Math.min(1, Math.max(-1, -100 * Math.E * steep));
}

/** The probability of a random candidate. */
export function explorationAt(done: number): number {
  if (done < FIRST) return 1;
  const rest = (done - FIRST) / (1 - FIRST);
  return LOW + ((HIGH - LOW) * (1 + Math.cos(Math.PI * rest))) / 2;
}

function candidatesOf(parts: number, rng: Rng): number[][] {
  const normalised = (drawn: readonly number[]) => {
    const total = drawn.reduce((sum, each) => sum + each, 0);
    return drawn.map((each) => each / total);
  };
  const above0 = () => 1 - rng.next(); // in (0, 1]
  const drawn = (one: () => number) =>
    Array.from({ length: CANDIDATES }, () => normalised(Array.from({ length: parts }, one)));
  // Normalized exponentials are uniform on the simplex.
  return [
    ...drawn(() => -Math.log(above0()) + Number.MIN_VALUE),
    ...PARETO.flatMap((shape) => drawn(() => above0() ** (-1 / shape))),
  ];
}

const featuresOf = (shares: readonly number[], losses: readonly number[]) => [
  ...shares,
  ...shares.map((share) => share ** 2),
  ...shares.map((share, i) => share * losses[i]),
];

function expectedBy(closed: Past["windows"]) {
  const rows = closed.map(({ shares, before }) => featuresOf(shares, before));
  const paid = closed.map(({ before, after }) =>
    before.reduce((sum, each, i) => sum + cubicReward(each, after[i]), 0),
  );
  const predict = fittedRidge(rows, paid);
  return (shares: readonly number[], losses: readonly number[]) => predict(featuresOf(shares, losses));
}

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

/**
 * @file Birdie: all parts are looked at; a regression learns what shares paid, and the next shares are those of which it expects most.
 *
 *     f = (L' - L) / L                                   a part's loss before a window, L, and after it, L'
 *     r = clip(-100 e tanh(sqrt(L L') f^3 e), -1, 1)     cubic: from L = 2 a fall of 1 % pays .0015, and one of 9 % all
 *     sum of r over the parts  ~  ridge(1, shares, their squares, shares times L)
 *
 * Candidates are 4,096 draws from the simplex, and as many by each of three Pareto laws; the mean of the best eight is taken. At first,
 * and later with a chance that falls from .5 to .2 by a cosine, any candidate is taken instead.
 *
 * Published is a network of 4 x 256 in place of the ridge; a training here has some ten windows, which are no data for one. In
 * the repository a window is 512 steps.
 *
 * Source: Blouir et al. 2024, as in the repository samblouir/birdie.
 */

import { z } from "zod";
import type { Rng } from "../../../core/rng.ts";
import { fittedRidge } from "./fitted-ridge.ts";
import { definePolicy, type Past } from "./policy.ts";

const CANDIDATES = 4096;
const PARETO = [1, 2, 3] as const;
const BEST = 8;
const [FIRST, HIGH, LOW] = [0.05, 0.5, 0.2] as const;

export const birdie = definePolicy({
  name: "birdie",
  source: "samblouir/birdie",
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

/** A part's payment for its loss before and after a window. */
export function cubicReward(before: number, after: number): number {
  if (!(before > 0) || after < 0) return 0;
  const change = (after - before) / before;
  const steep = Math.tanh(Math.sqrt(before * after) * change ** 3 * Math.E);
  return Math.min(1, Math.max(-1, -100 * Math.E * steep));
}

/** The chance that any candidate is taken. */
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
  // Exponentials, normalised, are uniform on the simplex.
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

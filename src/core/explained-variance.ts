/**
 * @file Share of the variance of a number that one other variable explains alone.
 *
 *     share = 1 - (R / (n - p)) / (S / (n - 1))          S = sum (y - mean)^2, R = sum (y - fitted)^2
 *
 * for n values of y and p numbers fitted to them. The plain R^2 = 1 - R / S grows with p where there is nothing to explain, by
 * (p - 1) / (n - 1) on average; this one has mean 0 then, and is cut at 0. For groups, fitted by their means, it is epsilon
 * squared, eta squared corrected for p groups; for a curve it is the adjusted R^2.
 *
 * Sources: Kelley 1935, PNAS 21:554 (epsilon squared); Cramer 1987, J. Econometrics 35:253 (R^2 is beta distributed then).
 */

import { betaQuantile } from "./incomplete-beta.ts";
import { mean } from "./statistics.ts";

export interface Explained {
  /** In [0, 1]. */
  readonly share: number;
  /** n - 1 and p - 1: what a share by chance depends on. */
  readonly freedom: readonly [values: number, fitted: number];
}

/** By groups: epsilon squared. Undefined if all values are equal, if there is one group, or if no group has two values. */
export function explainedByGroups(
  values: readonly number[],
  groupOf: readonly unknown[],
): Explained | undefined {
  const groups = [...new Set(groupOf)].map((group) => values.filter((_, i) => groupOf[i] === group));
  const within = groups.reduce((sum, own) => sum + squares(own), 0);
  return corrected(values, within, groups.length);
}

/**
 * By a parabola over x: the adjusted R squared of 1, x, x^2 (of 1, x where x takes two values). For a setting that is drawn evenly in
 * its logarithm x is the logarithm. Undefined if all values or all x are equal, or if there are no more values than fitted numbers.
 */
export function explainedByParabola(values: readonly number[], x: readonly number[]): Explained | undefined {
  const middle = mean(x);
  const reach = Math.max(...x.map((each) => Math.abs(each - middle)));
  if (!(reach > 0)) return undefined;
  const straight = x.map((each) => (each - middle) / reach);
  const bent = straight.map((each) => each ** 2);
  const level = mean(bent);
  const slope = inner(bent, straight) / inner(straight, straight);
  // Orthogonal basis, so each term explains a separate part; with two distinct x the quadratic term is only rounding.
  const terms = [straight, bent.map((each, i) => each - level - slope * straight[i])].filter(
    (term) => inner(term, term) > 1e-12,
  );
  const explained = terms.reduce((sum, term) => sum + inner(term, values) ** 2 / inner(term, term), 0);
  return corrected(values, squares(values) - explained, 1 + terms.length);
}

/**
 * The quantile of the share under independence: an irrelevant variable exceeds it in a fraction `rate` of samples, if values are
 * normal. R^2 is then distributed as Beta((p - 1) / 2, (n - p) / 2).
 */
export function explainedByChance({ freedom: [values, fitted] }: Explained, rate: number): number {
  const left = values - fitted;
  return Math.max(0, 1 - (1 - betaQuantile(1 - rate, fitted / 2, left / 2)) * (values / left));
}

function corrected(values: readonly number[], rest: number, fitted: number): Explained | undefined {
  const varies = values.some((value) => value !== values[0]);
  if (!varies || fitted < 2 || values.length <= fitted) return undefined;
  const freedom = [values.length - 1, fitted - 1] as const;
  const unexplained = Math.max(0, rest) / (values.length - fitted);
  return { freedom, share: Math.max(0, 1 - unexplained / (squares(values) / (values.length - 1))) };
}

/** Sum of squares around the mean. */
function squares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, each, i) => sum + each * b[i], 0);
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { binomialInterval, incompleteBeta, studentPoint, studentWithin } from "./incomplete-beta.ts";

/** P(at least k of n), term by term. */
function atLeast(k: number, n: number, p: number): number {
  let sum = 0;
  for (let i = k; i <= n; i++) {
    let ways = 1;
    for (let j = 1; j <= i; j++) ways *= (n - i + j) / j;
    sum += ways * p ** i * (1 - p) ** (n - i);
  }
  return sum;
}

test("the function is the sum of the binomial's terms", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, which, p) => {
        const k = 1 + (which % n);
        expect(incompleteBeta(p, k, n - k + 1)).toBeCloseTo(atLeast(k, n, p), 9);
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});

test.each([
  // Published: Newcombe 1998, Stat. Med. 17:857, Table I, method 5 (Clopper and Pearson).
  [81, 263, 0.2527, 0.3676],
  [15, 148, 0.0578, 0.1617],
  [0, 20, 0, 0.1684],
  [1, 29, 0.0009, 0.1776],
])("%i of %i: %f to %f", (successes, trials, low, high) => {
  const interval = binomialInterval(successes, trials);
  expect(interval[0]).toBeCloseTo(low, 4);
  expect(interval[1]).toBeCloseTo(high, 4);
});

test("at its ends so many or more, or so many or fewer, come once in forty", () => {
  for (const [k, n] of [
    [3, 10],
    [17, 24],
    [1, 200],
  ]) {
    const [low, high] = binomialInterval(k, n);
    expect(atLeast(k, n, low)).toBeCloseTo(0.025, 8);
    expect(1 - atLeast(k + 1, n, high)).toBeCloseTo(0.025, 8);
  }
});

test.each([
  // Published tables: 97.5 % points, so 95 % within.
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [9, 2.262],
  [10, 2.228],
  [29, 2.045],
  [30, 2.042],
  [40, 2.021],
  [60, 2.0],
  [120, 1.98],
  [1_000_000, 1.96],
])("with %i degrees of freedom 95 %% lie within %f", (df, t) => {
  expect(studentPoint(df)).toBeCloseTo(t, 3);
});

test("the share within t is the integral of the density", () => {
  // Simpson's rule on the density, with Gamma by its recursion.
  const gamma = (x: number): number =>
    x === 1 ? 1 : x === 0.5 ? Math.sqrt(Math.PI) : (x - 1) * gamma(x - 1);
  for (const df of [1, 2, 3, 4, 5, 8, 13, 40]) {
    const scale = gamma((df + 1) / 2) / (Math.sqrt(df * Math.PI) * gamma(df / 2));
    const density = (x: number) => scale * (1 + x ** 2 / df) ** (-(df + 1) / 2);
    for (const t of [0.3, 1, 2.5, 6]) {
      const n = 4000;
      let sum = density(0) + density(t);
      for (let i = 1; i < n; i++) sum += density((i * t) / n) * (i % 2 === 1 ? 4 : 2);
      expect(studentWithin(t, df)).toBeCloseTo((2 * sum * t) / (3 * n), 9);
    }
  }
});

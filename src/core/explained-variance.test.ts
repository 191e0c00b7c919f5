import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Explained,
  explainedByChance,
  explainedByGroups,
  explainedByParabola,
} from "./explained-variance.ts";
import { solvePositive } from "./linear-algebra.ts";
import { rngFrom } from "./rng.ts";
import { mean, standardDeviation } from "./statistics.ts";

/** Of the F test: (p - 1) (F - 1) / ((p - 1) F + n - p), the textbook's other form. */
const fromF = (f: number, n: number, p: number) => ((p - 1) * (f - 1)) / ((p - 1) * f + n - p);

test("of three groups worked by hand it is epsilon squared", () => {
  // Means 2, 4, 9 around 5; within: 3 · 2 = 6, between: 3 · (9 + 1 + 16) = 78, F = 39 / 1.
  const values = [1, 2, 3, 3, 4, 5, 8, 9, 10];
  const groups = ["a", "a", "a", "b", "b", "b", "c", "c", "c"];
  expect(explainedByGroups(values, groups)!.share).toBeCloseTo(fromF(39, 9, 3), 12);
  expect(explainedByGroups(values, groups)!.share).toBeCloseTo(1 - 6 / 6 / (84 / 8), 12);
});

test("of two groups it is what Student's t of their difference says, and a line through two x says the same", () => {
  fc.assert(
    fc.property(numbers(3, 20), numbers(3, 20), (one, other) => {
      const [n, m] = [one.length, other.length];
      fc.pre(standardDeviation(one) + standardDeviation(other) > 1e-3);
      const pooled =
        ((n - 1) * standardDeviation(one) ** 2 + (m - 1) * standardDeviation(other) ** 2) / (n + m - 2);
      const squared = (mean(one) - mean(other)) ** 2 / (pooled * (1 / n + 1 / m));
      const values = [...one, ...other];
      const groups = values.map((_, i) => (i < n ? 3 : 8));
      const share = Math.max(0, fromF(squared, n + m, 2));
      expect(explainedByGroups(values, groups)!.share).toBeCloseTo(share, 8);
      expect(explainedByParabola(values, groups)!.share).toBeCloseTo(share, 8);
    }),
    { seed: 1 },
  );
});

test("of a parabola it is the adjusted R squared of the normal equations", () => {
  fc.assert(
    fc.property(pairs, (drawn) => {
      const [x, y] = [drawn.map(([each]) => each), drawn.map(([, each]) => each)];
      fc.pre(new Set(x).size > 3 && standardDeviation(y) > 1e-3);
      const rows = x.map((each) => [1, each / 20, (each / 20) ** 2]);
      const normal = [0, 1, 2].map((i) => [0, 1, 2].map((j) => sum(rows.map((row) => row[i] * row[j]))));
      const right = [0, 1, 2].map((i) => [sum(rows.map((row, k) => row[i] * y[k]))]);
      const weights = solvePositive(normal.map(floats), right.map(floats)).map(([weight]) => weight);
      const rest = sum(rows.map((row, k) => (y[k] - sum(row.map((each, i) => each * weights[i]))) ** 2));
      const all = standardDeviation(y) ** 2 * (y.length - 1);
      const adjusted = 1 - ((rest / all) * (y.length - 1)) / (y.length - 3);
      expect(explainedByParabola(y, x)!.share).toBeCloseTo(Math.max(0, adjusted), 6);
    }),
    { seed: 2 },
  );
});

test("it does not depend on the units of either, nor on the order", () => {
  fc.assert(
    fc.property(pairs, fc.double({ min: 0.1, max: 100, noNaN: true }), unit, (drawn, scale, shift) => {
      const [x, y] = [drawn.map(([each]) => each), drawn.map(([, each]) => each)];
      fc.pre(standardDeviation(y) > 1e-3 && new Set(x).size > 1);
      const moved = (values: number[]) => values.map((each) => scale * each + shift).reverse();
      const share = explainedByParabola(y, x)!.share;
      expect(explainedByParabola(moved(y), moved(x))!.share).toBeCloseTo(share, 6);
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
    }),
    { seed: 3 },
  );
});

test("what decides alone explains all, an optimum inside a range too", () => {
  const x = Array.from({ length: 9 }, (_, i) => i);
  expect(
    explainedByParabola(
      x.map((each) => 1 - (each - 4) ** 2),
      x,
    )!.share,
  ).toBeCloseTo(1, 12);
  expect(
    explainedByGroups(
      x.map((each) => each % 3),
      x.map((each) => `${each % 3}`),
    )!.share,
  ).toBe(1);
});

test("where it cannot be said there is none", () => {
  expect(explainedByGroups([1, 1, 1], ["a", "b", "b"])).toBeUndefined();
  expect(explainedByGroups([1, 2, 3], ["a", "a", "a"])).toBeUndefined();
  expect(explainedByGroups([1, 2, 3], ["a", "b", "c"])).toBeUndefined();
  expect(explainedByParabola([1, 2, 3], [1, 2, 3])).toBeUndefined();
  expect(explainedByParabola([1, 2, 3], [5, 5, 5])).toBeUndefined();
  expect(explainedByGroups([], [])).toBeUndefined();
  expect(explainedByParabola([], [])).toBeUndefined();
});

/** 18 trials of a key with four choices and of a range; `weight` is how much of the score's variance either decides. */
function searches(weight: number): { groups: Explained[]; curve: Explained[] } {
  const rng = rngFrom(7);
  const many = Array.from({ length: 2000 }, () => {
    const choices = Array.from({ length: 18 }, (_, i) => i % 4);
    const x = Array.from({ length: 18 }, () => rng.next());
    const noise = () => Math.sqrt(1 - weight) * rng.normal();
    // Of variance 1 both: the choices are 0 to 3, x is uniform.
    const byChoice = choices.map((each) => Math.sqrt(weight / 1.25) * each + noise());
    const byValue = x.map((each) => Math.sqrt(12 * weight) * each + noise());
    return { groups: explainedByGroups(byChoice, choices)!, curve: explainedByParabola(byValue, x)! };
  });
  return { groups: many.map(({ groups }) => groups), curve: many.map(({ curve }) => curve) };
}

test("without influence more than what comes by chance comes in one of 20 searches, and the mean is near 0", () => {
  for (const found of Object.values(searches(0))) {
    expect(mean(found.map(({ share }) => share))).toBeLessThan(0.08);
    const above = found.filter((each) => each.share > explainedByChance(each, 0.05)).length;
    expect(above / found.length).toBeCloseTo(0.05, 1.7); // within 0.01, two standard errors
    // It is the cut at 0 that leaves a mean above 0: most are cut.
    expect(found.filter(({ share }) => share === 0).length / found.length).toBeGreaterThan(0.5);
  }
});

test("an influence is found at its size", () => {
  for (const found of Object.values(searches(0.7)))
    expect(Math.abs(mean(found.map(({ share }) => share)) - 0.7)).toBeLessThan(0.03);
});

const unit = fc.double({ min: -1, max: 1, noNaN: true });
const pairs = fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), unit), { minLength: 5, maxLength: 30 });
const numbers = (minLength: number, maxLength: number) => fc.array(unit, { minLength, maxLength });
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const floats = (row: readonly number[]) => Float64Array.from(row);

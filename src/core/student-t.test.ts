import { expect, test } from "vitest";
import { studentPoint, studentWithin } from "./student-t.ts";

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

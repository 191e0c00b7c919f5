import fc from "fast-check";
import { expect, test } from "vitest";
import {
  angleBetweenLines,
  dot,
  meanRow,
  secondMoments,
  solvePositive,
  symmetricEigen,
} from "./linear-algebra.ts";
import { rngFrom } from "./rng.ts";

const random = (seed: number, rows: number, columns: number) => {
  const rng = rngFrom(seed);
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => rng.normal()));
};
const symmetric = (seed: number, n: number) => secondMoments(random(seed, n + 3, n));

test("the eigenvectors of a symmetric matrix are orthonormal and give the matrix back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(1000), (n, seed) => {
      const matrix = symmetric(seed, n);
      const { values, vectors } = symmetricEigen(matrix);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          expect(dot(vectors[i], vectors[j])).toBeCloseTo(i === j ? 1 : 0, 10);
          const again = values.reduce((sum, value, k) => sum + value * vectors[k][i] * vectors[k][j], 0);
          expect(again).toBeCloseTo(matrix[i][j], 10);
        }
      }
    }),
    { numRuns: 40, seed: 1 },
  );
});

test("the path of 3 nodes has the Laplacian eigenvalues 3, 1, 0", () => {
  const { values } = symmetricEigen([
    [1, -1, 0],
    [-1, 2, -1],
    [0, -1, 1],
  ]);
  expect(values.map((value) => Math.abs(Math.round(value * 1e12) / 1e12))).toEqual([3, 1, 0]);
});

test("what solvePositive returns solves the equation", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 }), fc.nat(1000), (n, seed) => {
      const matrix = symmetric(seed, n).map((row, i) => row.map((x, j) => (i === j ? x + 0.5 : x)));
      const right = random(seed + 1, n, 3);
      const x = solvePositive(matrix, right);
      for (let i = 0; i < n; i++) {
        for (let c = 0; c < 3; c++) {
          expect(
            dot(
              matrix[i],
              x.map((row) => row[c]),
            ),
          ).toBeCloseTo(right[i][c], 8);
        }
      }
    }),
    { numRuns: 40, seed: 1 },
  );
  expect(() => solvePositive([[0]], [[1]])).toThrow("pivot 0");
});

test("two swaps that share a variable are 60 degrees apart, two that do not 90, whatever their signs", () => {
  expect(angleBetweenLines([1, -1, 0, 0], [0, 1, -1, 0])).toBeCloseTo(60, 10);
  expect(angleBetweenLines([1, -1, 0, 0], [0, -1, 1, 0])).toBeCloseTo(60, 10);
  expect(angleBetweenLines([1, -1, 0, 0], [0, 0, 1, -1])).toBeCloseTo(90, 10);
  expect(angleBetweenLines([2, 0], [-1, 0])).toBe(0);
});

test("second moments about the mean are those about the origin less the mean's square", () => {
  const rows = random(4, 20, 3);
  const mean = meanRow(rows);
  const [about, origin] = [secondMoments(rows, mean), secondMoments(rows)];
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) expect(about[i][j]).toBeCloseTo(origin[i][j] - mean[i] * mean[j], 10);
});

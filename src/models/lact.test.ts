import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { check } from "../tensor/check.test-helper.ts";
import { orthogonal } from "./lact.naive.ts";
import { orthogonalised } from "./lact.ts";

test("Newton and Schulz's steps are those of the twin, gradients too, and bring singular values near 1", async () => {
  const [n, m] = [3, 4];
  const rows = (data: ArrayLike<number>) =>
    Array.from({ length: n }, (_, i) => Array.from({ length: m }, (__, j) => data[i * m + j]));
  await check({
    name: "orthogonalised",
    inputs: [{ shape: [n, m] }],
    op: orthogonalised,
    naive: ({ data }) => ({ shape: [n, m], data: Float64Array.from(orthogonal(rows(data)).flat()) }),
    tolerance: 1e-3,
  });
  const rng = rngFrom(5);
  const X = orthogonal(rows(Array.from({ length: n * m }, () => rng.normal())));
  for (const [i, row] of X.entries())
    for (const [j, other] of X.entries()) {
      const product = row.reduce((total, each, at) => total + each * other[at], 0);
      expect(Math.abs(product - Number(i === j))).toBeLessThan(0.35);
    }
});

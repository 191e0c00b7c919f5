import { expect, test } from "vitest";
import { sum } from "./arithmetic.ts";
import { check, evaluate } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import { rmsNormNaive, unitNormNaive } from "./normalize.naive.ts";
import { rmsNorm, unitNorm } from "./normalize.ts";

const cases = [
  [[2], 1e-6],
  [[7, 3], 1e-6],
  [[2, 5, 64], 1e-6],
  [[3, 1], 0.1],
  [[2, 3], 0.1],
] as const;
test.each(cases)("both equal their twins at [%j] with epsilon %d", async (shape, epsilon) => {
  await check({
    name: `rmsNorm ${shape}`,
    inputs: [{ shape }],
    op: (x) => rmsNorm(x, epsilon),
    naive: (x) => rmsNormNaive(x, epsilon),
  });
  await check({
    name: `unitNorm ${shape}`,
    inputs: [{ shape }],
    op: (x) => unitNorm(x, epsilon),
    naive: (x) => unitNormNaive(x, epsilon),
  });
  await check({
    name: `unitNorm ${shape} of length 0.3`,
    inputs: [{ shape }],
    op: (x) => unitNorm(x, epsilon, 0.3),
    naive: (x) => {
      const { data } = unitNormNaive(x, epsilon);
      return { shape, data: data.map((each) => 0.3 * each) };
    },
  });
});

test("a row of zeros stays zero and has a finite gradient", async () => {
  const graph = new Graph();
  const x = graph.input("x", [1, 4]);
  const y = unitNorm(x);
  const [dx] = grad(sum(y), [x]);
  const results = await evaluate(graph, { y, dx }, { x: new Float32Array(4) });
  expect([...results.y]).toEqual([0, 0, 0, 0]);
  for (const each of results.dx) expect(each).toBeCloseTo(1e3, 1); // epsilon^-1/2
});

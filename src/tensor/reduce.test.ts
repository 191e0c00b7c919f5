import { expect, test } from "vitest";
import { cumulativeSum, mean, type ReduceOptions, sum } from "./arithmetic.ts";
import { check } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { cumulativeSumNaive, meanNaive, sumNaive } from "./reduce.naive.ts";

const options: [readonly number[], ReduceOptions][] = [
  [[], {}],
  [[1], {}],
  [[7], { axes: [0], keep: true }],
  [[2, 3, 5], {}],
  [[2, 3, 5], { keep: true }],
  [[2, 3, 5], { axes: [-1] }],
  [[2, 3, 5], { axes: [1], keep: true }],
  [[2, 3, 5], { axes: [2, 0] }],
  [[2, 3, 5], { axes: [0, -3] }],
  [[2, 3, 5], { axes: [] }],
  [[2, 1, 5], { axes: [1] }],
];
test.each(options)("sum and mean of [%j] over %j equal their twins", (shape, over) =>
  check({
    name: `reduce ${shape} ${JSON.stringify(over)}`,
    inputs: [{ shape }],
    op: (x) => [sum(x, over), mean(x, over)],
    naive: (x) => [sumNaive(x, over), meanNaive(x, over)],
  }),
);

test.each([
  [[4], 0],
  [[2, 3, 5], 1],
  [[2, 3, 5], -1],
] as const)("the cumulative sum of %j along %i equals its twin", (shape, axis) =>
  check({
    name: `cumulativeSum ${shape} ${axis}`,
    inputs: [{ shape }],
    op: (x) => cumulativeSum(x, axis),
    naive: (x) => cumulativeSumNaive(x, axis),
  }),
);

test("an axis that is not there is refused", () => {
  const x = new Graph().input("x", [2, 3]);
  expect(() => sum(x, { axes: [2] })).toThrow("expected an axis of [2,3], got 2");
  expect(() => mean(x, { axes: [-3] })).toThrow("expected an axis of [2,3], got -3");
});

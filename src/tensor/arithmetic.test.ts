import { describe, expect, test } from "vitest";
import { eachNaive } from "./activations.naive.ts";
import { cumulativeSumNaive, elementwiseNaive, meanNaive, sumNaive } from "./arithmetic.naive.ts";
import {
  add,
  broadcast,
  cumulativeSum,
  divide,
  mean,
  multiply,
  negate,
  type ReduceOptions,
  scale,
  shift,
  subtract,
  sum,
} from "./arithmetic.ts";
import { type Case, check, evaluate, type Input, relativeError } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph, type Tensor } from "./graph.ts";
import { absolute, largest, maximum, stopGradient } from "./maximum.ts";
import { mapRows } from "./naive.ts";

/** Away from 0, so that quotients stay tame; of both signs. */
const draw: Input["draw"] = (rng) => (rng.below(2) === 0 ? -1 : 1) * (0.5 + rng.next());

const ops: [string, (x: Tensor, y: Tensor) => Tensor, (x: number, y: number) => number][] = [
  ["add", add, (x, y) => x + y],
  ["subtract", subtract, (x, y) => x - y],
  ["multiply", multiply, (x, y) => x * y],
  ["divide", divide, (x, y) => x / y],
];
const shapes = [
  [[], []],
  [[1], [1]],
  [[7], [7]],
  [[5], []],
  [[2, 3, 1], []],
  [[1], [2, 3, 1]],
  [[], [5]],
  [[2, 3, 5], [5]],
  [[5], [2, 3, 5]],
  [
    [2, 1, 5],
    [1, 3, 1],
  ],
  [
    [1, 1, 1],
    [2, 3, 5],
  ],
  [
    [3, 1],
    [2, 3, 7],
  ],
  [
    [1, 1],
    [1, 1, 1],
  ],
] as const;

describe.each(ops)("%s", (name, op, f) => {
  test.each(shapes)("equals its twin at [%j] and [%j], gradients too", (x, y) =>
    check({
      name: `${name} ${x} ${y}`,
      inputs: [
        { shape: x, draw },
        { shape: y, draw },
      ],
      op,
      naive: (a, b) => elementwiseNaive(a, b, f),
    }),
  );

  test("refuses shapes that do not broadcast, naming both", () => {
    const graph = new Graph();
    expect(() => op(graph.input("x", [2, 3]), graph.input("y", [2]))).toThrow(
      /expected shapes that broadcast, got "\[2,3\] and \[2\]"/,
    );
  });
});

const one = (x: number, _y: number) => x;
const unary: Case[] = [
  {
    name: "negate",
    op: negate,
    naive: (x) => elementwiseNaive(x, x, (a) => -a),
    inputs: [{ shape: [3, 7] }],
  },
  {
    name: "scale by -0.3",
    op: (x) => scale(x, -0.3),
    naive: (x) => elementwiseNaive(x, x, (a) => -0.3 * a),
    inputs: [{ shape: [3, 7] }],
  },
  {
    name: "scale by 1",
    op: (x) => scale(x, 1),
    naive: (x) => elementwiseNaive(x, x, one),
    inputs: [{ shape: [1] }],
  },
  {
    name: "shift by 2",
    op: (x) => shift(x, 2),
    naive: (x) => elementwiseNaive(x, x, (a) => a + 2),
    inputs: [{ shape: [11] }],
  },
  {
    name: "one tensor as both operands of a product and a quotient",
    op: (x) => divide(multiply(x, x), x),
    naive: (x) => elementwiseNaive(x, x, one),
    inputs: [{ shape: [13], draw }],
  },
];
test.each(unary)("$name equals its twin", check);

test("broadcast aligns the last axes", () => {
  expect(broadcast("here", [4, 1, 3], [2, 1])).toEqual([4, 2, 3]);
  expect(() => broadcast("here", [4], [3])).toThrow(
    'here: expected shapes that broadcast, got "[4] and [3]"',
  );
});

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

const cases: Case[] = [
  [[7], [7]],
  [[2, 3, 5], [5]],
  [
    [2, 1, 5],
    [1, 3, 1],
  ],
].map(([x, y]) => ({
  name: `maximum of [${x}] and [${y}]`,
  inputs: [{ shape: x }, { shape: y }],
  op: maximum,
  naive: (a, b) => elementwiseNaive(a, b, Math.max),
}));

test.each([
  ...cases,
  {
    name: "absolute",
    inputs: [{ shape: [3, 7] }],
    op: absolute,
    naive: (x) => eachNaive(x, Math.abs),
  } as Case,
  {
    name: "largest",
    inputs: [{ shape: [4, 3, 6], differentiable: false }],
    op: largest,
    naive: (x) => mapRows(x, (row) => [Math.max(...row)]),
  } as Case,
])("$name equals its twin", check);

test("of two equal numbers the first has the whole gradient", async () => {
  const graph = new Graph();
  const [x, y] = [graph.input("x", [2]), graph.input("y", [2])];
  const [dx, dy] = grad(sum(maximum(x, y)), [x, y]);
  const equal = Float32Array.of(3, -1);
  expect(await evaluate(graph, { dx, dy }, { x: equal, y: equal })).toEqual({
    dx: Float32Array.of(1, 1),
    dy: Float32Array.of(0, 0),
  });
});

test("what is detached counts in the value and not in the gradient, nor does what it is made of", async () => {
  const graph = new Graph();
  const x = graph.input("x", [1, 3]);
  const y = add(multiply(x, stopGradient(largest(scale(x, 2)))), shift(x, 1)); // d/dx is the factor, and 1
  const [dx] = grad(sum(y), [x]);
  const results = await evaluate(graph, { y, dx }, { x: Float32Array.of(1, 2, 3) });
  expect(relativeError(results.y, [8, 15, 22])).toBe(0);
  expect(relativeError(results.dx, [7, 7, 7])).toBe(0);
});

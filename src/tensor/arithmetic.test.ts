import { describe, expect, test } from "vitest";
import { elementwiseNaive } from "./arithmetic.naive.ts";
import { add, broadcast, divide, multiply, negate, scale, shift, subtract } from "./arithmetic.ts";
import { type Case, check, type Input } from "./check.test-helper.ts";
import { Graph, type Tensor } from "./graph.ts";

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

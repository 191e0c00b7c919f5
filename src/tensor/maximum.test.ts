import { expect, test } from "vitest";
import { eachNaive } from "./activations.naive.ts";
import { elementwiseNaive } from "./arithmetic.naive.ts";
import { add, multiply, scale, shift, sum } from "./arithmetic.ts";
import { type Case, check, evaluate, relativeError } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import { absolute, detached, largest, maximum } from "./maximum.ts";
import { mapRows } from "./naive.ts";

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
  const y = add(multiply(x, detached(largest(scale(x, 2)))), shift(x, 1)); // d/dx is the factor, and 1
  const [dx] = grad(sum(y), [x]);
  const results = await evaluate(graph, { y, dx }, { x: Float32Array.of(1, 2, 3) });
  expect(relativeError(results.y, [8, 15, 22])).toBe(0);
  expect(relativeError(results.dx, [7, 7, 7])).toBe(0);
});

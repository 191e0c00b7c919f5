import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { multiply, sum } from "./arithmetic.ts";
import { drawn, evaluate } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import { softmax } from "./softmax.ts";
import { choice, largestOnes } from "./top-k.ts";

const ones = async (rows: readonly (readonly number[])[], count: number) => {
  const graph = new Graph();
  const width = rows[0].length;
  const x = graph.input("x", [rows.length, 1, width]);
  const { y } = await evaluate(graph, { y: largestOnes(x, count) }, { x: Float32Array.from(rows.flat()) });
  return rows.map((_, i) => Array.from(y.subarray(i * width, (i + 1) * width)));
};

test("so many are chosen of each row, and none that is left is larger", async () => {
  const rng = rngFrom(1);
  const rows = Array.from({ length: 20 }, () => Array.from({ length: 7 }, () => rng.normal()));
  for (const count of [1, 3, 7]) {
    for (const [i, row] of (await ones(rows, count)).entries()) {
      const cut = rows[i].toSorted((a, b) => b - a)[count - 1];
      expect(row).toEqual(rows[i].map((each) => Number(each >= cut)));
    }
  }
});

test("of equals the first are chosen", async () => {
  expect(await ones([[1, 2, 2, 2, 0]], 2)).toEqual([[0, 1, 1, 0, 0]]);
});

test("more than there are, and none, are refused", async () => {
  await expect(ones([[1, 2]], 3)).rejects.toThrow("largestOnes: expected a count from 1 to 2, got 3");
  await expect(ones([[1, 2]], 0)).rejects.toThrow("largestOnes");
});

test("the largest of each row, of equals the first; the gradient is that of the softmax", async () => {
  const shape = [3, 4, 5];
  const rng = rngFrom(3);
  const [x, w] = [0, 1].map(() => Float32Array.from(drawn({ shape }, rng).data));
  x.set([2, 2, 1, 2, 0], 10);
  const graph = new Graph();
  const [input, weight] = [graph.input("x", shape), graph.input("w", shape)];
  const y = choice(input);
  const [dx] = grad(sum(multiply(y, weight)), [input]);
  const [wanted] = grad(sum(multiply(softmax(input), weight)), [input]);
  const results = await evaluate(graph, { y, dx, wanted }, { x, w });
  const rows = Array.from({ length: 12 }, (_, i) => [...x.subarray(5 * i, 5 * i + 5)]);
  const hard = rows.flatMap((row) => row.map((_, i) => Number(row.indexOf(Math.max(...row)) === i)));
  expect([...results.y]).toEqual(hard);
  expect(rows[2].indexOf(2)).toBe(0);
  for (const [i, each] of results.dx.entries()) expect(each).toBeCloseTo(results.wanted[i], 6);
});

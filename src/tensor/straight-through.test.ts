import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { multiply, sum } from "./arithmetic.ts";
import { drawn, evaluate } from "./check.test-helper.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import { softmax } from "./softmax.ts";
import { choice } from "./straight-through.ts";

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

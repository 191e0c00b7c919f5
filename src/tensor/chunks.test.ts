import { expect, test } from "vitest";
import { reshape } from "./arithmetic.ts";
import { between, check, evaluate } from "./check.test-helper.ts";
import { runningSum, splitChunks, sumsBetween } from "./chunks.ts";
import { Graph } from "./graph.ts";
import { at, filled } from "./naive.ts";
import { slice } from "./shape.ts";

test.each([
  [7, 3],
  [6, 3],
  [1, 5],
  [5, 9],
])("%d steps in chunks of %d come back as they were, and zeros stand behind them", async (length, chunk) => {
  const shape = [2, length, 3, 2];
  const x = Float32Array.from({ length: 12 * length }, (_, i) => i + 1);
  const graph = new Graph();
  const { count, size, into, joined } = splitChunks("test", shape, chunk);
  const cut = into(graph.input("x", shape));
  expect(cut.shape).toEqual([count, 2, 3, size, 2]);
  const results = await evaluate(graph, { cut, back: joined(cut) }, { x });
  expect(results.back).toEqual(x);
  const [n, b, h, c, d] = [count - 1, 1, 2, (length - 1) % size, 1]; // the last number of all
  const place = (((n * 2 + b) * 3 + h) * size + c) * 2 + d;
  expect(results.cut[place]).toBe(12 * length);
  expect(results.cut.filter((each) => each === 0)).toHaveLength(12 * (count * size - length));
});

test("a running sum counts its own step", () =>
  check({
    name: "running sum",
    inputs: [{ shape: [2, 5, 1] }],
    op: runningSum,
    naive: (x) =>
      filled([2, 5, 1], ([n, i]) =>
        Array.from({ length: i + 1 }, (_, l) => at(x, [n, l, 0])).reduce((a, b) => a + b),
      ),
  }));

test("a sum between j and i counts i and not j, is exact beside a huge one, and -infinity where j is later", async () => {
  const graph = new Graph();
  const sums = sumsBetween(graph.input("x", [1, 4, 1]));
  const results = await evaluate(graph, { sums }, { x: Float32Array.of(-1e6, -0.25, -1e9, -0.125) });
  const never = Number.NEGATIVE_INFINITY;
  expect([...results.sums]).toEqual(
    [
      [0, never, never, never],
      [-0.25, 0, never, never],
      [-1e9, -1e9, 0, never],
      [-1e9, -1e9, -0.125, 0],
    ].flat(),
  );
});

test("sums between have the gradient of sums", () =>
  check({
    name: "sums between",
    inputs: [{ shape: [2, 5, 1], draw: between(-2, 0) }],
    // The last row, of which nothing is infinite.
    op: (x) => reshape(slice(sumsBetween(x), 1, 4, 5), [2, 5]),
    naive: (x) =>
      filled([2, 5], ([n, j]) => [0, 1, 2, 3, 4].reduce((sum, l) => sum + (l > j ? at(x, [n, l, 0]) : 0), 0)),
  }));

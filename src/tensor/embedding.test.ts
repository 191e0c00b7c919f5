import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { multiply, sum } from "./arithmetic.ts";
import { type Case, check, drawn, type Input, relativeError } from "./check.test-helper.ts";
import { embeddingNaive, oneHotNaive } from "./embedding.naive.ts";
import { embedding, oneHot } from "./embedding.ts";
import { grad } from "./gradient.ts";
import { Graph, type Shape } from "./graph.ts";
import { compile } from "./session.ts";
import { nodeRuntime } from "./session-node.ts";

const indices = (shape: Shape, count: number): Input => ({
  shape,
  integer: true,
  draw: (rng) => rng.below(count),
});

const cases: Case[] = (
  [
    [1, 1, [1]],
    [1, 3, [2, 2]],
    [2, 3, [7]], // few rows, so that most come again and again
    [7, 1, []],
    [5, 2, [3, 1, 2]],
    [131, 3, [2, 5]],
    [301, 2, [40]], // large enough to be scattered
  ] as const
).map(([rows, width, shape]) => ({
  name: `a table of [${rows}, ${width}] read at indices [${shape}]`,
  inputs: [{ shape: [rows, width] }, indices(shape, rows)],
  op: embedding,
  naive: embeddingNaive,
}));
test.each(cases)("$name equals its twin, gradients too", check);

test.each([1, 2])(
  "the gradient of a large table sums over repeated indices, with %d threads",
  async (threads) => {
    const [rows, width, count] = [2500, 32, 6000];
    const rng = rngFrom(4);
    const graph = new Graph();
    const table = graph.input("table", [rows, width]);
    const at = graph.input("at", [count], "int32");
    const w = graph.input("w", [count, width]);
    const [dTable] = grad(sum(multiply(embedding(table, at), w)), [table]);
    // ONNX Runtime's threads race there, but too seldom for the numbers below to show it every time.
    expect(graph.nodes.map(({ op }) => op)).not.toContain("ScatterND");
    const { run, release } = await compile(graph, { dTable }, nodeRuntime({ threads }));
    // Ten rows take nearly all.
    const index = Int32Array.from({ length: count }, (_, i) =>
      i % 100 === 0 ? rng.below(rows) : rng.below(10),
    );
    const dy = drawn({ shape: [count, width] }, rng).data;
    const wanted = new Float64Array(rows * width);
    for (let n = 0; n < count; n++) {
      for (let i = 0; i < width; i++) wanted[index[n] * width + i] += dy[n * width + i];
    }
    const feeds = { table: new Float32Array(rows * width), at: index, w: Float32Array.from(dy) };
    for (let repeat = 0; repeat < 3; repeat++) {
      const results = await run(feeds);
      expect(relativeError(results.dTable as Float32Array, wanted)).toBeLessThan(1e-4);
    }
    await release();
  },
);

test.each([
  [[], 1],
  [[3], 5],
  [[2, 3], 1],
  [[2, 3], 7],
] as const)("oneHot of [%j] among %d equals its twin", (shape, count) =>
  check({
    name: `oneHot ${shape} ${count}`,
    inputs: [indices(shape, count)],
    op: (x) => oneHot(x, count),
    naive: (x) => oneHotNaive(x, count),
  }),
);

test("indices that are not int32 are refused", () => {
  const graph = new Graph();
  const table = graph.input("table", [3, 2]);
  expect(() => embedding(table, graph.input("at", [2]))).toThrow(
    'embedding: expected int32 indices, got "float32"',
  );
  const flat = graph.input("flat", [3]);
  expect(() => embedding(flat, graph.input("i", [2], "int32"))).toThrow(
    "embedding: expected a table of shape [V, d], got [3]",
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { causalConvolutionNaive } from "./causal-convolution.naive.ts";
import { causalConvolution } from "./causal-convolution.ts";
import { check } from "./check.test-helper.ts";
import { Graph } from "./graph.ts";
import { linearNaive } from "./matmul.naive.ts";
import { linear } from "./matmul.ts";

const sizes = [
  [1, 1, 1, 1],
  [1, 1, 1, 4],
  [2, 3, 2, 4],
  [2, 7, 1, 3],
  [3, 5, 7, 2],
  [1, 13, 33, 4],
  [2, 1, 5, 4],
  [1, 6, 64, 4],
  [2, 4, 3, 1],
  [3, 20, 2, 17], // long filters have a gradient of their own
  [2, 5, 3, 12],
  [1, 40, 2, 40],
] as const;
test.each(sizes)(
  "equals its twin with B, T, D, K = %d, %d, %d, %d, gradients too",
  (batch, length, channels, taps) =>
    check({
      name: `causalConvolution ${batch} ${length} ${channels} ${taps}`,
      inputs: [{ shape: [batch, length, channels] }, { shape: [taps, channels] }],
      op: causalConvolution,
      naive: causalConvolutionNaive,
    }),
);

test("equals its twin after a product, which it takes with the channels first", () =>
  check({
    name: "causalConvolution of a product",
    inputs: [{ shape: [2, 7, 3] }, { shape: [3, 5] }, { shape: [4, 5] }],
    op: (x, projection, weight) => causalConvolution(linear(x, projection), weight),
    naive: (x, projection, weight) => causalConvolutionNaive(linearNaive(x, projection), weight),
  }));

test("equals its twin at any size", async () => {
  const small = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(
      small,
      small,
      small,
      fc.integer({ min: 1, max: 16 }),
      fc.nat(),
      (batch, length, channels, taps, seed) =>
        check({
          name: "any",
          seed,
          inputs: [{ shape: [batch, length, channels] }, { shape: [taps, channels] }],
          op: causalConvolution,
          naive: causalConvolutionNaive,
        }),
    ),
    { seed: 1, numRuns: 12 },
  );
});

test("a weight of other channels and an x without batch are refused", () => {
  const graph = new Graph();
  const x = graph.input("x", [2, 5, 3]);
  const weight = graph.input("weight", [4, 2]);
  expect(() => causalConvolution(x, weight)).toThrow(
    "causalConvolution: expected a weight of shape [K, 3], got [4,2]",
  );
  expect(() => causalConvolution(weight, weight)).toThrow(
    "causalConvolution: expected x of shape [B, T, D], got [4,2]",
  );
});

import { describe, expect, test } from "vitest";
import { between, check, evaluate, type Input } from "./check.test-helper.ts";
import { correctNaive, crossEntropyNaive, weightedLogLossNaive } from "./cross-entropy.naive.ts";
import { correct, crossEntropy, weightedLogLoss } from "./cross-entropy.ts";
import { grad } from "./gradient.ts";
import { Graph, type Shape } from "./graph.ts";

const targets = (shape: Shape, words: number): Input => ({
  shape,
  integer: true,
  draw: (rng) => rng.below(words),
});

describe.each([
  { name: "mean", op: crossEntropy, naive: crossEntropyNaive, draw: between(0.1, 1) },
  {
    name: "sum, with weights of both signs,",
    op: weightedLogLoss,
    naive: weightedLogLossNaive,
    draw: between(-1, 1),
  },
])("the $name", ({ name, op, naive, draw }) => {
  test.each([
    [[], 3],
    [[1], 1],
    [[5], 2],
    [[2, 7], 13],
    [[3, 1, 2], 67],
  ] as const)("equals its twin on [%j] positions and %d words", (shape, words) =>
    check({
      name: `${name} ${shape} ${words}`,
      inputs: [
        { shape: [...shape, words], draw: (rng) => 3 * rng.normal() },
        targets(shape, words),
        { shape, draw, differentiable: false },
      ],
      op,
      naive,
    }),
  );
});

test("weights that sum to 0 are no division by it: what is said twice with opposite signs costs nothing", async () => {
  const graph = new Graph();
  const logits = graph.input("logits", [2, 3]);
  const loss = weightedLogLoss(logits, graph.input("targets", [2], "int32"), graph.input("weights", [2]));
  const row = [0.5, -1, 2];
  const feeds = {
    logits: Float32Array.of(...row, ...row),
    targets: Int32Array.of(2, 2),
    weights: Float32Array.of(3, -3),
  };
  const found = await evaluate(graph, { loss, dLogits: grad(loss, [logits])[0] }, feeds);
  expect(found.loss[0]).toBe(0);
  expect([...found.dLogits.subarray(0, 3)]).toEqual([...found.dLogits.subarray(3)].map((x) => -x));
  expect(Math.max(...found.dLogits)).toBeGreaterThan(0.5);
});

test("a position of weight 0 has neither loss nor gradient", async () => {
  const graph = new Graph();
  const logits = graph.input("logits", [2, 3]);
  const loss = crossEntropy(logits, graph.input("targets", [2], "int32"), graph.input("weights", [2]));
  const [dLogits] = grad(loss, [logits]);
  const feeds = {
    logits: Float32Array.of(0, 0, 0, 9, -9, 4),
    targets: Int32Array.of(1, 1),
    weights: Float32Array.of(5, 0),
  };
  const results = await evaluate(graph, { loss, dLogits }, feeds);
  expect(results.loss[0]).toBeCloseTo(Math.log(3), 6);
  expect(results.dLogits.subarray(3).every((each) => each === 0)).toBe(true);
  expect(results.dLogits[1]).toBeCloseTo(-2 / 3, 6);
});

test.each([
  [[3], 1],
  [[2, 5], 3],
  [[131], 4],
] as const)("correct equals its twin on [%j] positions, %d words", (shape, words) =>
  check({
    name: `correct ${shape} ${words}`,
    // Whole numbers make ties, which the first of the largest wins.
    inputs: [
      { shape: [...shape, words], draw: (rng) => rng.below(4), differentiable: false },
      targets(shape, words),
    ],
    op: correct,
    naive: correctNaive,
  }),
);

test("targets and weights of another shape are refused, even where they would broadcast", () => {
  const graph = new Graph();
  const logits = graph.input("logits", [2, 3, 5]);
  const right = graph.input("right", [2, 3], "int32");
  const wrong = graph.input("wrong", [2, 1], "int32");
  const weights = graph.input("weights", [1]);
  expect(() => crossEntropy(logits, wrong, weights)).toThrow(
    "crossEntropy: expected targets of shape [2,3], got [2,1]",
  );
  expect(() => crossEntropy(logits, right, weights)).toThrow(
    "crossEntropy: expected weights of shape [2,3], got [1]",
  );
  expect(() => weightedLogLoss(logits, right, weights)).toThrow(
    "weightedLogLoss: expected weights of shape [2,3], got [1]",
  );
  expect(() => correct(logits, wrong)).toThrow("correct: expected targets of shape [2,3], got [2,1]");
});

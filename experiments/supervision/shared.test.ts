import { expect, test } from "vitest";
import { configureModel, modelNamed, parameterCount, parameterShapes } from "../../src/models/index.ts";
import { LLAMA_13M, type MethodName, perfectIn, samplesToCriterion, timesTheSamples } from "./shared.ts";
import { statePermutation } from "./state-permutation.ts";

test("with a vocabulary of 259 the Llama has exactly the published 13,641,216 parameters", () => {
  const model = configureModel(modelNamed(LLAMA_13M.name), LLAMA_13M, 259, "model");
  expect(parameterCount(parameterShapes(model))).toBe(13_641_216);
});

const found = (model: MethodName, seed: number, samples: number, reached: 0 | 1) => ({
  name: "samplesToPerfect",
  setting: "4 swaps",
  model,
  seed,
  at: {},
  values: { samples, perfect: reached },
});

test("a run that never was perfect bounds its ratio; only where neither was is there none", () => {
  const measurements = [
    ...[found("decoder", 0, 200, 1), found("unsupervised", 0, 300, 1)],
    ...[found("decoder", 1, 200, 1), found("unsupervised", 1, 1000, 0)], // at least 5
    ...[found("decoder", 2, 1000, 0), found("unsupervised", 2, 500, 1)], // at most 1 / 2
    ...[found("decoder", 3, 1000, 0), found("unsupervised", 3, 1000, 0)],
    found("decoder", 4, 200, 1),
  ];
  const ratios = timesTheSamples({ measurements }, "4 swaps", "decoder", "unsupervised");
  expect(ratios).toEqual([1.5, 5, 0.5]);
  expect(samplesToCriterion({ measurements }, "8 swaps", "decoder")).toEqual([]);
});

test("each seed that was run counts as perfect or not", () => {
  const measurements = [found("decoder", 0, 48_000, 0), found("decoder", 1, 200, 1)];
  expect(perfectIn({ measurements }, "4 swaps", "decoder")).toEqual([0, 1]);
  expect(perfectIn({ measurements }, "4 swaps", "unsupervised")).toEqual([]);
});

test.each([
  ["slower in each seed", [1.5, 2], true],
  ["slower in some seeds", [0.7, 1.2], "inconclusive"],
  ["faster in each seed", [0.7, 0.9], false],
] as const)("a weight of 1 is slower than 0.1: %s", (_, values, verdict) => {
  const claim = statePermutation.published.find(({ statement }) => statement.includes("slower"));
  expect(claim?.agrees?.(values)).toBe(verdict);
});

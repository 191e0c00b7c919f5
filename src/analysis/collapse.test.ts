import { expect, test } from "vitest";
import { shuffled } from "../core/permutations.ts";
import { rngFrom } from "../core/rng.ts";
import { mean } from "../core/statistics.ts";
import { betweenClassVariance, measureCollapse } from "./collapse.ts";
import { parityPrograms, recordingOf, tapOf } from "./recording.test-helper.ts";

test("the share of two groups on a line is the correlation ratio by hand", () => {
  // Means 1 and 5 around 3: between 4 x 4 = 16; within 4 x 1 = 4.
  expect(betweenClassVariance([[0], [2], [4], [6]], [0, 0, 1, 1])).toBeCloseTo(16 / 20, 12);
  expect(betweenClassVariance([[1], [1]], [0, 1])).toBe(0);
});

test("over all ways to deal the states the mean of the share is (S - 1) / (N - 1), exactly", () => {
  const rng = rngFrom(1);
  const rows = Array.from({ length: 6 }, () => [rng.normal(), rng.normal(), rng.normal()]);
  const dealt = permutationsOf([0, 0, 0, 1, 1, 2]);
  expect(dealt).toHaveLength(720);
  expect(mean(dealt.map((labels) => betweenClassVariance(rows, labels)))).toBeCloseTo(2 / 5, 10);
});

function permutationsOf(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) =>
    permutationsOf(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]),
  );
}

test("a residual that is the state has collapsed; one of noise is what chance makes it; of both something between", () => {
  const programs = parityPrograms(40, 10, rngFrom(2));
  const noise = rngFrom(3);
  const tap = (signal: number, spread: number) =>
    tapOf(programs, [3], (program, t) => {
      const state = programs[program].states[t + 1][0];
      return [signal * state, 0, 0].map((each) => each + spread * noise.normal());
    });
  const found = measureCollapse(
    recordingOf(programs, {
      "layers.0.residual": tap(0, 1),
      "layers.1.residual": tap(4, 1),
      "layers.2.residual": tap(1, 0),
    }),
    rngFrom(4),
  );
  expect(found).toMatchObject({ states: 2, vectors: 400 });
  expect(found?.null).toBeCloseTo(1 / 399, 12);
  const [none, some, all] = found?.layers ?? [];
  expect(none.share).toBeLessThan(0.02);
  expect(Math.abs(none.ratio - 1)).toBeLessThan(0.05);
  // Variance between 4 (two states, 4 apart), noise 3: 4 / 7.
  expect(Math.abs(some.share - 4 / 7)).toBeLessThan(0.05);
  expect(some.ratio).toBeLessThan(0.6);
  expect(all.share).toBeCloseTo(1, 9);
  expect(all.ratio).toBe(0);
});

test("names of states do not matter, and how they are dealt does", () => {
  const rng = rngFrom(5);
  const rows = Array.from({ length: 30 }, (_, i) => [i % 3, rng.normal()]);
  const labels = rows.map((_, i) => i % 3);
  const share = betweenClassVariance(rows, labels);
  expect(
    betweenClassVariance(
      rows,
      labels.map((label) => [7, 2, 5][label]),
    ),
  ).toBeCloseTo(share, 12);
  expect(betweenClassVariance(rows, shuffled(labels, rng))).toBeLessThan(share);
});

test("programs that all come to one state, or each to its own, give nothing to find", () => {
  const programs = parityPrograms(3, 1, rngFrom(1)).map((program) => ({ ...program, states: [[0], [0]] }));
  const tap = tapOf(programs, [2], () => [1, 2]);
  expect(measureCollapse(recordingOf(programs, { "layers.0.residual": tap }), rngFrom(1))).toBeUndefined();
});

test("vectors that are all the same are not separated", () => {
  const programs = parityPrograms(20, 4, rngFrom(1));
  const tap = tapOf(programs, [2], () => [1, 2]);
  const found = measureCollapse(recordingOf(programs, { "layers.0.residual": tap }), rngFrom(1));
  expect(found?.layers).toEqual([{ layer: 0, share: 0, ratio: 1 }]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { meanAccuracyWithError, meanDifference } from "./seed-aggregate.ts";

test("the interval of three differences is the one worked by hand", () => {
  // d = 1, 2, 3: mean 2, deviation 1, t with two degrees of freedom 4.302652729911, √3 = 1.7320508
  const { mean, interval } = meanDifference([
    [4, 5],
    [7, 9],
    [0, 3],
  ]);
  expect(mean).toBe(2);
  expect(interval?.[0]).toBeCloseTo(2 - 4.302652729911 / Math.sqrt(3), 9);
  expect(interval?.[1]).toBeCloseTo(2 + 4.302652729911 / Math.sqrt(3), 9);
});

test("one pair has a difference and no interval", () => {
  expect(meanDifference([[0.25, 0.75]])).toEqual({ mean: 0.5, interval: undefined });
  expect(meanAccuracyWithError([0.5])).toEqual({ mean: 0.5, interval: undefined });
  expect(meanAccuracyWithError([1, 1, 1])).toEqual({ mean: 1, interval: undefined }); // 3 of 3 without a mistake is no proof of 100 %
});

test("what both have in common does not change the interval, and the other way round it is mirrored", () => {
  const number = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number, number), { minLength: 2, maxLength: 9 }), (rows) => {
      const plain = meanDifference(rows.map(([a, b]) => [a, b]));
      const shifted = meanDifference(rows.map(([a, b, shared]) => [a + shared, b + shared]));
      const mirrored = meanDifference(rows.map(([a, b]) => [b, a]));
      if (plain.interval === undefined)
        expect([shifted.interval, mirrored.interval]).toEqual([undefined, undefined]);
      else
        for (const side of [0, 1]) {
          expect(shifted.interval?.[side]).toBeCloseTo(plain.interval![side], 6);
          expect(mirrored.interval?.[side]).toBeCloseTo(-plain.interval![1 - side], 9);
        }
    }),
    { seed: 5 },
  );
});

test("the paired interval holds the true difference in 95 % of samples, however large the share of the seed", () => {
  const rng = rngFrom(6);
  let held = 0;
  for (let sample = 0; sample < 4000; sample++) {
    const pairs = Array.from({ length: 5 }, (): [number, number] => {
      const seed = 10 * rng.normal();
      return [seed + rng.normal(), seed + 0.3 + rng.normal()];
    });
    const { interval } = meanDifference(pairs);
    if (interval![0] <= 0.3 && 0.3 <= interval![1]) held++;
  }
  expect(Math.abs(held / 4000 - 0.95)).toBeLessThan(0.011); // three standard errors
});

test("the interval of a mean share never leaves [0, 1]", () => {
  const { mean, interval } = meanAccuracyWithError([1, 1, 0.7]);
  expect(mean).toBeCloseTo(0.9, 12);
  expect(interval?.[1]).toBe(1);
  expect(interval?.[0]).toBeCloseTo(0.9 - (4.302652729911 * Math.sqrt(0.03)) / Math.sqrt(3), 9);
  expect(meanAccuracyWithError([0, 0, 0.2]).interval?.[0]).toBe(0);
});

import { expect, test } from "vitest";
import { pairedBootstrap } from "./bootstrap.ts";
import { rngFrom } from "./rng.ts";
import { mean, standardDeviation } from "./statistics.ts";

test("the interval is that of the normal law, 1.96 standard errors on both sides, where differences are many", () => {
  const rng = rngFrom(1);
  const task = Array.from({ length: 400 }, () => 10 * rng.next());
  const b = task.map((value) => value + 0.3 + rng.next() + rng.next());
  const { difference, interval } = pairedBootstrap(task, b, rngFrom(2));
  const differences = b.map((value, i) => value - task[i]);
  expect(difference).toBeCloseTo(mean(differences), 12);
  const error = standardDeviation(differences) / Math.sqrt(400);
  expect(interval[0]).toBeCloseTo(difference - 1.96 * error, 2);
  expect(interval[1]).toBeCloseTo(difference + 1.96 * error, 2);
  // unpaired it would be eight times as wide: what tasks differ in is in both
  expect(interval[1] - interval[0]).toBeLessThan(0.2 * standardDeviation(task));
});

test("it holds the truth in about 95 of 100 worlds, and a difference that is always the same is certain", () => {
  let held = 0;
  for (let world = 0; world < 300; world++) {
    const rng = rngFrom(world);
    const a = Array.from({ length: 50 }, () => rng.next());
    const b = a.map((value) => value + rng.next() - 0.5);
    const { interval } = pairedBootstrap(a, b, rng, 400);
    if (interval[0] <= 0 && 0 <= interval[1]) held++;
  }
  expect(held / 300).toBeGreaterThan(0.9);
  expect(held / 300).toBeLessThan(0.98);
  expect(pairedBootstrap([1, 2], [3, 4], rngFrom(0))).toEqual({ difference: 2, interval: [2, 2] });
});

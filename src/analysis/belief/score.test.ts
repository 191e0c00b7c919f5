import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { calibrator, estimate } from "./score.ts";

test("whoever says 3/4 of what happens in 3 of 4 cases is calibrated, and whoever says it of half is off by 1/4", () => {
  const right = calibrator();
  const wrong = calibrator();
  for (let i = 0; i < 400; i++) {
    right.add([0.75, 0.25], i % 4 === 0 ? 1 : 0);
    wrong.add([0.75, 0.25], i % 2);
  }
  expect(right.result()).toEqual({
    error: 0,
    bins: [
      { stated: 0.25, cameTrue: 0.25, statements: 400 },
      { stated: 0.75, cameTrue: 0.75, statements: 400 },
    ],
  });
  expect(wrong.result().error).toBe(0.25);
});

test("answers drawn from what is stated come true as often, in every bin; certainty has its place in the last", () => {
  const rng = rngFrom(3);
  const calibration = calibrator();
  for (let i = 0; i < 20_000; i++) {
    const share = rng.next();
    calibration.add([share, 1 - share], rng.next() < share ? 0 : 1);
  }
  calibration.add([1, 0], 0);
  const { error, bins } = calibration.result();
  expect(bins).toHaveLength(10);
  expect(error).toBeLessThan(0.01);
  for (const { stated, cameTrue, statements } of bins) {
    expect(Math.abs(stated - cameTrue)).toBeLessThan(4 * Math.sqrt(0.25 / statements));
  }
});

test("an estimate is the mean of the episodes with its standard error", () => {
  expect(estimate([1, 2, 3, 4])).toEqual({ mean: 2.5, standardError: Math.sqrt(5 / 3) / 2 });
});

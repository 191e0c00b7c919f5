import { expect, test } from "vitest";
import { entropyRateBounds } from "./block-entropy.ts";
import { massDecay, massDecaySteps } from "./decay.ts";
import { swapWalk } from "./filter.ts";
import { deviation, referenceFor, referenceRows } from "./published-values.ts";

const small = { variables: 5, probability: 0.5, spacing: 1, reveals: 4000, seed: 0 };
const measured = massDecay(small);

test("at p = 0.5, r = 1 every filter pays what the reference says, within 3 standard errors", () => {
  const { nats } = referenceFor(small)!;
  const names = measured.filters.map(({ filter }) => filter);
  expect(names).toEqual(["exact", "windowed", "row", "row+column", "sinkhorn"]);
  for (const { filter, nats: found } of measured.filters.filter((score) => score.filter !== "windowed")) {
    expect(found.standardError).toBeLessThan(0.012);
    expect(Math.abs(deviation(found, nats[filter as keyof typeof nats])), filter).toBeLessThan(3);
  }
});

test("the mass falls by what the exact filter pays: on the same episodes to nine digits, on others within 3 errors", () => {
  const [{ nats }] = measured.filters;
  expect(measured.massSlope.mean).toBeCloseTo(nats.mean, 9);
  const gap = measured.massSlope.mean - measured.entropyRate.mean;
  const error = Math.hypot(measured.massSlope.standardError, measured.entropyRate.standardError);
  expect(Math.abs(gap)).toBeGreaterThan(0);
  expect(Math.abs(gap)).toBeLessThan(3 * error);
});

test("after t reveals the mass is exp of what the exact filter has paid so far, on a line whose slope is the rate", () => {
  const { fall, massSlope } = measured;
  expect(fall.map(({ reveals }) => reveals)).toEqual(Array.from({ length: 11 }, (_, i) => 20 * (i + 1)));
  const [first, last] = [fall[0], fall[10]];
  // All episodes are counted after the first 20 reveals, and so is the slope.
  expect((last.nats.mean - first.nats.mean) / 200).toBeCloseTo(massSlope.mean, 9);
  for (const { reveals, nats } of fall) {
    expect(Math.abs(nats.mean - first.nats.mean - (reveals - 20) * massSlope.mean)).toBeLessThan(
      5 * nats.standardError + 1e-9,
    );
  }
});

test("of three variables the mass falls by a rate between the bounds that are found by listing everything", () => {
  const { massSlope, bounds } = massDecay({ ...small, variables: 3, reveals: 6000 });
  const { lower, upper } = bounds!;
  expect(bounds).toEqual(entropyRateBounds(swapWalk(3, 0.5), 1, 4));
  expect(measured.bounds).toBeUndefined();
  expect(massSlope.mean).toBeGreaterThan(lower - 3 * massSlope.standardError);
  expect(massSlope.mean).toBeLessThan(upper + 3 * massSlope.standardError);
});

test("what is lost to marginals is paid above the exact filter, and a linear write is badly calibrated", () => {
  const by = Object.fromEntries(measured.filters.map((score) => [score.filter, score]));
  expect(by.exact.aboveExact).toEqual({ mean: 0, standardError: 0 });
  for (const name of ["row+column", "row", "windowed"]) {
    expect(by[name].aboveExact.mean).toBeGreaterThan(5 * by[name].aboveExact.standardError);
  }
  for (const name of ["exact", "windowed"]) expect(by[name].calibration.error).toBeLessThan(0.008);
  for (const name of ["row+column", "row"]) expect(by[name].calibration.error).toBeGreaterThan(0.02);
});

test("the record is a function of the seed, plain, and says how far it is while it is made", () => {
  const tiny = { ...small, variables: 2, probability: 0.3, reveals: 300 };
  const again = massDecay(tiny);
  expect(massDecay(tiny)).toEqual(again);
  expect(massDecay({ ...tiny, seed: 1 }).massSlope).not.toEqual(again.massSlope);
  expect(JSON.parse(JSON.stringify(again))).toEqual(again);
  expect([...massDecaySteps(tiny)].map(({ done, of }) => `${done}/${of}`)).toEqual([
    ...["1/6", "2/6", "3/6", "4/6", "5/6", "6/6"],
  ]);
});

test("the reference's mass and its exact nats are the same number", () => {
  for (const { nats, log10Mass } of referenceRows) {
    expect(Math.abs(-log10Mass * Math.LN10 - nats.exact)).toBeLessThan(0.003);
  }
  expect(referenceFor({ ...small, variables: 4 })).toBeUndefined();
});

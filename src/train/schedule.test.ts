import fc from "fast-check";
import { expect, test } from "vitest";
import { learningRateAt, rangeTest } from "./schedule.ts";
import { checkSchedule } from "./setup.ts";

const base = { steps: 100, learningRate: 2, warmupSteps: 10, decaySteps: 20, minLearningRateRatio: 0.1 };

test.each([
  ["constant", { 1: 0.2, 5: 1, 10: 2, 11: 2, 100: 2 }],
  ["cosine", { 1: 0.2, 10: 2, 55: 2 * 0.55, 100: 0.2 }],
  ["wsd", { 1: 0.2, 10: 2, 50: 2, 80: 2, 90: 2 * 0.55, 100: 0.2 }],
  ["range", { 1: 0.2, 34: 2 * 10 ** (-2 / 3), 67: 2 * 10 ** (-1 / 3), 100: 2 }],
] as const)("%s has its corners where it says", (schedule, corners) => {
  for (const [step, wanted] of Object.entries(corners)) {
    expect(learningRateAt(Number(step), { ...base, schedule }), `step ${step}`).toBeCloseTo(wanted, 12);
  }
});

const configs = fc.record({
  schedule: fc.constantFrom("constant" as const, "cosine" as const, "wsd" as const),
  steps: fc.integer({ min: 1, max: 300 }),
  learningRate: fc.double({ min: 1e-6, max: 1, noNaN: true }),
  warmupSteps: fc.integer({ min: 0, max: 350 }),
  decaySteps: fc.integer({ min: 0, max: 350 }),
  minLearningRateRatio: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("every schedule stays in [0, learningRate], climbs in the warm-up of a constant one and never jumps", () => {
  fc.assert(
    fc.property(configs, (config) => {
      const { steps, learningRate, warmupSteps, decaySteps } = config;
      // The steepest that each part can be; a part of one step or less is a jump that was asked for.
      const slope =
        1 / Math.max(1, warmupSteps) +
        Math.PI / 2 / Math.max(1, steps - warmupSteps) +
        1 / Math.max(1, decaySteps);
      let before = learningRateAt(1, config);
      for (let step = 1; step <= steps; step++) {
        const now = learningRateAt(step, config);
        expect(now).toBeGreaterThanOrEqual(0);
        expect(now).toBeLessThanOrEqual(learningRate);
        expect(Math.abs(now - before)).toBeLessThanOrEqual(learningRate * slope * (1 + 1e-9));
        if (config.schedule === "constant") expect(now).toBeGreaterThanOrEqual(before);
        before = now;
      }
    }),
    { seed: 2, numRuns: 60 },
  );
});

/** Three cycles of 100, 100 and 200 steps; the rate comes down in the last 10, 10 and 20 of them. */
const cycles = {
  ...base,
  steps: 400,
  schedule: "wsd-s",
  decayCheckpoints: [100, 200, 400],
  decayFraction: 0.1,
} as const;

test("wsd-s comes down before each budget, by the inverse form, and is at the full rate right behind it", () => {
  // Half way down the inverse form is the harmonic mean of 1 and 0.1, the linear one the arithmetic mean.
  const harmonic = 2 / (1 / 1 + 1 / 0.1);
  const table = {
    1: 0.2,
    10: 2,
    90: 2,
    95: 2 * harmonic,
    100: 0.2,
    101: 2,
    190: 2,
    195: 2 * harmonic,
    200: 0.2,
  };
  const wanted = { ...table, 201: 2, 380: 2, 390: 2 * harmonic, 400: 0.2, 401: 2 };
  for (const [step, rate] of Object.entries(wanted))
    expect(learningRateAt(Number(step), cycles), `step ${step}`).toBeCloseTo(rate, 12);
  expect(learningRateAt(95, { ...cycles, decayShape: "linear" })).toBeCloseTo(2 * 0.55, 12);
  expect(learningRateAt(90, { ...base, schedule: "wsd", decayShape: "inverse" })).toBeCloseTo(
    2 * harmonic,
    12,
  );
});

test("the inverse of the rate is linear on the way down, and the rate before a budget depends on no later one", () => {
  const plan = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
    decayFraction: fc.double({ min: 0.01, max: 1, noNaN: true }),
    minLearningRateRatio: fc.double({ min: 0.01, max: 1, noNaN: true }),
    more: fc.integer({ min: 1, max: 80 }),
  });
  fc.assert(
    fc.property(plan, ({ lengths, decayFraction, minLearningRateRatio, more }) => {
      const budgets = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, each) => sum + each));
      const end = budgets.at(-1)!;
      const config = {
        ...cycles,
        decayCheckpoints: budgets,
        steps: end,
        decayFraction,
        minLearningRateRatio,
        warmupSteps: 0,
      };
      const longer = { ...config, decayCheckpoints: [...budgets, end + more], steps: end + more };
      for (let step = 1; step <= end; step++)
        expect(learningRateAt(step, longer)).toBe(learningRateAt(step, config));
      for (const [i, budget] of budgets.entries()) {
        const down = Math.round(decayFraction * lengths[i]);
        if (down === 0) continue;
        const inverse = (step: number) => 1 / learningRateAt(step, config);
        for (let step = budget - down + 2; step <= budget; step++)
          expect(inverse(step) - inverse(step - 1)).toBeCloseTo(
            (1 / minLearningRateRatio - 1) / down / base.learningRate,
            6,
          );
        expect(inverse(budget)).toBeCloseTo(1 / minLearningRateRatio / base.learningRate, 6);
      }
    }),
    { seed: 4, numRuns: 60 },
  );
});

test.each([
  [{ schedule: "wsd-s" }, /^train\.decayCheckpoints: expected the last steps .*, got "none"/],
  [{ schedule: "wsd-s", decayCheckpoints: [60, 60, 100] }, /each to be more .*, got \[60,60,100\]/],
  [{ schedule: "wsd-s", decayCheckpoints: [50] }, /last to be train\.steps \(100\), got 50/],
  [{ schedule: "wsd", decayCheckpoints: [100] }, /"wsd-s" with train\.decayCheckpoints, got "wsd"/],
  [{ schedule: "cosine", decayFraction: 0.1 }, /"wsd-s" with train\.decayFraction, got "cosine"/],
  [{ schedule: "cosine", decayShape: "linear" }, /"wsd" or "wsd-s" with train\.decayShape, got/],
  [
    { schedule: "wsd-s", decayCheckpoints: [100], minLearningRateRatio: 0 },
    /^train\.minLearningRateRatio: expected more than 0 /,
  ],
] as const)("%j is refused in one sentence", (change, sentence) => {
  expect(() => checkSchedule({ ...base, ...change })).toThrow(sentence);
});

test("a plan of budgets is taken as it stands, with a final share of 0 where the rate falls linearly", () => {
  expect(() => checkSchedule({ ...cycles, minLearningRateRatio: 0, decayShape: "linear" })).not.toThrow();
});

test("a range test finds where the loss falls fastest and where it rises", () => {
  const config = {
    ...base,
    schedule: "range" as const,
    steps: 200,
    learningRate: 1,
    minLearningRateRatio: 1e-4,
  };
  const records = (lossAt: (log: number) => number) =>
    Array.from({ length: 200 }, (_, i) => {
      const learningRate = learningRateAt(i + 1, config);
      return { learningRate, loss: lossAt(Math.log10(learningRate)) + 0.05 * Math.sin(7 * i) };
    });
  // It falls as a sigmoid around 10^-2.5, and rises steeply beyond 10^-1.
  const falls = (log: number) => 3 / (1 + Math.exp(6 * (log + 2.5)));
  const found = rangeTest(records((log) => falls(log) + 10 * Math.max(0, log + 1)))!; // it has enough steps
  expect(Math.abs(Math.log10(found.fastest!) + 2.5)).toBeLessThan(0.2);
  expect(Math.abs(Math.log10(found.lowest!) + 1.2)).toBeLessThan(0.4);
  const jumps = records((log) => falls(log) + (log > -1 && log < -0.5 ? 50 : 0));
  expect(Math.abs(Math.log10(rangeTest(jumps)!.fastest!) + 2.5)).toBeLessThan(0.2); // and not where the jump ends
  expect(rangeTest(records((log) => log))?.fastest).toBeUndefined(); // it only rises
  expect(rangeTest(records((log) => -log))?.lowest).toBeUndefined();
  expect(rangeTest(records(falls).slice(0, 19))).toBeUndefined();
  expect(() => checkSchedule({ ...config, minLearningRateRatio: 0 })).toThrow("train.minLearningRateRatio");
});

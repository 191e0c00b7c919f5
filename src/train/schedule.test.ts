import fc from "fast-check";
import { expect, test } from "vitest";
import { learningRateAt } from "./schedule.ts";

const base = { steps: 100, learningRate: 2, warmupSteps: 10, decaySteps: 20, finalShare: 0.1 };

test.each([
  ["constant", { 1: 0.2, 5: 1, 10: 2, 11: 2, 100: 2 }],
  ["cosine", { 1: 0.2, 10: 2, 55: 2 * 0.55, 100: 0.2 }],
  ["wsd", { 1: 0.2, 10: 2, 50: 2, 80: 2, 90: 2 * 0.55, 100: 0.2 }],
] as const)("%s has its corners where it says", (schedule, corners) => {
  for (const [step, wanted] of Object.entries(corners)) {
    expect(learningRateAt(Number(step), { ...base, schedule }), `step ${step}`).toBeCloseTo(wanted, 12);
  }
});

test.each(["constant", "cosine", "wsd"] as const)(
  "%s without a warm-up begins at the full rate",
  (schedule) => {
    expect(learningRateAt(1, { ...base, warmupSteps: 0, schedule })).toBeGreaterThan(1.99);
  },
);

const configs = fc.record({
  schedule: fc.constantFrom("constant" as const, "cosine" as const, "wsd" as const),
  steps: fc.integer({ min: 1, max: 300 }),
  learningRate: fc.double({ min: 1e-6, max: 1, noNaN: true }),
  warmupSteps: fc.integer({ min: 0, max: 350 }),
  decaySteps: fc.integer({ min: 0, max: 350 }),
  finalShare: fc.double({ min: 0, max: 1, noNaN: true }),
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

test("a decaying schedule ends at its final share", () => {
  fc.assert(
    fc.property(configs, (config) => {
      const { steps, warmupSteps, decaySteps } = config;
      fc.pre(config.schedule !== "constant" && warmupSteps < steps && decaySteps > 0);
      expect(learningRateAt(steps, config)).toBeCloseTo(config.learningRate * config.finalShare, 10);
    }),
    { seed: 3 },
  );
});

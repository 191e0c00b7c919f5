import { expect, test } from "vitest";
import { permutationMachine } from "../../core/permutation-walk.ts";
import { rngFrom } from "../../core/rng.ts";
import { mean } from "../../core/statistics.ts";
import { blockEntropy, entropyRateBounds } from "./block-entropy.ts";
import { exactFilter, surprises, swapWalk } from "./filter.ts";
import { drawEpisode } from "./sample-trajectory.ts";
import { estimate } from "./score.ts";

const binary = (p: number) => -p * Math.log(p) - (1 - p) * Math.log(1 - p);

test("of two variables each reveal tells whether they were swapped: the rate is that of a coin", () => {
  for (const p of [0.5, 0.1]) {
    for (const reveals of [1, 2, 4]) {
      expect(blockEntropy(swapWalk(2, p), 1, reveals)).toBeCloseTo(reveals * binary(p), 12);
    }
    const { lower, upper } = entropyRateBounds(swapWalk(2, p), 1, 3);
    expect(lower).toBeCloseTo(binary(p), 12);
    expect(upper).toBeCloseTo(binary(p), 12);
  }
});

test("the first reveal of three costs ln 2 where a variable of the named pair is asked, in 2 of 3 cases", () => {
  expect(blockEntropy(swapWalk(3, 0.5), 1, 1)).toBeCloseTo((2 / 3) * Math.LN2, 12);
  const uniform = { ...swapWalk(3, 0.5), start: "uniform" as const };
  expect(blockEntropy(uniform, 1, 1)).toBeCloseTo(Math.log(3), 12);
});

test("a longer block narrows the bounds from both sides", () => {
  const bounds = [1, 2, 3].map((reveals) => entropyRateBounds(swapWalk(3, 0.5), 1, reveals));
  for (const [i, { lower, upper }] of bounds.entries()) {
    expect(lower).toBeLessThan(upper);
    if (i === 0) continue;
    expect(lower).toBeGreaterThan(bounds[i - 1].lower);
    expect(upper).toBeLessThan(bounds[i - 1].upper);
  }
});

test.each([
  [0.5, 1, 4],
  [0.1, 1, 4],
  [0.5, 2, 2],
])(
  "p = %d, r = %d: what the exact filter pays on 3 variables lies between the bounds of %d reveals",
  (p, spacing, reveals) => {
    const { lower, upper } = entropyRateBounds(swapWalk(3, p), spacing, reveals);
    const machine = permutationMachine(swapWalk(3, p));
    const rng = rngFrom(1).fork(`bounds ${p} ${spacing}`);
    const nats = estimate(
      Array.from({ length: 60 }, (_, i) => {
        const events = drawEpisode(machine, { reveals: 320, spacing }, rng.fork(i));
        return mean(surprises(exactFilter(machine), events).slice(20));
      }),
    );
    expect(nats.mean).toBeGreaterThan(lower - 3 * nats.standardError);
    expect(nats.mean).toBeLessThan(upper + 3 * nats.standardError);
  },
);

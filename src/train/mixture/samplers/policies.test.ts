import { expect, test } from "vitest";
import { drawnFrom, rngFrom } from "../../../core/rng.ts";
import { mean } from "../../../core/statistics.ts";
import { birdie, cubicReward, explorationAt, fittedRidge } from "./birdie.ts";
import { bandit, relativeFall } from "./exp3.ts";
import { policies } from "./index.ts";
import type { Past, Policy } from "./policy.ts";

const alike = (parts: number) => Array.from({ length: parts }, () => 1 / parts);

/** A game against parts that pay the same each time: a part's loss falls by its payment. */
function played(payments: readonly number[], rounds: number, exploration: number, seed: number) {
  const windows: Past["windows"][number][] = [];
  const rng = rngFrom(seed);
  let paid = 0;
  for (let round = 0; round < rounds; round++) {
    const past = { given: alike(payments.length), windows, done: round / rounds };
    const { shares, looked } = bandit.choose(past, rng.fork(round), { exploration });
    paid += shares.reduce((sum, share, i) => sum + share * payments[i], 0);
    windows.push({ shares, looked, before: [1], after: [1 - payments[looked[0]]] });
  }
  return { paid, last: windows[rounds - 1].shares };
}

test("on arms that pay the same each time the bandit misses no more than its bound in the mean", () => {
  const payments = [0.1, 0.3, 0.9, 0.2];
  const [rounds, exploration] = [300, 0.2];
  const games = Array.from({ length: 10 }, (_, seed) => played(payments, rounds, exploration, seed));
  const best = 0.9 * rounds;
  const bound = (Math.E - 1) * exploration * best + (4 * Math.log(4)) / exploration;
  const missed = best - mean(games.map(({ paid }) => paid));
  expect(missed).toBeLessThan(bound);
  // Whoever draws all alike misses 157; so the bound is no empty word.
  expect(missed).toBeLessThan(0.6 * (best - rounds * mean(payments)));
  for (const { last } of games) expect(last.indexOf(Math.max(...last))).toBe(2);
});

test("where nothing pays the bandit leaves all alike, and no share falls under what it explores", () => {
  for (const share of played([0, 0, 0], 40, 0.3, 1).last) expect(share).toBeCloseTo(1 / 3, 12);
  for (const share of played([0, 1, 0], 400, 0.3, 1).last) expect(share).toBeGreaterThanOrEqual(0.1 - 1e-12);
});

test("a payment is the relative fall, from 0 to 1", () => {
  expect([relativeFall(2, 1.5), relativeFall(2, 3), relativeFall(0, 0)]).toEqual([0.25, 0, 0]);
});

test("draws have the shares", () => {
  const rng = rngFrom(3);
  const counts = [0, 0, 0];
  for (let i = 0; i < 20_000; i++) counts[drawnFrom([0.2, 0, 0.8], rng)]++;
  expect(counts[1]).toBe(0);
  expect(Math.abs(counts[0] / 20_000 - 0.2)).toBeLessThan(0.012); // four deviations
});

test("the cubic reward is that of the repository: all at a fall of 9 % from 2, of 15 % from .5, and .0015 at 1 %", () => {
  expect(cubicReward(2, 2 * 0.99)).toBeCloseTo(0.0015, 4);
  expect(cubicReward(2, 2 * 0.91)).toBe(1);
  expect(cubicReward(2, 2 * 0.92)).toBeLessThan(1);
  expect(cubicReward(0.5, 0.5 * 0.85)).toBe(1);
  expect(cubicReward(0.5, 0.5 * 0.87)).toBeLessThan(1);
  expect(cubicReward(2, 2.4)).toBe(-1);
  expect(cubicReward(0, 0)).toBe(0);
});

test("exploration is certain in the first twentieth, then falls from .5 to .2", () => {
  expect([0, 0.049].map(explorationAt)).toEqual([1, 1]);
  expect(explorationAt(0.05)).toBeCloseTo(0.5, 12);
  expect(explorationAt(0.525)).toBeCloseTo(0.35, 12);
  expect(explorationAt(1)).toBeCloseTo(0.2, 12);
});

test("the ridge of one feature is the closed form, and shrinks to the mean where nothing varies", () => {
  const x = [1, 2, 4, 5];
  const y = [3, 1, 0, -4];
  const [mx, my] = [mean(x), mean(y)];
  const variance = mean(x.map((each) => (each - mx) ** 2));
  const slope = mean(x.map((each, i) => (each - mx) * (y[i] - my))) / (1.1 * variance);
  const predict = fittedRidge(
    x.map((each) => [each]),
    y,
  );
  expect(predict([10])).toBeCloseTo(my + slope * (10 - mx), 9);
  expect(fittedRidge([[1], [1]], [2, 4])([7])).toBeCloseTo(3, 9);
});

test("birdie gives most to the part whose share paid", () => {
  // The loss of each part falls by a tenth of its share, but that of the last by a third of it: only that pays.
  const rng = rngFrom(2);
  const windows = Array.from({ length: 12 }, () => {
    const drawn = [rng.next(), rng.next(), rng.next()];
    const total = drawn[0] + drawn[1] + drawn[2];
    const shares = drawn.map((each) => each / total);
    const after = shares.map((share, i) => 2 * (1 - share * (i === 2 ? 1 / 3 : 1 / 100)));
    return { shares, looked: [0, 1, 2], before: [2, 2, 2], after };
  });
  const past = { given: alike(3), windows, done: 0.9 };
  const greedy = Array.from({ length: 20 }, (_, i) => birdie.choose(past, rngFrom(i), {}).shares);
  // One in five explores.
  expect(greedy.filter((shares) => shares[2] > 0.8).length).toBeGreaterThan(10);
});

test.each(Object.entries(policies))("shares of %s sum to 1, whatever happened", (_, policy) => {
  const { choose, params } = policy as Policy;
  for (let seed = 0; seed < 10; seed++) {
    const rng = rngFrom(seed);
    const windows = Array.from({ length: seed }, () => {
      const looked = policy === birdie ? [0, 1, 2, 3] : [rng.below(4)];
      return {
        shares: alike(4),
        looked,
        before: looked.map(() => rng.next()),
        after: looked.map(() => rng.next()),
      };
    });
    const { shares } = choose({ given: [0.1, 0.2, 0.3, 0.4], windows, done: 0.5 }, rng, params.parse({}));
    expect(shares).toHaveLength(4);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  }
});

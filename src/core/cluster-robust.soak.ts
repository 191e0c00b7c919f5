import { expect, test } from "vitest";
import { clusteredDifference, clusteredMean } from "./cluster-robust.ts";
import { binomialInterval } from "./incomplete-beta.ts";
import { type Rng, rngFrom } from "./rng.ts";

/** Normal draws; Box and Muller. */
const normal = (rng: Rng) => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
const chance = (mean: number, shift: number) => 1 / (1 + Math.exp(-(Math.log(mean / (1 - mean)) + shift)));
const rightOf = (asked: number, p: number, rng: Rng) =>
  Array.from({ length: asked }, () => Number(rng.next() < p)).reduce((sum, hit) => sum + hit, 0);

/** Coverage: how often the interval of n programs contains the mean of very many. */
function coverage<T>(
  draw: (rng: Rng) => T,
  n: number,
  truth: (programs: readonly T[]) => number,
  interval: (programs: readonly T[]) => readonly [number, number],
): number {
  const rng = rngFrom(3).fork(String(n));
  const wanted = truth(Array.from({ length: 60_000 }, () => draw(rng)));
  const samples = 600;
  let held = 0;
  for (let i = 0; i < samples; i++) {
    const [low, high] = interval(Array.from({ length: n }, () => draw(rng)));
    held += Number(low <= wanted + 1e-9 && wanted <= high + 1e-9);
  }
  return held / samples;
}

const counts = process.env.SOAK_SLICE === "ci" ? [5, 30] : [5, 10, 30];
const settings = counts.flatMap((n) =>
  [0.97, 0.85, 0.5].flatMap((mean) => [0, 1, 3].map((alike) => ({ n, mean, alike }))),
);

test.each(settings)(
  "of $n programs the interval of a share holds the truth, mean $mean, likeness $alike",
  ({ n, mean, alike }) => {
    const draw = (rng: Rng) => {
      const asked = 1 + rng.below(12);
      return { asked, right: rightOf(asked, chance(mean, alike * normal(rng)), rng) };
    };
    const held = coverage(
      draw,
      n,
      (all) => clusteredMean(all).share,
      (all) => clusteredMean(all).interval,
    );
    expect(held).toBeGreaterThanOrEqual(0.92); // nominal 0.95; 600 samples are right to 0.009
  },
);

test.each(settings)(
  "of $n programs the interval of a difference holds the truth, mean $mean, likeness $alike",
  ({ n, mean, alike }) => {
    const draw = (rng: Rng) => {
      const asked = 1 + rng.below(12);
      const shift = alike * normal(rng);
      return {
        asked,
        rightA: rightOf(asked, chance(mean, shift), rng),
        rightB: rightOf(asked, chance(Math.min(0.98, mean + 0.1), shift + 0.3 * alike * normal(rng)), rng),
      };
    };
    const of = clusteredDifference;
    expect(
      coverage(
        draw,
        n,
        (all) => of(all).difference,
        (all) => of(all).interval,
      ),
    ).toBeGreaterThanOrEqual(0.93);
  },
);

test("where nothing varies the interval still has a width, as of one answer a program", () => {
  const none = clusteredMean(Array.from({ length: 24 }, () => ({ asked: 10, right: 0 })));
  expect(none.share).toBe(0);
  expect(none.interval[0]).toBe(0);
  // 1 - 0.025^(1/24) is 14.2 %; Student's t makes it a little wider.
  expect(none.interval[1]).toBeGreaterThan(1 - 0.025 ** (1 / 24));
  expect(none.interval[1]).toBeLessThan(0.17);
  const same = clusteredDifference(Array.from({ length: 24 }, () => ({ asked: 10, rightA: 7, rightB: 7 })));
  expect(same.difference).toBe(0);
  expect(same.interval[0]).toBeCloseTo(-same.interval[1], 12);
  expect(same.interval[1]).toBeGreaterThan(0.1);
});

test("of many programs with one answer each it is the exact binomial interval", () => {
  const programs = Array.from({ length: 4000 }, (_, i) => ({ asked: 1, right: Number(i % 4 === 0) }));
  const { interval } = clusteredMean(programs);
  const exact = binomialInterval(1000, 4000);
  expect(interval[0]).toBeCloseTo(exact[0], 4);
  expect(interval[1]).toBeCloseTo(exact[1], 4);
});

test("of one program, or of none, nothing is known", () => {
  expect(clusteredMean([{ asked: 5, right: 3 }])).toEqual({ share: 0.6, interval: [0, 1] });
  expect(clusteredMean([])).toEqual({ share: 0, interval: [0, 1] });
  expect(clusteredDifference([]).interval).toEqual([-1, 1]);
});

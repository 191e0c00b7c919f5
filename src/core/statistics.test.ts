import fc from "fast-check";
import { expect, test } from "vitest";
import { allPermutations } from "./permutations.ts";
import { rngFrom } from "./rng.ts";
import {
  chanceInARow,
  mean,
  median,
  pairedBootstrap,
  quantile,
  rankCorrelation,
  scaledAccuracy,
  standardDeviation,
  standardError,
  studentInterval,
} from "./statistics.ts";

test("mean, deviation and standard error agree with values worked by hand", () => {
  const values = [2, 4, 4, 4, 5, 5, 7, 9]; // squared deviations from 5 sum to 32
  expect(mean(values)).toBe(5);
  expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(32 / 7), 12);
  expect(standardError(values)).toBeCloseTo(Math.sqrt(32 / 7 / 8), 12);
  expect(mean([])).toBeNaN();
  expect(standardError([1])).toBeNaN();
});

test("half of the values lie on each side of the median", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([10, 2, 1, 3])).toBe(2.5); // a sort by text would give 6
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
      const middle = median(values);
      const slack = 1e-9 * Math.abs(middle);
      expect(values.filter((x) => x < middle - slack).length).toBeLessThanOrEqual(values.length / 2);
      expect(values.filter((x) => x > middle + slack).length).toBeLessThanOrEqual(values.length / 2);
      expect([quantile(values, 0), quantile(values, 1)]).toEqual([
        values.reduce((a, b) => Math.min(a, b)) + 0,
        values.reduce((a, b) => Math.max(a, b)) + 0,
      ]);
    }),
  );
});

test("a guesser of the numbers in a row is right as often as over all orders it is", () => {
  const orders = allPermutations(4);
  // Says the least number that is left.
  const right = orders.map((order) => order.filter((x, k) => x === Math.min(...order.slice(k))).length / 4);
  expect(chanceInARow(4)).toBeCloseTo(mean(right), 12);
  expect(chanceInARow(1)).toBe(1);
});

test("Student's interval holds the mean of normal draws in 95 % of samples, for samples of 3 and of 12", () => {
  const rng = rngFrom(3);
  for (const size of [3, 12]) {
    let held = 0;
    for (let n = 0; n < 4000; n++) {
      const [low, high] = studentInterval(Array.from({ length: size }, () => 2 + rng.normal()));
      if (low <= 2 && 2 <= high) held++;
    }
    expect(held / 4000).toBeCloseTo(0.95, 1.7); // within 0.01, three standard errors
  }
  expect(studentInterval([1])).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
});

test("scaled accuracy is 0 at a guess and 1 without a mistake", () => {
  expect(scaledAccuracy(0.25, 0.25)).toBe(0);
  expect(scaledAccuracy(1, 0.25)).toBe(1);
  expect(scaledAccuracy(0.625, 0.25)).toBeCloseTo(0.5, 12);
  expect(scaledAccuracy(1, 1)).toBe(0);
});

test("the rank correlation is Spearman's: 1 - 6 sum d^2 / (n^3 - n) without ties, and blind to what keeps the order", () => {
  const order = fc
    .integer({ min: 2, max: 12 })
    .chain((n) =>
      fc.tuple(
        ...[0, 1].map(() => fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n })),
      ),
    );
  fc.assert(
    fc.property(order, ([x, y]) => {
      const n = x.length;
      const squares = x.reduce((sum, each, i) => sum + (each - y[i]) ** 2, 0);
      expect(rankCorrelation(x, y)).toBeCloseTo(1 - (6 * squares) / (n ** 3 - n), 10);
      expect(rankCorrelation(x.map(Math.exp), y)).toBeCloseTo(rankCorrelation(x, y), 10);
    }),
  );
  // By hand: ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
  expect(rankCorrelation([1, 2, 2, 9], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
  expect(rankCorrelation([1, 1], [1, 2])).toBeNaN();
});

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

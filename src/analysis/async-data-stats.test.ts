import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { asyncDataSpan, type StreamTimes, samplesWith, streamPlan, streamSpans } from "./async-data-stats.ts";

const steps = 400;
const fixed = (seconds: number) => Array.from({ length: steps }, () => seconds);

test.each([
  // what limits it in the long run: the slower side; with no staleness both in turn; with few weights what may be begun by them
  [{ a: 10, b: 4, makers: 1, ahead: 1, staleness: undefined }, 10],
  [{ a: 4, b: 10, makers: 1, ahead: 1, staleness: undefined }, 10],
  [{ a: 10, b: 4, makers: 2, ahead: 4, staleness: undefined }, 5],
  [{ a: 10, b: 4, makers: 2, ahead: 1, staleness: undefined }, 10],
  [{ a: 10, b: 4, makers: 1, ahead: 4, staleness: 0 }, 14],
  [{ a: 10, b: 4, makers: 1, ahead: 4, staleness: 1 }, 10],
  [{ a: 12, b: 4, makers: 3, ahead: 8, staleness: 1 }, 8],
] as const)("of fixed times a step takes what is known in closed form: %j", ({ a, b, ...how }, each) => {
  expect(streamPlan({ make: fixed(a), train: fixed(b), ...how }).seconds / steps).toBeCloseTo(each, 0);
});

test("of exponential times and one maker it comes to (K + 1) / (K + 2) of the rate of each", () => {
  // The queue M/M/1 with K + 1 places: one block in training, K unread; a maker is blocked with probability 1 / (K + 2).
  const rng = rngFrom(24).fork("exponential");
  const drawn = () => Array.from({ length: 200_000 }, () => -Math.log(1 - rng.next()));
  const [make, train] = [drawn(), drawn()];
  for (const ahead of [1, 4, 16]) {
    const { seconds } = streamPlan({ make, train, makers: 1, ahead, staleness: undefined });
    expect(make.length / seconds).toBeCloseTo((ahead + 1) / (ahead + 2), 2);
  }
});

/** The same, quarter by quarter of a second: each step uses the current state alone. */
function byTheClock({ make, train, makers, ahead, staleness }: StreamTimes): number {
  const ready = new Set<number>();
  const atWork: ({ readonly block: number; left: number } | undefined)[] = Array(makers).fill(undefined);
  let [begun, taken, done, left] = [0, 0, 0, 0];
  for (let quarters = 0; ; quarters++) {
    if (taken > done && left === 0) done++;
    for (const [i, now] of atWork.entries()) {
      if (now?.left === 0) {
        ready.add(now.block);
        atWork[i] = undefined;
      }
    }
    if (done === make.length) return quarters / 4;
    if (taken === done && ready.has(taken + 1)) {
      taken++;
      left = train[taken - 1] * 4;
    }
    for (const [i, now] of atWork.entries()) {
      const next = begun + 1;
      const may = next <= taken + ahead && (staleness === undefined || next - 1 - done <= staleness);
      if (now !== undefined || next > make.length || !may) continue;
      begun = next;
      atWork[i] = { block: next, left: make[next - 1] * 4 };
    }
    if (taken > done) left--;
    for (const now of atWork) if (now !== undefined) now.left--;
  }
}

test("whatever takes how long, the time is that of a clock that only looks at what is so now", () => {
  const seconds = fc.array(
    fc.integer({ min: 1, max: 40 }).map((quarters) => quarters / 4),
    { minLength: 15, maxLength: 15 },
  );
  fc.assert(
    fc.property(
      fc.record({
        ...{ make: seconds, train: seconds },
        makers: fc.integer({ min: 1, max: 4 }),
        ahead: fc.integer({ min: 1, max: 6 }),
        staleness: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
      }),
      (times) => {
        expect(streamPlan(times).seconds).toBe(byTheClock(times));
      },
    ),
    { seed: 24, numRuns: 500 },
  );
});

const logged = Array.from({ length: 5 }, (_, i) => ({
  ...{ step: i + 1, seconds: 2, waited: i === 0 ? 1 : 0.5 },
  ...{ blockSeconds: 1.5, blockWaited: 0.5, unread: 1, staleness: i % 2 },
}));

test("spans say rates, shares of waiting and ages", () => {
  expect(asyncDataSpan(logged, 8)).toEqual({
    ...{ step: 5, samples: 4, waited: 0.3, makerWaited: 0.25, unread: 1 },
    staleness: { mean: 0.4, max: 1 },
  });
  expect(streamSpans(logged, 8, 3).map(({ step }) => step)).toEqual([2, 4, 5]);
  expect(samplesWith(logged, 8, { makers: 1, ahead: 1, staleness: 0 })).toBeCloseTo(
    40 / (5 * 1.5 + 1 + 4 * 1.5),
  );
});

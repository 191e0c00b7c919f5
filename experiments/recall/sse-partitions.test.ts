import { expect, test } from "vitest";
import { isInTrainingRange } from "../../src/app/run/results.ts";
import type { UnreadResult } from "../runner/index.ts";
import { madeResult, madeRow } from "../runner/made.test-helper.ts";
import { findRoutes, routeShares, ssePartitions } from "./sse-partitions.ts";

const { runs } = ssePartitions.plan({ scale: "laptop" }, [0]);

test("all that is asked but the most pairs is drawn in the last stage, and the easiest in the first", () => {
  for (const { config, tests } of runs) {
    for (const { change, asTrained } of tests) expect(isInTrainingRange(config, change)).toBe(asTrained);
    expect(tests.map(({ asTrained }) => asTrained)).toEqual([true, true, true, true, true, false]);
    const { pairs } = config.curriculum.stages[0][0];
    expect(pairs).toEqual([tests[0].change.pairs, 2]);
  }
});

test("models differ by nothing but their mixer", () => {
  const rest = runs.map(({ config: { model, ...others } }) => {
    const { layers, width } = model as { layers?: unknown; width?: unknown };
    return { ...others, layers, width };
  });
  for (const each of rest) expect(each).toEqual(rest[0]);
  expect(runs.map(({ config }) => config.model.partitions)).toEqual([undefined, 1, 4, 16, 4, 16]);
  const balance = [undefined, undefined, undefined, undefined, 0.01, 0.01];
  expect(runs.map(({ config }) => config.model.balance)).toEqual(balance);
});

/** Shares by model at each number of pairs, one list a seed. */
function resultOf(shares: Readonly<Record<string, readonly (readonly number[])[]>>): UnreadResult {
  return madeResult(
    ssePartitions,
    Object.entries(shares).flatMap(([model, seeds]) =>
      seeds.flatMap((own, seed) =>
        runs[0].tests.map((tested, i) => madeRow({ model, seed }, tested, own[i])),
      ),
    ),
  );
}

test("every seed of sixteen partitions is expected above all of one, where both have learned two pairs", () => {
  const knows = [1, 1, 0.97, 0.6, 0.3, 0.1];
  const more = [1, 1, 0.99, 0.9, 0.5, 0.2];
  const nothing = [0.5, 0.2, 0.1, 0, 0, 0];
  const met = (one: number[][], sixteen: number[][]) =>
    ssePartitions
      .checks(resultOf({ "sse-n1": one, "sse-n16": sixteen }))
      .flatMap((each) => (each.name.includes("less the best seed") ? [each.met] : []));
  expect(met([knows, knows], [more, more])).toEqual([true]);
  expect(met([knows, more], [more, more])).toEqual([false]);
  expect(met([more, more], [knows, knows])).toEqual([false]);
  expect(met([knows, knows], [more, nothing])).toEqual(["inconclusive"]);
});

test("a pair's value and its question are told from the text, and fillers are passed over", () => {
  const words = ["k4", "v1", "k7", "v0", "f3", "k7", "f0", "k4"];
  const routes = findRoutes(words, (place) => place);
  expect(routes).toEqual([
    { written: 3, asked: 5 },
    { written: 1, asked: 7 },
  ]);
  expect(findRoutes(words, (place) => place, 2).map(({ written }) => written)).toEqual([5, 3]);
});

test("shares of partitions: all in one and asked there, and half of the time by chance", () => {
  const pair = (written: number, asked: number) => ({ written, asked });
  expect(routeShares([pair(2, 2), pair(2, 2)], 4)).toEqual({ most: 1, same: 1, chance: 1 });
  const apart = [pair(0, 0), pair(0, 1), pair(1, 0), pair(1, 1)];
  expect(routeShares(apart, 2)).toEqual({ most: 0.5, same: 0.5, chance: 0.5 });
  expect(routeShares([pair(0, 1), pair(1, 0)], 2)).toEqual({ most: 0.5, same: 0, chance: 0.5 });
});

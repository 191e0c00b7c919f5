import { expect, test } from "vitest";
import { isTaught } from "../../src/work/run/trained-on.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import { ssePartitions } from "./sse-partitions.ts";

const { runs } = ssePartitions.plan({ scale: "laptop" }, [0]);

test("all that is asked but the most pairs is drawn in the last stage, and the easiest in the first", () => {
  for (const { config, tests } of runs) {
    for (const { change, asTrained } of tests) expect(isTaught(config, change)).toBe(asTrained);
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
  expect(runs.map(({ config }) => config.model.partitions)).toEqual([undefined, 1, 4, 16]);
});

/** Shares by model at each number of pairs, one list a seed. */
function resultOf(shares: Readonly<Record<string, readonly (readonly number[])[]>>): UnreadResult {
  const results = Object.entries(shares).flatMap(([model, seeds]) =>
    seeds.flatMap((own, seed) =>
      runs[0].tests.map((tested, i) => ({
        ...{ setting: "", model, seed, tested, accuracy: own[i], accuracyLast: own[i] },
        ...{ references: {}, accuracyByReveal: [] },
      })),
    ),
  );
  return {
    ...{ experiment: "sse-partitions", scale: "laptop", seeds: [0, 1], models: ssePartitions.models },
    ...{ results, training: [], measurements: [] },
  } as unknown as UnreadResult;
}

test("a finding says where sixteen partitions are no better than one, and nothing of who had not learned two pairs", () => {
  const knows = [1, 1, 0.97, 0.6, 0.3, 0.1];
  const more = [1, 1, 0.99, 0.9, 0.5, 0.2];
  const nothing = [0.5, 0.2, 0.1, 0, 0, 0];
  const findings = (one: number[][], sixteen: number[][]) =>
    ssePartitions.findings(resultOf({ "sse-1": one, "sse-16": sixteen }));
  expect(findings([knows, knows], [more, more])).toEqual([]);
  expect(findings([knows, more], [more, more])[0]).toMatch(
    /no more, in every seed, than SSE, N = 1 of 32 pairs/,
  );
  expect(findings([more, more], [knows, knows])[0]).toMatch(/fewer, in every seed/);
  expect(findings([knows, knows], [more, nothing])).toEqual([]);
});

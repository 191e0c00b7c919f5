import { expect, test } from "vitest";
import { isInTrainingRange } from "../../src/app/run/results.ts";
import type { UnreadResult } from "../runner/index.ts";
import { madeResult, madeRow } from "../runner/made.test-helper.ts";
import { firstKnown, lactChunks, readAccuracies } from "./lact-chunks.ts";

const { runs } = lactChunks.plan({ scale: "laptop" }, [0]);

test("all that is asked is drawn in training", () => {
  for (const { config, tests } of runs)
    for (const { change, asTrained } of tests) expect(isInTrainingRange(config, change)).toBe(asTrained);
});

test("models differ by nothing but chunk and window", () => {
  const rest = runs.map(({ config: { model, ...others } }) => {
    const { lact, ...own } = model as unknown as { lact: { chunk: number; window: number } };
    const { chunk, window, ...network } = lact;
    return { ...others, own, network };
  });
  for (const each of rest) expect(each).toEqual(rest[0]);
  expect(runs.map(({ model }) => model)).toEqual(["chunk-8", "chunk-16", "chunk-32", "chunk-32-window"]);
});

test("pairs are known from the end of the last chunk that has one of them", () => {
  expect([1, 4, 7, 8, 16, 32, 40].map(firstKnown)).toEqual([8, 8, 14, 8, 16, 32, 40]);
});

/** Shares by token of each seed; each token is asked the same number of times but the last, which is asked twice as often. */
function resultOf(shares: Readonly<Record<string, readonly ((token: number) => number)[]>>): UnreadResult {
  const tokens = Array.from({ length: 32 }, (_, i) => 8 + 2 * i);
  const each = Object.entries(shares).flatMap(([model, seeds]) =>
    seeds.map((right, seed) => ({ model, seed, right })),
  );
  return madeResult(
    lactChunks,
    each.flatMap(({ right, ...run }) => runs[0].tests.map((tested) => madeRow(run, tested, right(60)))),
    each.flatMap(({ right, ...run }) =>
      tokens.map((token) => ({
        ...{ setting: "", ...run, name: "byToken", at: { token } },
        values: { right: right(token), answers: token === 70 ? 20 : 10 },
      })),
    ),
  );
}

const from = (end: number) => (token: number) => (token < end ? 0.03 : 1);

test("shares weigh tokens by how often they were asked, and leave out what the convolution sees", () => {
  const late = (token: number) => (token === 70 ? 1 : token < 13 ? 0.5 : 0);
  const result = resultOf({ "chunk-16": [late], "chunk-8": [from(8)] });
  expect(readAccuracies(result, "chunk-16", "behind")[0]).toBeCloseTo(20 / (27 * 10 + 20), 12);
  expect(readAccuracies(result, "chunk-16", "before")[0]).toBeCloseTo(0.25, 12); // tokens 12 and 14
  expect(readAccuracies(result, "chunk-8", "before")).toEqual([]);
});

test("not met is what is known of the chunk at hand, or not known after it; of models that have not learned nothing is concluded", () => {
  const found = (shares: Parameters<typeof resultOf>[0]) =>
    lactChunks
      .checks(resultOf(shares))
      .flatMap(({ name, met }) => (met || name.includes("as trained") ? [] : [name]));
  const asExpected = {
    "chunk-8": [from(8), from(8)],
    "chunk-16": [from(16), from(16)],
    "chunk-32": [from(32), from(32)],
    "chunk-32-window": [from(8), from(8)],
  };
  expect(found(asExpected)).toEqual([]);
  const odd = found({ ...asExpected, "chunk-32": [from(24), from(32)], "chunk-8": [from(8), from(20)] });
  expect(odd).toEqual(["chunks of 8: from token 8 on", "chunks of 32: before token 32"]);
  expect(found({ ...asExpected, "chunk-32-window": [from(32), from(8)] })).toEqual([
    "32 and a window: before token 32",
  ]);
  const unlearned = { ...asExpected, "chunk-16": [() => 0.03, from(16)] };
  expect(found(unlearned)).toEqual([]);
  expect(lactChunks.checks(resultOf(unlearned)).filter(({ met }) => met === "inconclusive")).toHaveLength(2);
});

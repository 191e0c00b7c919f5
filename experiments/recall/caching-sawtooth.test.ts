import { expect, test } from "vitest";
import { isInTrainingRange } from "../../src/app/run/results.ts";
import { wordsFrom } from "../../src/tasks/example.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import type { UnreadResult } from "../runner/define.ts";
import { cachingSawtooth, readHeights, segmentEnds } from "./caching-sawtooth.ts";

const { runs } = cachingSawtooth.plan({ scale: "laptop" }, [0]);

test("every line is asked about, and all of them are drawn in the last stage", () => {
  for (const { config, tests } of runs) {
    expect(tests.map(({ name }) => name)).toEqual(Array.from({ length: 13 }, (_, line) => `line ${line}`));
    for (const { change, asTrained } of tests) expect(isInTrainingRange(config, change)).toBe(asTrained);
  }
});

test("models differ by nothing but the cache and its segments", () => {
  const rest = runs.map(({ config: { model, ...others } }) => {
    const { name, base, segment, mode, writing, longest, ...own } = model as Record<string, unknown>;
    return { ...others, own };
  });
  for (const each of rest) expect(each).toEqual(rest[0]);
  expect(runs.map(({ config }) => config.model.segment)).toEqual([undefined, 40, 60]);
});

test("a segment ends behind those lines at whose last token it is full", () => {
  expect([undefined, 40, 60].map(segmentEnds)).toEqual([[], [2, 6, 10], [4, 10]]);
  const { config, tests } = runs[1];
  const { name, ...task } = config.task;
  const prepared = prepareTask(taskNamed(name), { ...task, ...tests[0].change });
  const [drawn, again] = [exampleStream(1, "test")(0), exampleStream(1, "test")(0)];
  const { text, states } = exampleFrom(prepared, drawn);
  const words = wordsFrom(prepared, again).map((word) => prepared.words[word]);
  for (const line of [2, 4, 6, 10]) {
    const untilLine = text.slice(0, states[line].end);
    expect(untilLine).toMatch(new RegExp(`\\n${line}: \\w, \\w = \\w, \\w\\n$`));
    expect(words.slice(0, 20 + 10 * line).join("")).toBe(untilLine);
  }
});

/** Shares by line of each seed. */
function resultOf(shares: Readonly<Record<string, readonly (readonly number[])[]>>): UnreadResult {
  const results = Object.entries(shares).flatMap(([model, seeds]) =>
    seeds.flatMap((own, seed) =>
      runs[0].tests.map((tested, line) => ({
        ...{ setting: "", model, seed, tested, accuracy: own[line], accuracyLast: own[line] },
        ...{ references: {}, accuracyByReveal: [] },
      })),
    ),
  );
  return {
    ...{ experiment: "caching-sawtooth", scale: "laptop", seeds: [0, 1], models: cachingSawtooth.models },
    ...{ results, training: [], measurements: [] },
  } as unknown as UnreadResult;
}

const flat = [...new Array<number>(12).fill(0.5), 1];
const above = (...lines: number[]) => flat.map((share, line) => (lines.includes(line) ? 0.9 : share));

test("a height is what a line is above the mean of the two beside it, with its standard error", () => {
  const slope = flat.map((_, line) => line / 20);
  const result = resultOf({ "cached-40": [above(6), slope] });
  const [first, second] = readHeights(result, "cached-40", 6, 100);
  expect(first.height).toBeCloseTo(0.4, 12);
  expect(second.height).toBeCloseTo(0, 12);
  expect(first.standardError).toBeCloseTo(Math.sqrt((0.9 * 0.1 + 0.25 / 2) / 100), 12);
});

test("not met is a tooth where no segment ends, or none where one does; models that have not learned are left out", () => {
  const found = (shares: Parameters<typeof resultOf>[0]) =>
    cachingSawtooth
      .checks(resultOf(shares))
      .flatMap(({ name, met }) => (met || name.includes(" as trained,") ? [] : [name]));
  const toothless = (shares: Parameters<typeof resultOf>[0]) =>
    found(shares).filter((name) => !name.endsWith("as trained"));
  expect(
    toothless({
      "cached-40": [above(2, 6, 10), above(2, 6, 10)],
      "cached-60": [above(4, 10), above(4, 10)],
    }),
  ).toEqual([]);
  const odd = { "cached-60": [above(4, 8), above(4, 8, 10)], deltanet: [above(3), flat] };
  expect(toothless(odd)).toEqual([
    "segments of 60: standard errors of line 10, the end of a segment, above its neighbours",
    "segments of 60: lines above their neighbours where no segment ends",
  ]);
  const little = flat.map((share, line) => (line === 5 ? share + 0.05 : share)); // of 1,000 programs not three errors
  expect(toothless({ deltanet: [little, above(5)] })).toEqual([]);
  const whole = flat.map(() => 0.96);
  expect(found({ deltanet: [whole, whole] })).toEqual([]);
  expect(found({ deltanet: [whole, flat] })).toEqual(["DeltaNet [-1,1]: all lines, as trained"]);
  const guesses = flat.map(() => 0.2);
  expect(toothless({ "cached-40": [guesses, above(2)] })).toEqual([]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { SearchSpace } from "../../schemas/search-space.ts";
import { drawTrials } from "./plan.ts";
import { promoted, rungPrograms } from "./search.ts";

const space = SearchSpace.parse({
  programs: 900,
  space: {
    "train.learningRate": { from: 1e-4, to: 1e-1, scale: "log" },
    "train.batch": [8, 16],
    "curriculum.stages": { short: [[{ spacing: 1 }]], long: [[{ spacing: 1 }], [{ spacing: 2 }]] },
  },
});

test("trials are inside the space, evenly in what the scale says, and named where choices have names", () => {
  const trials = drawTrials(space, 3000, 0);
  const rates = trials.map(({ changes }) => Number(changes["train.learningRate"]));
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(1e-4);
  expect(Math.max(...rates)).toBeLessThanOrEqual(1e-1);
  // A third of the logarithms in each decade; three standard errors of 3000 draws are 0.026.
  for (const [low, high] of [
    [1e-4, 1e-3],
    [1e-3, 1e-2],
    [1e-2, 1e-1],
  ]) {
    const share = rates.filter((rate) => rate >= low && rate < high).length / rates.length;
    expect(Math.abs(share - 1 / 3)).toBeLessThan(0.026);
  }
  const names = trials.map(({ drawn }) => drawn["curriculum.stages"]);
  expect(new Set(names)).toEqual(new Set(["short", "long"]));
  for (const { drawn, changes } of trials.slice(0, 50))
    expect(changes["curriculum.stages"]).toHaveLength(drawn["curriculum.stages"] === "short" ? 1 : 2);
});

test("more trials, or one more key, change none of what was drawn", () => {
  const few = drawTrials(space, 5, 3);
  expect(drawTrials(space, 9, 3).slice(0, 5)).toEqual(few);
  const wider = { ...space, space: { ...space.space, "model.layers": [1, 2] } };
  const again = drawTrials(wider, 5, 3).map(({ drawn: { "model.layers": _, ...drawn } }) => drawn);
  expect(again).toEqual(few.map(({ drawn }) => drawn));
  expect(drawTrials(space, 5, 4)).not.toEqual(few);
});

test.each([
  [{ "train.steps": [1] }, "Its steps follow from programs and batch"],
  [{ seed: [1, 2] }, "--seed"],
  [{ "train.maxGradNorm": { from: 2, to: 1 } }, "from to be at most to"],
  [{ "train.maxGradNorm": { from: 0, to: 1, scale: "log" } }, "above 0"],
  [{ "train.batch": {} }, "at least one choice"],
])("%j is refused", (keys, words) => {
  expect(() => drawTrials(SearchSpace.parse({ programs: 9, space: keys }), 1, 0)).toThrow(words);
});

test("the rungs rise by the factor to all programs", () => {
  expect(rungPrograms({ programs: 900, rungs: 3, keep: 3 })).toEqual([100, 300, 900]);
  expect(rungPrograms({ programs: 10, rungs: 1, keep: 3 })).toEqual([10]);
});

test("who goes on is a function of the scores, the best, of equal ones the first; failed trials never", () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.integer({ min: 2, max: 4 }),
      fc.func(fc.nat()),
      (scores, keep, order) => {
        const entries = scores.map((score, trial) => [trial, score] as const);
        const chosen = promoted(new Map(entries), keep);
        const shuffled = entries.toSorted(([a], [b]) => order(a) - order(b));
        expect(promoted(new Map(shuffled), keep)).toEqual(chosen);
        const ended = scores.filter((score) => score !== undefined).length;
        expect(chosen).toHaveLength(Math.min(ended, Math.max(1, Math.floor(scores.length / keep))));
        for (const trial of chosen) {
          const own = scores[trial]!;
          const better = scores.filter(
            (score, other) => score !== undefined && (score > own || (score === own && other < trial)),
          );
          expect(better.length).toBeLessThan(chosen.length);
        }
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test("what has two ends is a range, and a mistake in it is named", () => {
  const parse = (values: unknown) => SearchSpace.safeParse({ programs: 1, space: { a: values } });
  expect(parse({ from: 1, to: 2, scale: "log" }).success).toBe(true);
  expect(parse({ first: 1, second: [2] }).success).toBe(true);
  expect(parse({ from: 1, to: 2, scale: "nope" }).error?.issues[0].path).toEqual(["space", "a", "scale"]);
  expect(parse({ from: 1, to: "2" }).error?.issues[0].path).toEqual(["space", "a", "to"]);
});

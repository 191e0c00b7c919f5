import { expect, test } from "vitest";
import { mean, standardError } from "../../../core/statistics.ts";
import { episodesOf } from "../episode.test-helper.ts";
import { doneWithin, expectedEdits } from "./refactor.ts";

/** Eight files; what an earlier program of ours computed. */
const known = [
  { window: 7, edits: 8, within12: 1 },
  { window: 4, edits: 12.33, within12: 0.62 },
  { window: 2, edits: 16.7, within12: 0.27 },
  { window: 0, edits: 21.74, within12: 0.09 },
];

test.each(known)(
  "a window of $window edits costs $edits edits of 8 files",
  async ({ window, edits, within12 }) => {
    expect(expectedEdits(8, window)).toBeCloseTo(edits, 2);
    expect(doneWithin(8, window, 12)).toBeCloseTo(within12, 2);
    const settings = { forgetful: { window } };
    const episodes = await episodesOf({ world: "refactor", policy: "forgetful", settings }, 150);
    const taken = episodes.map(({ end }) => end.score.edits);
    expect(Math.abs(mean(taken) - expectedEdits(8, window))).toBeLessThanOrEqual(3 * standardError(taken));
    const within = taken.filter((each) => each <= 12).length / taken.length;
    const chance = doneWithin(8, window, 12);
    expect(Math.abs(within - chance)).toBeLessThanOrEqual(
      3 * Math.sqrt((chance * (1 - chance)) / taken.length),
    );
  },
);

test("what the view does not show cannot be remembered: a window of the view is one of the policy", async () => {
  const shown = { window: { turns: 2 }, forgetful: { window: 7 } };
  const remembered = { forgetful: { window: 2 } };
  const byView = await episodesOf(
    { world: "refactor", policy: "forgetful", view: "window", settings: shown },
    40,
  );
  const byPolicy = await episodesOf({ world: "refactor", policy: "forgetful", settings: remembered }, 40);
  expect(byView.map(({ end }) => end.score)).toEqual(byPolicy.map(({ end }) => end.score));
});

test("with a summary of the edits, who remembers k - 1 of them needs k, however short the view of turns", async () => {
  const settings = { forgetful: { window: 7 }, window: { turns: 1 } };
  const order = { world: "refactor", policy: "forgetful", settings };
  const told = await episodesOf({ ...order, view: "summary" }, 20);
  expect(told.map(({ end }) => end.score.edits)).toEqual(new Array(20).fill(8));
  const untold = await episodesOf({ ...order, view: "window" }, 20);
  expect(mean(untold.map(({ end }) => end.score.edits))).toBeGreaterThan(12);
});

test("one who remembers all but the last needs an edit a file, and no edits do nothing", () => {
  expect(expectedEdits(30, 29)).toBe(30);
  expect(doneWithin(8, 4, 7)).toBe(0);
  expect(doneWithin(8, 4, 1000)).toBeCloseTo(1, 12);
});

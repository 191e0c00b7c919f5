import { expect, test } from "vitest";
import { mean, standardError } from "../../../core/statistics.ts";
import { episodesOf } from "../episode.test-helper.ts";

/** Sum over j < 8 of (8 - min(W, j)) / (8 - j). */
test.each([
  [7, 8],
  [4, 12.333],
  [2, 16.7],
  [0, 21.743],
])("a window of %d edits costs %d edits of 8 files", async (window, edits) => {
  const settings = { forgetful: { window } };
  const episodes = await episodesOf({ world: "refactor", policy: "forgetful", settings }, 150);
  const taken = episodes.map(({ end }) => end.score.edits);
  expect(Math.abs(mean(taken) - edits)).toBeLessThanOrEqual(3 * standardError(taken));
});

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

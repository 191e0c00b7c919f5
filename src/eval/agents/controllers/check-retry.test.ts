import { expect, test } from "vitest";
import { mean, standardError } from "../../../core/statistics.ts";
import { checkedStep, episodesOf } from "../episode.test-helper.ts";

const error = 0.05;
const steps = 20;

/** Twenty steps, a policy that is wrong in one of twenty; what an earlier program of ours computed. */
const checkers = [
  { name: "one that knows nothing", checker: { detection: 0.3, falseAlarm: 0.3, retries: 2 }, whole: 0.3585 },
  { name: "a good one", checker: { detection: 0.9, falseAlarm: 0, retries: 1 }, whole: 0.8646 },
  { name: "one with false alarms", checker: { detection: 0.9, falseAlarm: 0.1, retries: 2 }, whole: 0.8745 },
  { name: "a bad one", checker: { detection: 0.2, falseAlarm: 0.5, retries: 2 }, whole: 0.2285 },
];

test.each(checkers)("$name: $whole of the episodes are right to the end", async ({ checker, whole }) => {
  const { right, replies } = checkedStep(error, checker);
  expect(right ** steps).toBeCloseTo(whole, 4);
  const settings = {
    ...{ tracking: { error }, lock: { length: steps }, "check-retry": checker, window: { turns: 0 } },
  };
  const order = { world: "lock", policy: "tracking", control: "check-retry", view: "window", settings };
  const episodes = await episodesOf(order, 150);
  const open = mean(episodes.map(({ end }) => end.score.share));
  expect(Math.abs(open - whole)).toBeLessThan(3 * Math.sqrt((whole * (1 - whole)) / episodes.length));
  const asked = episodes.map(({ turns }) => mean(turns.map((turn) => turn.replies.length)));
  expect(Math.abs(mean(asked) - replies)).toBeLessThan(3 * standardError(asked));
});

test("without retries, and with a checker that sends everything back, a step is as right as the policy", () => {
  expect(checkedStep(error, { detection: 0.9, falseAlarm: 0, retries: 0 })).toEqual({
    right: 0.95,
    replies: 1,
  });
  const { right, replies } = checkedStep(error, { detection: 1, falseAlarm: 1, retries: 3 });
  expect([right, replies]).toEqual([0.95, 4]);
  expect(checkedStep(error, { detection: 0.9, falseAlarm: 0, retries: 1 }).replies).toBeCloseTo(1.045, 12);
});

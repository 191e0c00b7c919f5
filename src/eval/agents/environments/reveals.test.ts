import { expect, test } from "vitest";
import { revealBounds } from "../../../analysis/belief/index.ts";
import { rngFrom } from "../../../core/rng.ts";
import { mean, standardError } from "../../../core/statistics.ts";
import { episodesOf } from "../episode.test-helper.ts";
import { machineFor, reveals } from "./reveals.ts";

const settings = { reveals: { variables: 3, probability: 0.5, spacing: 2, shows: 3 } };
const natsOf = async (choice: string, count: number) => {
  const order = { world: "reveals", policy: "revealing", settings: { ...settings, revealing: { choice } } };
  const episodes = await episodesOf(order, count);
  return episodes.map(({ end }) => end.score.nats);
};

test("what a greedy policy leaves is what listing everything that can happen says, and random leaves more", async () => {
  const { greedy, best } = revealBounds(machineFor(3, 0.5), 2, 3);
  expect(best).toBeLessThanOrEqual(greedy + 1e-12);
  const [chosen, drawn] = [await natsOf("greedy", 150), await natsOf("random", 150)];
  expect(Math.abs(mean(chosen) - greedy)).toBeLessThan(3 * standardError(chosen));
  expect(mean(drawn) - mean(chosen)).toBeGreaterThan(2 * standardError(drawn));
});

test("with certain swaps nothing is unknown, and with one maybe swap its own variable tells all", async () => {
  const params = { variables: 4, probability: 1, spacing: 3, shows: 2 };
  const certain = reveals.draw(params, rngFrom(1));
  expect(reveals.score(certain)).toMatchObject({ nats: 0, share: 1 });
  const one = reveals.draw({ ...params, probability: 0.5, spacing: 1, shows: 1 }, rngFrom(2));
  expect(reveals.score(one).nats).toBeCloseTo(Math.LN2, 12);
  const [, name] = /maybe swap (\w)/.exec(reveals.task(one))!;
  const told = reveals.act(one, { name: "show", arguments: [name] });
  expect(reveals.score(told.state).nats).toBe(0);
  expect(reveals.isOver(told.state)).toBe(true);
  expect(reveals.act(told.state, { name: "show", arguments: [name] }).answer).toMatchObject({
    error: "RuntimeError",
  });
  expect(reveals.act(one, { name: "show", arguments: ["z"] }).answer).toMatchObject({ error: "KeyError" });
});

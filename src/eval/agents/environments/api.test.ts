import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import { mean, standardError } from "../../../core/statistics.ts";
import { type DomainName, domains } from "../../../tasks/api/index.ts";
import { episodesOf, planOf } from "../episode.test-helper.ts";
import { apiWorlds } from "./api.ts";

const names = Object.keys(domains) as DomainName[];

test.each(names)(
  "api-%s: who carries out its own calls needs the fewest, as the world has them",
  async (name) => {
    const episodes = await episodesOf({ world: `api-${name}`, policy: "planning" }, 12);
    for (const { end } of episodes) {
      expect(end).toMatchObject({ over: true, score: { share: 1, refused: 0 } });
      expect(end.score.calls).toBe(end.score.optimum);
    }
    expect(new Set(episodes.map(({ end }) => end.score.optimum)).size).toBeGreaterThan(1);
  },
);

test("the fewest calls are as many as a search by depth finds, call by call", () => {
  const { world, machine } = apiWorlds.tensors;
  const isReached = (now: readonly string[], goal: readonly string[], depth: number): boolean =>
    now.join() === goal.join() ||
    (depth > 0 &&
      machine.calls.some((call) => {
        const done = machine.make(now, call);
        return typeof done !== "string" && isReached(done.state, goal, depth - 1);
      }));
  for (let seed = 0; seed < 6; seed++) {
    const { start, goal, optimum } = world.draw({ calls: 3 }, rngFrom(seed));
    expect(isReached(start, goal, optimum)).toBe(true);
    expect(isReached(start, goal, optimum - 1)).toBe(false);
  }
});

test("who sees its last call alone has lost the state, and a right call is one that comes nearer", async () => {
  const order = { world: "api-session", policy: "planning", turns: 20 };
  const blind = await episodesOf({ ...order, view: "window", settings: { window: { turns: 0 } } }, 12);
  const reached = blind.filter(({ end }) => end.score.reached === 1);
  expect(reached.every(({ end }) => end.score.optimum === 1)).toBe(true);
  expect(reached.length).toBeLessThan(blind.length);
  const checked = { "check-retry": { falseAlarm: 0, detection: 1, retries: 100 }, planning: { error: 0.9 } };
  const sure = await episodesOf({ ...order, control: "check-retry", settings: checked }, 4);
  expect(sure.map(({ end }) => end.score.share)).toEqual([1, 1, 1, 1]);
});

test("errors cost calls", async () => {
  const settings = { planning: { error: 0.3 } };
  const [sure, unsure] = [
    await episodesOf({ world: "api-tensors", policy: "planning" }, 30),
    await episodesOf({ world: "api-tensors", policy: "planning", settings }, 30),
  ].map((all) => all.map(({ end }) => end.score.share));
  expect(mean(unsure)).toBeLessThan(mean(sure) - 3 * standardError(unsure));
});

test("a call that is not possible is refused, counts and changes nothing; one that does not exist has no name", () => {
  const { world } = planOf({ world: "api-session", policy: "planning" });
  const state = world.entry.draw({ calls: 4 }, rngFrom(3));
  const call = (name: string, ...given: (string | number)[]) => ({ name, arguments: given });
  const pushed = world.entry.act(state, call("push", "x"));
  expect(pushed.answer).toMatchObject({ error: "PermissionError" });
  expect(pushed.state).toEqual({ ...state, refused: 1 });
  expect(world.entry.act(state, call("login", "eve")).answer).toMatchObject({ error: "ValueError" });
  expect(world.entry.act(state, call("login")).answer).toMatchObject({ error: "TypeError" });
  const inside = world.entry.act(state, call("login", "ann"));
  expect(world.entry.act(inside.state, call("get", "x")).answer).toMatchObject({ error: "KeyError" });
  const put = world.entry.act(inside.state, call("put", "x", 3));
  expect(world.entry.act(put.state, call("get", "x")).answer).toEqual({ value: 3 });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseWith, parseYaml } from "../../../core/settings.ts";
import { mean } from "../../../core/statistics.ts";
import { AgentMachine } from "../../../schemas/agent-machine.ts";
import type { EpisodeTurn } from "../../../schemas/agents.ts";
import { checkedStep, episodesOf, linesOf, planOf } from "../episode.test-helper.ts";
import { tokensOf } from "../history.ts";
import { replayed } from "../replay.ts";

const path = new URL("../../../../examples/knapsack-machine.yaml", import.meta.url);
const sack: unknown = parseYaml(readFileSync(path, "utf8"), "knapsack-machine.yaml");

/** A plan whose policy says these replies, one a turn, the last one again and again. */
function scripted(replies: readonly string[], settings: object, turns: number) {
  const plan = planOf({
    ...{ world: "knapsack", policy: "reuse", control: "machine", turns },
    settings: { machine: { machine: sack, ...settings } },
  });
  const asked: { task: string; turn: number }[] = [];
  const decide = ({ task, turn }: { task: string; turn: number }) => {
    asked.push({ task, turn });
    return replies[Math.min(asked.length, replies.length) - 1];
  };
  return { plan: { ...plan, policy: { ...plan.policy, entry: { ...plan.policy.entry, decide } } }, asked };
}

const turnsOf = async ({ plan }: ReturnType<typeof scripted>) =>
  (await linesOf(plan)).slice(1, -1) as EpisodeTurn[];

test("nobody is asked where one move without arguments is left, and its prompt is not counted", async () => {
  const run = scripted(["nonsense"], { style: "direct" }, 2);
  const turns = await turnsOf(run);
  expect(turns[0].replies).toEqual(["list_items()"]);
  expect(run.asked.map(({ turn }) => turn)).toEqual([1]);
  const { end, differences } = replayed(run.plan, turns);
  expect(differences).toEqual([]);
  expect(end.tokens).toMatchObject({ processed: turns[1].shown, replied: tokensOf("nonsense") });
  const forged = [{ ...turns[0], replies: ["finish()"] }, turns[1]];
  expect(replayed(run.plan, forged).differences.map(({ what }) => what)).toContain("the only move");
});

test("a guard opens a move after so many answered calls; what is no move is sent back, then refused unseen by the world", async () => {
  const items = (await turnsOf(scripted([""], {}, 1)))[0].end.output.match(/item_\w+/g)!;
  const inspect = items.slice(0, 5).map((item) => `inspect("${item}")`);
  const take = `take_item("${items[0]}")`;
  const run = scripted([take, take, ...inspect, take], { style: "direct" }, 9);
  const turns = await turnsOf(run);
  expect(turns[1].replies).toEqual([take, take]);
  expect(turns[1].calls[0].answer).toEqual({
    error: "RuntimeError",
    message: "take_item is no move in the state inspect",
  });
  expect(turns[7].replies).toEqual([take]);
  expect(turns[7].calls[0].answer).not.toMatchObject({ error: "RuntimeError" });
  expect(replayed(run.plan, turns).differences).toEqual([]);
  const changed = turns.with(1, { ...turns[1], calls: [{ ...turns[1].calls[0], answer: { value: 1 } }] });
  expect(replayed(run.plan, changed).differences.map(({ what }) => what)).toContain(
    "the answer of take_item",
  );
});

test("the three styles say the words of the state, its moves as well, or the whole machine", async () => {
  const task = async (style: string) => {
    const run = scripted(["nothing"], { style }, 2);
    await turnsOf(run);
    return run.asked[0].task;
  };
  const [direct, machine, pseudocode] = [
    await task("direct"),
    await task("machine"),
    await task("pseudocode"),
  ];
  const ask = "Inspect items first; after five you may take one.";
  expect(direct.endsWith(`\n${ask}`)).toBe(true);
  expect(machine).toBe(`${direct.slice(0, -ask.length)}state: inspect\nmoves: inspect(item)\n${ask}`);
  expect(pseudocode).toContain("state fill:\n    take_item(item) -> fill\n    finish() -> fill");
  expect(pseudocode).toContain("if inspect >= 5: take_item(item) -> fill");
});

test("check and retry in a state come to their closed form", async () => {
  const [error, steps, check] = [0.05, 20, { falseAlarm: 0.1, detection: 0.9 }];
  const enter = { on: { enter: "enter" }, check, retry: 2 };
  const settings = {
    ...{ tracking: { error }, lock: { length: steps }, window: { turns: 0 } },
    machine: { machine: { start: "enter", states: { enter } }, style: "direct" },
  };
  const order = { world: "lock", policy: "tracking", control: "machine", view: "window", settings };
  const episodes = await episodesOf(order, 100);
  const whole = checkedStep(error, { ...check, retries: 2 }).right ** steps;
  const open = mean(episodes.map(({ end }) => end.score.share));
  expect(Math.abs(open - whole)).toBeLessThan(3 * Math.sqrt((whole * (1 - whole)) / episodes.length));
});

test.each([
  [undefined, /--control machine: expected a state machine, --machine FILE, got "none"/],
  [{ start: "a", states: {} }, /start to be a state, not a/],
  [{ start: "a", states: { a: { on: { enter: "b" } } } }, /on\.enter to be a state, not b/],
  [{ start: "a", states: { a: { on: { enter: { to: "a", when: ["x > y"] } } } } }, /TOOL >= N/],
  [
    { start: "a", states: { a: { on: { knock: "a" } } } },
    /one of the environment's tools: enter, got "knock"/,
  ],
])("%j is refused in a sentence", (machine, words) => {
  const settings = { machine: machine === undefined ? {} : { machine } };
  expect(() => planOf({ world: "lock", policy: "tracking", control: "machine", settings })).toThrow(words);
});

test("a state named like something of every object is a state like any other", () => {
  const parsed = parseWith(AgentMachine, { start: "constructor", states: { constructor: {} } }, "m");
  expect(Object.keys(parsed.states)).toEqual(["constructor"]);
  expect(() => parseWith(AgentMachine, { start: "toString", states: {} }, "m")).toThrow(/not toString/);
});

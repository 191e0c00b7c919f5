import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { AgentResults } from "../schemas/agents.ts";
import { command } from "./agent.ts";
import { runCommandLine } from "./lib/dispatch.ts";

const root = tmpFolder("agent");
const out = join(root, "lock");

async function agent(...args: string[]) {
  const printed: string[] = [];
  const said: string[] = [];
  const table = { agent: { summary: command.summary, load: async () => ({ command }) } };
  const streams = { print: (text: string) => printed.push(text), say: (text: string) => said.push(text) };
  const code = await runCommandLine(table, ["agent", ...args], streams, new AbortController().signal);
  return { code, printed: printed.join("\n"), said: said.join("\n") };
}

const call = ["run", "lock", "--runtime", "calls", "--policy", "guessing", "--episodes", "5", "--out", out];

test("run, report and replay of a folder agree, as tables and as JSON", async () => {
  const ran = await agent(...call, "--json");
  expect(ran.code).toBe(0);
  const { folder, ...results } = JSON.parse(ran.printed);
  expect(folder).toBe(out);
  expect(AgentResults.parse(results).arms[0].episodes).toBe(5);
  const [again, json, table, replay, counted] = [
    await agent(...call),
    await agent("report", out, "--json"),
    await agent("report", out),
    await agent("replay", out),
    await agent("replay", out, "--json"),
  ];
  expect(JSON.parse(json.printed)).toEqual(results);
  expect(again.printed).toBe(table.printed);
  expect(table.printed).toMatch(/^lock, free, guessing, seed 0;.*\nruntime +view +episodes/);
  expect(table.printed).toContain("calls, full: of 5 episodes with a cell that did not finish: none");
  expect(replay.printed).toBe(
    `${out}: 5 episodes, ${results.ledger.lines} lines: computed again, results.json too, nothing differs`,
  );
  expect(JSON.parse(counted.printed)).toEqual({ episodes: 5, results: true, ...results.ledger });
});

test.each([
  [["run"], 2, /agent run: expected a world: knapsack, lock, refactor, reveals, .*got "none"/],
  [["run", "lock"], 2, /--policy NAME, got "none"/],
  [["run", "lock", "--policy", "reuse"], 2, /--policy: expected one for lock/],
  [
    ["run", "lock", "--policy", "guessing", "--episodes", "0"],
    2,
    /--episodes: expected an integer of at least 1/,
  ],
  [["run", "lock", "--policy", "guessing", "--set", "lock.length=many"], 2, /lock: expected length/],
  [
    ["run", "lock", "--policy", "guessing", "--runtime", "calls,none"],
    2,
    /--runtime: expected one of persistent/,
  ],
  [["replay", out, "--seed", "3"], 2, /agent replay: expected a flag of agent replay/],
  [["report", join(root, "none")], 2, /config\.json: expected an existing file/],
  [["walk", "lock"], 2, /agent: expected one of run, report, replay, concepts, got "walk"/],
  [[...call.slice(0, -2), "--seed", "9", "--out", out], 2, /expected seed 0, as its episodes have it, got 9/],
])("%j ends with %i and a sentence", async (args, code, words) => {
  const ended = await agent(...args);
  expect([ended.code, ended.printed]).toEqual([code, ""]);
  expect(ended.said).toMatch(words);
});

test("what episodes teach is handed to later ones, and a machine from a file stands around the policy", async () => {
  const right = join(root, "right");
  const order = ["run", "lock", "--runtime", "calls", "--policy", "tracking", "--episodes", "2"];
  await agent(...order, "--out", right);
  const taught = await agent("concepts", right);
  const store = join(root, "concepts.json");
  writeFileSync(store, taught.printed);
  expect(JSON.parse(taught.printed).concepts[0]).toMatchObject({ name: "enter+", cues: ["enter"] });
  const shown = join(root, "shown");
  const again = await agent(...order, "--view", "concepts", "--concepts", store, "--out", shown, "--json");
  expect([again.code, JSON.parse(again.printed).arms[0].score.share.mean]).toEqual([0, 1]);
  expect((await agent("replay", shown)).code).toBe(0);
  const other = [
    ...order.with(1, "refactor").with(5, "forgetful"),
    "--view",
    "concepts",
    "--concepts",
    store,
  ];
  expect((await agent(...other, "--out", join(root, "other"))).said).toMatch(
    /expected concepts of refactor, got "lock"/,
  );
  const file = join(root, "lock.yaml");
  writeFileSync(
    file,
    "start: enter\nstates:\n  enter: {on: {enter: enter}, check: {detection: 1}, retry: 9}\n",
  );
  const checked = [
    "--set",
    "tracking.error=0.5",
    "--machine",
    file,
    "--out",
    join(root, "checked"),
    "--json",
  ];
  const { code, printed } = await agent(...order, ...checked);
  expect([code, JSON.parse(printed).control]).toEqual([0, "machine"]);
  expect(JSON.parse(printed).arms[0].score.share.mean).toBe(1);
  expect((await agent("replay", join(root, "checked"))).code).toBe(0);
});

test.each([
  [["--machine", "none.yaml"], 2, /--machine: expected the file of a state machine, got "none.yaml"/],
  [["--concepts", "none.json"], 2, /none\.json: expected an existing file/],
  [["--control", "machine"], 2, /--control machine: expected a state machine, --machine FILE/],
])("%j ends with %i and a sentence", async (args, code, words) => {
  const ended = await agent(
    "run",
    "lock",
    "--runtime",
    "calls",
    "--policy",
    "tracking",
    ...args,
    "--out",
    out,
  );
  expect([ended.code, ended.said]).toEqual([code, expect.stringMatching(words)]);
});

test("a damaged ledger ends with exit code 3", async () => {
  const folder = join(root, "damaged");
  await agent(...call.slice(0, -1), folder);
  writeFileSync(join(folder, "ledger.jsonl"), "{}\n");
  const { code, said } = await agent("replay", folder);
  expect([code, said]).toEqual([3, expect.stringContaining("ledger.jsonl, line 1: expected a record")]);
});

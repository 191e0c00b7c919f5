import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AgentResults } from "../records/agents.ts";
import { command } from "./agent.ts";
import { runCommandLine } from "./run.ts";

const root = mkdtempSync(join(tmpdir(), "statelab-agent-"));
afterAll(() => rmSync(root, { recursive: true }));
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
  [["run"], 2, /agent run: expected a world: knapsack, lock or refactor, got "none"/],
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
  [["walk", "lock"], 2, /agent: expected one of run, report, replay, got "walk"/],
  [[...call.slice(0, -2), "--seed", "9", "--out", out], 2, /expected seed 0, as its episodes have it, got 9/],
])("%j ends with %i and a sentence", async (args, code, words) => {
  const ended = await agent(...args);
  expect([ended.code, ended.printed]).toEqual([code, ""]);
  expect(ended.said).toMatch(words);
});

test("a damaged ledger ends with exit code 3", async () => {
  const folder = join(root, "damaged");
  await agent(...call.slice(0, -1), folder);
  writeFileSync(join(folder, "ledger.jsonl"), "{}\n");
  const { code, said } = await agent("replay", folder);
  expect([code, said]).toEqual([3, expect.stringContaining("ledger.jsonl, line 1: expected a record")]);
});

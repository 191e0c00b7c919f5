import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStatelab, untilLonger } from "../../../test/kit/cli.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import { knapsack, totalValue, totalWeight } from "../../eval/agents/environments/knapsack.ts";
import { tokensOf } from "../../eval/agents/history.ts";
import { rngStreams } from "../../eval/agents/plan.ts";
import { openLedger, readLedger } from "../../storage/index.ts";
import { armsAt } from "./plan-episodes.ts";
import { readEpisodes } from "./read.ts";
import { replayAgents } from "./replay.ts";
import { type AgentOrder, agentConfig, runAgents } from "./run.ts";

const root = tmpFolder("agents");

const order = (folder: string, more: Partial<AgentOrder> = {}): AgentOrder => ({
  ...{ world: "knapsack", runtimes: ["persistent", "stateless"], views: ["full"], control: "free" },
  ...{ policy: "reuse", settings: [], episodes: 2, seed: 0, turns: 40, callsPerCell: 25, host: "auto" },
  ...{ seconds: 30, folder: join(root, folder), signal: new AbortController().signal, progress: silent },
  ...more,
});
const bytes = (folder: string, name = "ledger.jsonl") => readFileSync(join(root, folder, name));

test("reuse fails in a stateless runtime in every episode, rederive in none; both are worth the same where they work", async () => {
  const reuse = await runAgents(order("reuse", { settings: ["reuse.step=12"] }));
  const rederive = await runAgents(order("rederive", { policy: "rederive", settings: ["rederive.step=12"] }));
  const [kept, lost] = reuse.arms;
  expect([kept.errors, lost.errors]).toEqual([{}, { NameError: lost.episodes }]);
  expect([lost.score.share.mean, kept.over, lost.over]).toEqual([0, 2, 2]);
  // what Python took, in plain numbers: greedy by density among the first items
  const worth = [0, 1].map((index) => {
    const [{ world, begin }] = armsAt(agentConfig(order("twin")), index);
    const sack = knapsack.draw(world.params, rngStreams(begin).world);
    const seen = sack.items.slice(0, sack.budget).filter((item) => sack.allowed.includes(item.class));
    const taken: (typeof seen)[number][] = [];
    for (const item of seen.toSorted((a, b) => b.value / b.weight - a.value / a.weight))
      if (totalWeight([...taken, item]) <= sack.capacity) taken.push(item);
    return totalValue(taken);
  });
  expect(kept.score.value.mean).toBe((worth[0] + worth[1]) / 2);
  expect(kept.score.takenUnseen.mean).toBe(0);
  for (const arm of rederive.arms) {
    expect(arm.errors).toEqual({});
    expect(arm.score).toEqual(kept.score);
  }
  expect(await replayAgents(join(root, "reuse"))).toMatchObject({ episodes: 4, results: true });
});

test("what rederive writes is a + b g j tokens in cell j, and reuse a in each, to the token", async () => {
  for (const [policy, first] of [
    ["reuse", 1],
    ["rederive", 0],
  ] as const) {
    const folder = `tokens-${policy}`;
    await runAgents(order(folder, { policy, runtimes: ["persistent"], episodes: 1 }));
    const { records } = readLedger(join(root, folder, "ledger.jsonl"));
    const [{ turns }] = readEpisodes(records, folder);
    const cells = turns.slice(0, -2).map(({ replies }) => tokensOf(replies[0])); // the last two are shorter, and fill the sack
    const a = cells[first];
    const b = policy === "reuse" ? 0 : (cells[1] - cells[0]) / 5;
    expect(Number.isInteger(b)).toBe(true);
    expect(cells.slice(first)).toEqual(cells.slice(first).map((_, j) => a + b * 5 * j));
  }
});

test("the same order goes on from wherever it was cut, and comes to the same bytes; more episodes are added", async () => {
  const lock = {
    world: "lock",
    policy: "tracking",
    runtimes: ["calls"],
    views: ["full", "window"],
    episodes: 6,
  };
  const settings = ["tracking.error=0.2", "window.turns=2"];
  await runAgents(order("whole", { ...lock, settings }));
  const ledger = bytes("whole");
  await runAgents(order("grown", { ...lock, settings, episodes: 2 }));
  for (const cut of [0, 1, 500, 5000, ledger.length - 3, ledger.length]) {
    writeFileSync(join(root, "grown", "ledger.jsonl"), ledger.subarray(0, cut));
    await runAgents(order("grown", { ...lock, settings }));
    expect(bytes("grown").equals(ledger), `cut at ${cut}`).toBe(true);
    expect(bytes("grown", "results.json")).toEqual(bytes("whole", "results.json"));
  }
  await expect(runAgents(order("grown", { ...lock, settings, seed: 3 }))).rejects.toThrow(
    /config\.json: expected seed 0, as in its episodes, got 3\. Choose another folder/,
  );
});

test("kill -9 at any time leaves a ledger that comes to the same bytes", async () => {
  const call = "agent run refactor --runtime calls --policy forgetful --episodes 200 --turns 60 --out";
  const whole = await startStatelab(root, call, "uninterrupted").ended;
  expect(whole.code, whole.stderr).toBe(0);
  for (const lines of [0, 300, 1500]) {
    const killed = startStatelab(root, call, "killed");
    await untilLonger(join(root, "killed", "ledger.jsonl"), lines);
    killed.process.kill("SIGKILL");
    await killed.ended;
  }
  expect((await startStatelab(root, call, "killed").ended).code).toBe(0);
  expect(bytes("killed").equals(bytes("uninterrupted"))).toBe(true);
  expect(bytes("killed", "results.json")).toEqual(bytes("uninterrupted", "results.json"));
});

test("a number that does not follow from the calls is named by its line, also where the hashes were recomputed", async () => {
  const folder = join(root, "uninterrupted");
  const path = join(folder, "ledger.jsonl");
  const { records } = readLedger(path);
  rmSync(path);
  rmSync(join(folder, "results.json"));
  const forged = openLedger(path, () => true);
  for (const record of records) {
    const { score, ...rest } = record as { score?: { edits: number } };
    forged.append(score === undefined ? rest : { ...rest, score: { ...score, edits: score.edits - 1 } });
  }
  forged.close();
  await expect(replayAgents(folder)).rejects.toThrow(/line \d+: expected score \{.*\}, got/);
});

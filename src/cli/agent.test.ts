import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab, words } from "../../test/kit/cli.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { AgentResults } from "../schemas/agents.ts";

const root = tmpFolder("agent");
const out = join(root, "lock");

const agent = (...args: string[]) => callStatelab(["agent", ...args]);

const call = [...words("run lock --runtime calls --policy guessing --episodes 5 --out"), out];

test("run, report and replay of a folder agree, as tables and as JSON", async () => {
  const ran = await agent(...call, "--json");
  expect(ran.code).toBe(0);
  const { folder, ...results } = JSON.parse(ran.stdout);
  expect(folder).toBe(out);
  expect(AgentResults.parse(results).arms[0].episodes).toBe(5);
  const [again, json, table, replay, counted] = [
    await agent(...call),
    await agent("report", out, "--json"),
    await agent("report", out),
    await agent("replay", out),
    await agent("replay", out, "--json"),
  ];
  expect(JSON.parse(json.stdout)).toEqual(results);
  expect(again.stdout).toBe(table.stdout);
  expect(table.stdout).toMatch(/^lock, free, guessing, seed 0;.*\nruntime +view +episodes/);
  expect(table.stdout).toContain("calls, full: episodes with a failed cell, of 5: none");
  expect(replay.stdout).toBe(
    `${out}: recomputed 5 episodes, ${results.ledger.lines} lines and results.json; no differences`,
  );
  expect(JSON.parse(counted.stdout)).toEqual({ episodes: 5, results: true, ...results.ledger });
});

test("what episodes teach is handed to later ones, and a machine from a file stands around the policy", async () => {
  const right = join(root, "right");
  const order = words("run lock --runtime calls --policy tracking --episodes 2");
  await agent(...order, "--out", right);
  const taught = await agent("concepts", right);
  const store = join(root, "concepts.json");
  writeFileSync(store, taught.stdout);
  expect(JSON.parse(taught.stdout).concepts[0]).toMatchObject({ name: "enter+", cues: ["enter"] });
  const shown = join(root, "shown");
  const again = await agent(...order, "--view", "concepts", "--concepts", store, "--out", shown, "--json");
  expect([again.code, JSON.parse(again.stdout).arms[0].score.share.mean]).toEqual([0, 1]);
  expect((await agent("replay", shown)).code).toBe(0);
  const other = order.with(1, "refactor").with(5, "forgetful");
  const handed = await agent(
    ...other,
    ...words(`--view concepts --concepts ${store} --out`),
    join(root, "other"),
  );
  expect(handed.stderr).toMatch(/expected concepts of refactor, got "lock"/);
  const file = join(root, "lock.yaml");
  writeFileSync(
    file,
    "start: enter\nstates:\n  enter: {on: {enter: enter}, check: {detection: 1}, retry: 9}\n",
  );
  const checked = words(`--set tracking.error=0.5 --machine ${file} --out ${join(root, "checked")} --json`);
  const { code, stdout } = await agent(...order, ...checked);
  expect([code, JSON.parse(stdout).control]).toEqual([0, "machine"]);
  expect(JSON.parse(stdout).arms[0].score.share.mean).toBe(1);
  expect((await agent("replay", join(root, "checked"))).code).toBe(0);
});

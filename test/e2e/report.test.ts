/** @file statelab report, called as a user calls it, in the process of the test. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { callStatelab } from "../kit/cli.ts";
import { sweptRuns } from "../kit/runs.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { small } from "../kit/trainings.ts";

const root = tmpFolder("report");
const sweep = join(root, "sweep");
const reported = (...args: string[]) => callStatelab(["report", ...args]);

beforeAll(() => sweptRuns(sweep), 60_000);

test("a sweep has its page, with every setting and test; a run has one of its own", async () => {
  const { code, stdout } = await reported(sweep);
  expect([code, stdout]).toEqual([0, `Wrote ${join(sweep, "report.html")}. Open it in a browser.`]);
  const page = readFileSync(join(sweep, "report.html"), "utf8");
  for (const words of ["betaMax=1", "betaMax=2", "commands 8, spacing 4", "model.betaMax", "stage"])
    expect(page).toContain(words);
  expect(page).not.toMatch(/<script|https?:\/\/(?!arxiv)/);
  const one = join(sweep, "betaMax=1", "seed-0");
  expect((await reported(one)).code).toBe(0);
  expect(existsSync(join(one, "report.html"))).toBe(true);
}, 60_000);

test("a run that was asked wider reveals alone is asked the densest of its training, and judged by these", async () => {
  const file = join(root, "dense.yaml");
  writeFileSync(file, small);
  const folder = join(root, "dense");
  const set = ["train.steps=5", "curriculum.stages=[[{spacing: 1}, {spacing: 2}]]", "evaluate.examples=10"];
  const settings = set.flatMap((each) => ["--set", each]);
  expect((await callStatelab(["train", file, "--out", folder, ...settings])).code).toBe(0);
  expect((await callStatelab(["evaluate", folder, "--grid", "spacing=2,4"])).code).toBe(0);
  const { stdout } = await reported(folder, "--json");
  const [{ tests }] = JSON.parse(stdout).kinds[0].runs;
  expect(tests.map(({ name, densest }: { name: string; densest: boolean }) => [name, densest])).toEqual([
    ["spacing 2", false],
    ["spacing 4", false],
    ["spacing 1", true],
  ]);
  const page = readFileSync(join(folder, "report.html"), "utf8");
  expect(page).toContain("densest reveals of its training, spacing 1<");
  expect(page).not.toMatch(/densest reveals of its training, spacing [24]/);
}, 120_000);

test("several folders become one page, --json has the numbers of it", async () => {
  const out = join(root, "both.html");
  const folders = ["1", "2"].map((betaMax) => join(sweep, `betaMax=${betaMax}`, "seed-0"));
  const { stdout } = await reported(...folders, "--out", out, "--json");
  const { report, kinds } = JSON.parse(stdout);
  expect(report).toBe(out);
  expect(kinds.map(({ name }: { name: string }) => name)).toEqual(["betaMax=1", "betaMax=2"]);
  // Its two tests, and the densest reveals of its training.
  expect(kinds[0].runs[0].tests).toHaveLength(3);
  expect(kinds[0].runs[0].curve.parameters).toBeGreaterThan(100);
}, 60_000);

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("evaluations");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);
const json = (...path: string[]) => JSON.parse(readFileSync(at(...path), "utf8"));

const config = `
task: { name: repl, variables: 3, commands: 4 }
model: { name: gru, layers: 1, width: 8 }
train: { steps: 3, batch: 4 }
evaluate: { examples: 20, settings: [{ spacing: 2 }] }
`;

beforeAll(async () => {
  writeFileSync(at("run.yaml"), config);
  for (const seed of [0, 1]) {
    for (const width of [8, 10]) {
      const flags = words(`--seed ${seed} --set model.width=${width} --out width=${width}/seed-${seed}`);
      expect((await run("train run.yaml", ...flags)).code).toBe(0);
    }
  }
}, 60_000);

const one = "width=8/seed-0";

test("every evaluation of a run is kept by a name, its own or that of what was asked", async () => {
  await run("evaluate", one);
  await run("evaluate", one, "--set", "commands=8");
  await run("evaluate", one, "--programs", "7");
  await run("evaluate", one, ...words("--set commands=9 --name mine"));
  expect(readdirSync(at(one, "evaluations")).sort()).toEqual([
    "commands=8@3.json",
    "mine@3.json",
    "tests,programs=7@3.json",
    "tests@3.json",
  ]);
  expect(json(one, "evaluations", "mine@3.json").results).toMatchObject([
    { change: { commands: 9 }, wanted: 20 },
  ]);
  expect(json(one, "evaluation.json")).toEqual(json(one, "evaluations", "mine@3.json"));
  const again = await run("evaluate", one, ...words("--set commands=9 --name mine"));
  expect(again.code, again.stderr).toBe(0);
  const other = await run("evaluate", one, ...words("--set commands=10 --name mine"));
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringMatching(
      /mine@3\.json: expected the same tests, .* Evaluations are kept: choose another --name/,
    ),
  ]);
});

test("a grid asks every combination in one command, leaves out what the task does not allow, and prints a table of two sides", async () => {
  const { stdout, stderr } = await succeed(
    root,
    "evaluate",
    one,
    ...words("--grid task.commands=4,8 --grid spacing=2,4,8 --name grid"),
  );
  expect(stderr).toMatch(/^statelab: left out: repl: expected every spacing to be at most .*\(4\), got 8/m);
  const { grid, results } = json(one, "evaluations", "grid@3.json");
  expect(grid).toEqual([
    { key: "commands", values: [4, 8] },
    { key: "spacing", values: [2, 4, 8] },
  ]);
  expect(results.map(({ change }: { change: object }) => change)).toEqual([
    ...[2, 4].map((spacing) => ({ commands: 4, spacing })),
    ...[2, 4, 8].map((spacing) => ({ commands: 8, spacing })),
  ]);
  const [head, first, second] = stdout.split("\n");
  expect(head).toMatch(/^all reveals, commands \\ spacing +2 +4 +8$/);
  expect(first).toMatch(/^ +4 +[\d.]+ % +[\d.]+ % +–$/);
  const shares = [...second.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
  const kept = results.slice(2).map(({ accuracy }: { accuracy: number }) => Math.round(1000 * accuracy) / 10);
  expect(shares).toEqual(kept);
  expect(stdout).toContain("exact Bayes, commands \\ spacing");
});

test("compare of two single runs has its interval over programs, whatever else one was asked meanwhile", async () => {
  const other = "width=10/seed-0";
  await run("evaluate", other);
  await run("evaluate", one, "--programs", "3");
  const { stdout } = await succeed(root, "compare", one, other, "--json");
  const { comparisons } = JSON.parse(stdout);
  const spacing = comparisons.find(({ test: name }: { test: string }) => name === "spacing 2");
  expect(spacing.accuracy.uncertainty).toMatchObject({ kind: "programs", programs: 20 });
  const [low, high] = spacing.accuracy.uncertainty.interval;
  expect(low).toBeLessThan(spacing.accuracy.difference);
  expect(high).toBeGreaterThan(spacing.accuracy.difference);
});

test("evaluate --set on one run of several leaves compare as it was", async () => {
  for (const seed of [0, 1]) for (const width of [8, 10]) await run(`evaluate width=${width}/seed-${seed}`);
  const before = (await run("compare width=8 width=10 --json")).stdout;
  await run("evaluate", one, "--set", "spacing=4");
  await run("evaluate", one, ...words("--set spacing=2 --programs 5"));
  const { stdout, stderr } = await run("compare width=8 width=10 --json");
  expect(stdout).toBe(before);
  expect(stderr).toContain("left out, not asked of all: ");
});

test("a setting with words that the run does not know names them; one of the task may say so", async () => {
  const more = await run("evaluate", one, "--set", "variables=5");
  expect(more.code).toBe(2);
  expect(more.stderr).toMatch(
    /^statelab: variables 5: expected words that the run knows, got "d e( \S+)*"\. A model knows the words/,
  );
  expect((await run("evaluate", one, "--set", "task.commands=8")).code).toBe(0);
});

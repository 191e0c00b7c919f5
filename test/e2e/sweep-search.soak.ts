import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { statelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { killedSearch, prepareSearch, searched } from "./sweep-search.test-helper.ts";

const root = tmpFolder("search");
let whole: Awaited<ReturnType<typeof searched>>;
beforeAll(async () => {
  prepareSearch(root);
  whole = await searched(root, "whole");
}, 120_000);

test("a third goes on at each rung, the best of those before, and the best of the last is chosen", () => {
  expect(whole.trials.map(({ scores }) => scores.length).sort()).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 3]);
  for (const rung of [0, 1]) {
    const here = whole.trials.filter(({ scores }) => scores.length > rung);
    const on = here.filter(({ scores }) => scores.length > rung + 1).map(({ scores }) => scores[rung].score);
    const off = here
      .filter(({ scores }) => scores.length === rung + 1)
      .map(({ scores }) => scores[rung].score);
    expect(Math.min(...on)).toBeGreaterThanOrEqual(Math.max(...off));
  }
  expect(whole.trials[whole.chosen!].scores.map(({ programs }) => programs)).toEqual([72, 216, 648]);
  expect(whole.programs).toBe(whole.trials.reduce((sum, { scores }) => sum + scores.at(-1)!.programs, 0));
});

test("what was chosen is a configuration that can be trained, and comes to the same score", async () => {
  const text = readFileSync(join(root, "whole", "chosen.yaml"), "utf8");
  expect(text).toContain("# Found by: statelab sweep config.yaml --search space.yaml");
  const trained = await statelab(root, "train whole/chosen.yaml --out again");
  expect(trained.code, trained.stderr).toBe(0);
  const { stdout } = await statelab(root, "evaluate again --json");
  const { results } = JSON.parse(stdout);
  const mean = (results[0].accuracy + results[1].accuracy) / 2;
  expect(mean).toBeCloseTo(whole.trials[whole.chosen!].scores[2].score, 12);
});

test("called again after its end, when trials have gone on since their first rung, it says the same", async () => {
  // Or else this would show nothing: what a trial answers is not the same at every rung.
  const changing = whole.trials.filter(
    ({ scores: [first, ...later] }) =>
      later.length > 0 && later.every(({ tests }) => JSON.stringify(tests) !== JSON.stringify(first.tests)),
  );
  expect(changing.length).toBeGreaterThan(0);
  expect(await searched(root, "whole")).toEqual(whole);
}, 60_000);

test("ten searches, each killed four times, end as the one that was not", async () => {
  for (let i = 0; i < 10; i++) {
    await killedSearch(root, `killed-${i}`, 4, rngFrom(i).fork("kills"));
    expect(await searched(root, `killed-${i}`)).toEqual(whole);
  }
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planSearch } from "../../src/app/search/plan.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { beliefSearches, commandChange, curricula, type Kind } from "./belief-models.ts";

const root = tmpFolder("belief-recipes");

const kinds: readonly Kind[] = [
  [8, 1],
  [12, 2],
  [16, 4],
  [16, 8],
];
const task = { name: "pfsa", variables: 3, probability: 0.25, spacing: 1 };

/** Shares of the revealed values that the exact filter names, and that naming what a variable was last seen with does. */
function named(kind: Kind) {
  const { name: _, ...params } = task;
  const prepared = prepareTask(taskNamed("pfsa"), { ...params, ...commandChange(kind) });
  const stream = exampleStream(7, "test");
  let [asked, exact, seen] = [0, 0, 0];
  for (let i = 0; i < 400; i++) {
    const { reveals } = exampleFrom(prepared, stream(i));
    const last = new Map<string, string>();
    for (const { posterior = {}, value, variable } of reveals) {
      asked++;
      if (posterior[value] === Math.max(...Object.values(posterior))) exact++;
      if (last.get(variable) === value) seen++;
      last.set(variable, value);
    }
  }
  return { exact: exact / asked, seen: seen / asked };
}

test("a stage of a curriculum can be left by who is near the exact filter, and from the second kind on by nobody who names what was seen last", () => {
  const found = kinds.map(named);
  expect(found.map(({ exact }) => Math.round(100 * exact))).toEqual([92, 88, 85, 82]);
  const enough = Object.values(curricula(kinds)).map(({ threshold: accuracy }) => accuracy);
  expect(new Set(enough).size).toBe(1);
  for (const { exact } of found) expect(exact).toBeGreaterThan(enough[0]);
  for (const { seen } of found.slice(1)) expect(seen).toBeLessThan(enough[0]);
});

test("every curriculum ends at the same mixture of all kinds, and all but one begin with full reveals alone", () => {
  const all = kinds.map(commandChange);
  const every = Object.values(curricula(kinds)).map(({ stages }) => stages);
  for (const stages of every) expect(stages.at(-1)).toEqual(all);
  const first = every.map(([stage]) => stage.every(({ fullEvery }) => fullEvery === 1));
  expect(first).toEqual([false, true, true, true]);
  expect(Object.keys(curricula(kinds.slice(0, 2)))).toHaveLength(4);
});

test("every curriculum is drawn, and each trial is a configuration that can be trained", async () => {
  const searches = beliefSearches(["gru", "transformer"], { task, kinds, beyond: 48, programs: 10 });
  for (const { model, config, space } of searches) {
    expect(space.score).toBe("likelihood"); // what it gives to the true values
    const file = join(root, `${model}.yaml`);
    writeFileSync(file, JSON.stringify({ ...config, model: { name: model } }));
    const request = { file, settings: [], space, trials: 16, method: "halving" as const, seed: 0 };
    const planned = await planSearch({ ...request, folder: join(root, model) });
    const known = curricula(kinds);
    const drawn = planned.map(({ drawn }) => String(drawn.curriculum));
    expect(new Set(drawn)).toEqual(new Set(Object.keys(known)));
    for (const [i, { config }] of planned.entries()) expect(config.curriculum).toEqual(known[drawn[i]]);
  }
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SearchRecord } from "../../src/schemas/search-space.ts";
import { readRecipes } from "../runner/recipes.ts";
import { plainName } from "../runner/run.ts";
import { searched } from "./shared.ts";

const recipes = Object.entries(
  readRecipes(new URL("./revealed-values.recipes.yaml", import.meta.url), searched),
);

/** The LSTM had a second search: the first favoured who starts fast. */
const recordOf = (model: string) => {
  const name = model === "lstm" ? "lstm-second" : `${plainName(model)}-36`;
  const path = new URL(`../../evidence/repl-losses/search/${name}.json`, import.meta.url);
  return SearchRecord.parse(JSON.parse(readFileSync(path, "utf8")));
};

test("every recipe is the best trial that its search took so far, and the record of all trials is kept", () => {
  for (const [model, { found, train }] of recipes) {
    const { trials, programs } = recordOf(model);
    const chosen = trials.find(({ trial }) => trial === found?.trial)!;
    const rung = chosen.scores.findIndex((score) => score.programs === found?.programs);
    const there = trials.flatMap(({ scores }) => scores[rung]?.score ?? []);
    expect(Math.max(...there), model).toBe(chosen.scores[rung].score);
    expect(found?.score).toBeCloseTo(chosen.scores[rung].score, 4);
    expect(found?.searched.programs).toBe(programs);
    expect(found?.drawn).toEqual(chosen.drawn);
    for (const key of ["learningRate", "batch", "schedule", "warmupSteps"] as const)
      expect(train[key]).toBe(chosen.drawn[`train.${key}`]);
  }
});

test("what was drawn for trials of one number is the same for all models but for their shapes", () => {
  const drawn = recipes
    .filter(([model]) => model !== "lstm")
    .map(([model]) =>
      recordOf(model).trials.map(({ drawn }) => [drawn["train.batch"], drawn["train.schedule"]]),
    );
  for (const each of drawn) expect(each).toEqual(drawn[0]);
});

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { resolve } from "../../src/app/run/resolve.ts";
import { drawTrials } from "../../src/app/search/plan.ts";
import { parameterCount, parameterShapes } from "../../src/models/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { SearchRecord, SearchSpace } from "../../src/schemas/search-space.ts";
import { experiments } from "../index.ts";
import { configBy, Recipe, recipeSpace, type Searched, shapes } from "./recipes.ts";
import { plainName } from "./run.ts";

const models = Object.keys(shapes) as Searched[];

test("the shapes of all models have 86,000 parameters, one in ten more or less", async () => {
  for (const model of models) {
    const choices = SearchSpace.parse({ programs: 1, space: recipeSpace(model) }).space.model;
    for (const [name, each] of Object.entries(choices)) {
      const task = { name: "repl", variables: 3, commands: 12 };
      const { model: built } = await resolve(RunConfig.parse({ task, model: each }), name);
      const count = parameterCount(parameterShapes(built));
      expect(count / 86_000, `${model}, ${name}: ${count}`).toBeGreaterThan(0.9);
      expect(count / 86_000, `${model}, ${name}: ${count}`).toBeLessThan(1.1);
    }
  }
});

const root = new URL("../../", import.meta.url);

/** By experiment: the folder of its recipes. Those of revealed-values have a separate test (some were searched for twice). */
const searched = {
  "belief-models": "belief",
  "tomita-automata": "automata",
  "state-repl": "supervision",
  "arithmetic-searched": "tables",
};

const recipesOf = (name: string, folder: string) =>
  Object.entries(
    parse(readFileSync(new URL(`experiments/${folder}/${name}.recipes.yaml`, root), "utf8")) as object,
  ).map(([model, recipe]) => ({ model, recipe: Recipe.parse(recipe) }));

for (const [name, folder] of Object.entries(searched)) {
  const home = new URL(`evidence/${name}/search/`, root);
  const recipes = recipesOf(name, folder);

  test(`${name}: every recipe is the best trial of its search at the last rung, and the record of all trials is kept`, () => {
    const wanted = recipes.map(({ model }) => `${plainName(model)}.json`);
    expect(readdirSync(home)).toEqual(expect.arrayContaining(wanted));
    for (const { model, recipe } of recipes) {
      const text = readFileSync(new URL(`${plainName(model)}.json`, home), "utf8");
      const record = SearchRecord.parse(JSON.parse(text));
      const rungs = Math.max(...record.trials.map(({ scores }) => scores.length));
      const best = record.trials
        .filter(({ scores }) => scores.length === rungs)
        .toSorted((a, b) => b.scores[rungs - 1].score - a.scores[rungs - 1].score);
      const { found, train } = recipe;
      expect(found?.trial, model).toBe(record.chosen);
      const chosen = record.trials.find(({ trial }) => trial === found?.trial)!;
      expect(chosen.scores[rungs - 1].score, model).toBe(best[0].scores[rungs - 1].score);
      expect(found?.drawn).toEqual(chosen.drawn);
      expect(found?.searched.programs).toBe(record.programs);
      for (const [key, value] of Object.entries(chosen.drawn))
        if (key.startsWith("train.")) expect(train[key.slice(6) as keyof typeof train]).toBe(value);
    }
  });

  test(`${name}: all models drew the same rates, batches and schedules, trial by trial`, () => {
    const drawn = recipes.map(({ model }) => {
      const text = readFileSync(new URL(`${plainName(model)}.json`, home), "utf8");
      return SearchRecord.parse(JSON.parse(text)).trials.map(({ drawn }) =>
        Object.entries(drawn).filter(([key]) => key.startsWith("train.")),
      );
    });
    for (const each of drawn) expect(each).toEqual(drawn[0]);
  });
}

test("no record of a search names a place of the machine that made it", () => {
  for (const name of ["repl-losses", ...Object.keys(searched)]) {
    const home = new URL(`evidence/${name}/search/`, root);
    for (const file of readdirSync(home)) {
      const record = SearchRecord.parse(JSON.parse(readFileSync(new URL(file, home), "utf8")));
      for (const { folder } of record.trials) expect(folder, file).toMatch(/^[a-z0-9-]+(\/[a-z0-9-]+)*$/);
    }
  }
});

const searching = Object.values(experiments).filter(({ searches }) => searches !== undefined);

test.each(searching)(
  "$name: all models are searched in one space but for their shapes, on seeds that no run has",
  (each) => {
    const drawn = each.searches!.map(({ config, space }) => {
      const { model: _, ...shared } = space.space;
      const trials = drawTrials(space, 20, 0).map(({ drawn: { model: __, ...others } }) => others);
      return { config, ...space, space: shared, trials };
    });
    for (const own of drawn) expect(own).toEqual(drawn[0]);
    for (const { config } of each.plan({ scale: "laptop" }, [0, 1, 2, 3, 4]).runs)
      expect(config.seed).toBeLessThan(1000);
  },
);

test("a recipe's budget is its own, or as many programs as are said", () => {
  const [{ recipe }] = recipesOf("belief-models", "belief");
  const own = { seed: 3, programs: 10, device: "cpu" as const };
  const task = { name: "pfsa" };
  expect(configBy(recipe, task, own).train.steps).toBe(recipe.train.steps);
  const longer = configBy(recipe, task, own, 32_000);
  expect(longer.train.steps).toBe(Math.ceil(32_000 / recipe.train.batch));
});

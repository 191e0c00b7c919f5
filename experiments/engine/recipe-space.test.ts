import { expect, test } from "vitest";
import { parameterCount, parameterShapes } from "../../src/models/index.ts";
import { RunConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import { inspectConfig } from "../../src/work/run/parts.ts";
import { recipeSpace, type Searched, shapes } from "./recipe-space.ts";

const models = Object.keys(shapes) as Searched[];

test("the shapes of all models have 86,000 parameters, one in ten more or less", async () => {
  for (const model of models) {
    const choices = SearchSpace.parse({ programs: 1, space: recipeSpace(model) }).space.model;
    for (const [name, each] of Object.entries(choices)) {
      const task = { name: "repl", variables: 3, commands: 12 };
      const { model: built } = await inspectConfig(RunConfig.parse({ task, model: each }), name);
      const count = parameterCount(parameterShapes(built));
      expect(count / 86_000, `${model}, ${name}: ${count}`).toBeGreaterThan(0.9);
      expect(count / 86_000, `${model}, ${name}: ${count}`).toBeLessThan(1.1);
    }
  }
});

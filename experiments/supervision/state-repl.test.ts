import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planSearch } from "../../src/app/search/plan.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import { bestRecipe, configBy } from "../runner/index.ts";
import { curricula, stateRepl } from "./state-repl.ts";

const root = tmpFolder("state-repl");

const searches = stateRepl.searches ?? [];

test("without the head a run is trained by the same recipe, and every session shows one value at its end", () => {
  const { runs } = stateRepl.plan({ scale: "laptop" }, [3]);
  const by = (wanted: string) =>
    runs.filter(({ setting }) => setting === wanted).map(({ config, tests }) => ({ config, tests }));
  const [supervised, alone] = [by("with state supervision"), by("answers alone")];
  expect(supervised).toHaveLength(searches.length);
  expect(alone).toEqual(
    supervised.map(({ config: { stateSupervision, ...config }, tests }) => {
      expect(stateSupervision).toBeDefined();
      return { config, tests };
    }),
  );
  for (const { config, tests } of runs) {
    const changes = [...config.curriculum.stages.flat(), ...tests.map(({ change }) => change)];
    for (const { commands, spacing } of changes) expect(spacing).toBe(commands);
    expect(tests.map(({ asTrained }) => asTrained)).toEqual([true, false, false]);
  }
});

test("every curriculum ends with the longest sessions, which decide when a stage ends", () => {
  const all = Object.values(curricula(16));
  for (const stages of all) expect(stages.at(-1)?.at(-1)).toEqual({ commands: 16, spacing: 16 });
  expect(all.map((stages) => stages.length)).toEqual([1, 3, 3]);
});

test("each trial has a head on one of its model's layers", async () => {
  for (const { model, config, space } of searches) {
    const folder = join(root, model);
    const file = join(root, `${model}.yaml`);
    writeFileSync(file, JSON.stringify({ ...config, model: { name: "lstm" } }));
    const request = { file, settings: [], space, trials: 16, method: "halving" as const, seed: 0, folder };
    const planned = await planSearch(request);
    for (const { config } of planned) {
      const layer = config.stateSupervision?.layer ?? Number(config.model.layers) - 1;
      expect(layer).toBeLessThan(Number(config.model.layers));
      expect(config.stateSupervision?.head).toBe("linear");
    }
    expect(new Set(planned.map(({ config }) => config.stateSupervision?.layer))).toEqual(
      new Set([0, undefined]),
    );
  }
});

test("a recipe keeps the head that a search found", () => {
  const config = RunConfig.parse({
    task: { name: "repl" },
    model: { name: "lstm" },
    stateSupervision: { layer: 1 },
  });
  const score = { programs: 10, score: 0.5, tests: {}, stage: 0, seconds: 1 };
  const trial = { trial: 0, folder: "t", drawn: {}, scores: [score] };
  const space = { programs: 10, rungs: 1, keep: 3, score: "accuracy" as const, space: {} };
  const spent = { chosen: 0, programs: 10, seconds: 1 };
  const record = {
    version: 1 as const,
    method: "random" as const,
    seed: 0,
    space,
    trials: [trial],
    ...spent,
  };
  const recipe = bestRecipe(record, config)!;
  const own = { seed: 5, programs: 7, device: "cpu" as const };
  expect(configBy(recipe, config.task, own).stateSupervision).toEqual(config.stateSupervision);
});

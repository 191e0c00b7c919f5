/** @file The search for the models of an experiment, with trials that are made up: what is asked, what is written, what is gone on with. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { RunAnswers, RunJob } from "../../src/app/run/execute.ts";
import { resolve } from "../../src/app/run/resolve.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import { tmpFolder } from "../../test/kit/tmp.ts";
import type { ModelSearch } from "./define.ts";
import { readRecipes } from "./recipes.ts";
import { searchModels } from "./search.ts";

const root = tmpFolder("recipes");

const searchOf = (model: string, name: string): ModelSearch => ({
  model,
  config: {
    task: { name: "repl", variables: 3, commands: 4 },
    evaluate: { examples: 10, settings: [{ spacing: 1 }] },
  },
  space: SearchSpace.parse({
    ...{ programs: 80, rungs: 2, keep: 2 },
    space: {
      "train.learningRate": { from: 0.001, to: 0.1, scale: "log" },
      model: { small: { name, layers: 1, width: 16 }, wide: { name, layers: 1, width: 32 } },
    },
  }),
});
const searches = [searchOf("lstm", "lstm"), searchOf("deltanet[-1,1]", "deltanet")];

/** The higher the rate the better, and better still with more steps. */
const madeUp =
  (asked: RunJob[]) =>
  async (job: RunJob): Promise<RunAnswers> => {
    asked.push(job);
    const { learningRate } = job.config.train;
    const { written } = await resolve(job.config, "");
    mkdirSync(job.folder, { recursive: true });
    writeFileSync(join(job.folder, "config.json"), JSON.stringify(written));
    writeFileSync(join(job.folder, "metrics.jsonl"), "");
    const accuracy = Math.min(1, learningRate * 5 + job.until! / 1000);
    const shares = { accuracy, accuracyLast: accuracy, accuracyByReveal: [accuracy] };
    return {
      results: [{ change: { spacing: 1 }, wanted: 10, programs: 10, reveals: 40, ...shares, references: {} }],
    };
  };

const options = (asked: RunJob[], controller = new AbortController()) => ({
  ...{ experiment: "made-up", folder: root, trials: 4, method: "halving" as const, seed: 0, jobs: 1 },
  ...{ command: "statelab reproduce made-up --search", execute: madeUp(asked), signal: controller.signal },
});

test("each model is searched by the same draws, and the best of each is a recipe that can be read again", async () => {
  const asked: RunJob[] = [];
  const { wrote, recipes, records } = await searchModels(searches, options(asked));
  expect(wrote).toBe(join(root, "made-up-search", "made-up.recipes.yaml"));
  const rates = (model: string) => records[model].trials.map(({ drawn }) => drawn["train.learningRate"]);
  expect(rates("lstm")).toEqual(rates("deltanet[-1,1]"));
  const best = Math.max(...rates("lstm").map(Number));
  for (const model of ["lstm", "deltanet[-1,1]"]) {
    expect(recipes[model].train.learningRate).toBe(best);
    expect(recipes[model].found?.trials).toBe(4);
  }
  expect(readFileSync(wrote, "utf8")).toContain("# Made by: statelab reproduce made-up --search");
  expect(readRecipes(pathToFileURL(wrote), ["lstm", "deltanet[-1,1]"])).toEqual(recipes);
  expect(() => readRecipes(pathToFileURL(wrote), ["lstm", "gru"])).toThrow(/expected gru/);
  // No result has the seed of a trial, unless it is asked for.
  expect(new Set(asked.map(({ config }) => config.seed))).toEqual(new Set([1000]));
  // Each search has a separate folder, which `sweep --search` resumes.
  const own = readFileSync(join(root, "made-up-search", "deltanet-neg1-1", "config.yaml"), "utf8");
  expect(own).toContain("name: deltanet");
});

test("stopped after the first model it keeps that, and called again it ends with the same recipes", async () => {
  const whole = await searchModels(searches, options([]));
  const controller = new AbortController();
  const stopped = await searchModels(searches, {
    ...options([], controller),
    onModel: (model) => {
      if (model !== "lstm") controller.abort();
    },
  });
  expect(Object.keys(stopped.recipes)).toEqual(["lstm"]);
  expect(await searchModels(searches, options([]))).toEqual(whole);
});

/**
 * @file The recipe of each model of an experiment, as a search found it: NAME.recipes.yaml, in the experiment's folder.
 *
 *     # Made by: statelab reproduce headline --search --trials 18
 *     lstm:
 *       found: { trial: 7, trials: 18, method: halving, seed: 0, drawn: { ... }, score: 0.991, searched: { programs: 246000, seconds: 2900 } }
 *       model: { name: lstm, layers: 1, width: 76, feedForward: 152 }
 *       train: { steps: 1250, batch: 16, learningRate: 0.005 }
 *       curriculum: { stages: [[{ spacing: 1, reveal: full }]] }
 *
 * A model is compared by the best recipe of one space, the same for all but for the headline's LSTM; the search has a seed that no result uses.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { z } from "zod";
import { isInTrainingRange } from "../../src/app/run/results.ts";
import { parseWith, parseYaml } from "../../src/core/settings.ts";
import { CurriculumConfig, RunConfig, StateSupervision, TrainConfig } from "../../src/schemas/run-config.ts";
import type { SearchRecord, SearchSpace } from "../../src/schemas/search-space.ts";
import { type ArchitectureName, architectures } from "./architectures.ts";
import type { PlannedRun, PlannedTest } from "./define.ts";

/** How the models of an experiment are built, trained and asked, whatever the task. */
export interface TrainingSetup {
  readonly model: object;
  readonly heads: number;
  readonly train: object;
  readonly stateSupervision?: object | undefined;
  /** Reveals over which the curriculum's running accuracy looks back. */
  readonly averagingWindow?: number;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

export interface TrainedTask {
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** Changes to the task, easiest first: the curriculum goes through them. */
  readonly stages: readonly (readonly Readonly<Record<string, unknown>>[])[];
}

export function recipeConfig(
  setup: TrainingSetup,
  { task, stages }: TrainedTask,
  architecture: ArchitectureName,
  seed: number,
  /** Where `train` does not say it: each model may have its own. */
  learningRate?: number,
): RunConfig {
  const { model, heads, train, averagingWindow, stateSupervision, programs, device } = setup;
  return RunConfig.parse({
    seed,
    task,
    model: { ...architectures[architecture].model(heads), ...model },
    train: { shares: 1, ...train, ...(learningRate !== undefined && { learningRate }) }, // cores have runs of their own
    curriculum: { stages, ...(averagingWindow !== undefined && { averagingWindow }) },
    ...(stateSupervision !== undefined && { stateSupervision }),
    evaluate: { examples: programs },
    device,
  });
}

interface Shape {
  readonly layers: number;
  readonly width: number;
  readonly convolution?: number;
}

const deep: readonly Shape[] = [
  { layers: 1, width: 88 },
  { layers: 2, width: 64 },
  { layers: 3, width: 52 },
];
const recurrent: readonly Shape[] = [
  { layers: 1, width: 76 },
  { layers: 2, width: 54 },
  { layers: 3, width: 44 },
];
const withFewerGates: readonly Shape[] = [
  { layers: 1, width: 80 },
  { layers: 2, width: 57 },
  { layers: 3, width: 46 },
];
/** What DeltaNet always has. */
const maybeConvolved = (shapes: readonly Shape[]) =>
  shapes.flatMap((shape) => [0, 4].map((convolution) => ({ ...shape, convolution })));

/** About 86,000 parameters each (recipe-space.test.ts). */
export const shapes = {
  lstm: maybeConvolved(recurrent),
  gru: withFewerGates, // it has no convolution
  "deltanet[-1,1]": deep,
  "deltanet[0,1]": deep,
  transformer: maybeConvolved(deep),
} as const satisfies Partial<Record<ArchitectureName, readonly Shape[]>>;
export type Searched = keyof typeof shapes;

function modelsOf(architecture: Searched): Record<string, object> {
  const named = (shapes[architecture] as readonly Shape[]).map((shape) => {
    const { layers, width, convolution } = shape;
    const name = `${layers} ${layers === 1 ? "layer" : "layers"} of ${width}${convolution ? " with convolution" : ""}`;
    return [name, { ...architectures[architecture].model(2), ...shape, feedForward: 2 * width }];
  });
  return Object.fromEntries(named);
}

/** Keys of a configuration, with what each is drawn from; a curriculum is the task's own. */
export function recipeSpace(architecture: Searched): SearchSpace["space"] {
  return {
    "train.learningRate": { from: 0.0005, to: 0.01, scale: "log", whole: false },
    "train.batch": [8, 16, 32],
    "train.schedule": ["constant", "cosine"],
    "train.warmupSteps": [20, 100],
    model: modelsOf(architecture),
  };
}

const Found = z.strictObject({
  trial: z.int(),
  trials: z.int(),
  method: z.enum(["random", "halving"]),
  seed: z.int(),
  /** What was drawn, by key of the configuration; of choices with names the name. */
  drawn: z.record(z.string(), z.unknown()),
  /** Mean accuracy over the tests of the search. */
  score: z.number(),
  /** That it was trained on when it had that score. */
  programs: z.int(),
  /** All that the search spent on this model. */
  searched: z.strictObject({ programs: z.int(), seconds: z.number() }),
});

export const Recipe = z.strictObject({
  /** Absent without a search: at smoke scale, for example. */
  found: Found.optional(),
  model: z.looseObject({ name: z.string() }),
  train: TrainConfig,
  curriculum: CurriculumConfig,
  /** Only of a search that draws it. */
  stateSupervision: StateSupervision.optional(),
});
export type Recipe = z.infer<typeof Recipe>;

/** @throws LabError where a model is missing, or a recipe cannot be read. */
export function readRecipes<Model extends string>(
  url: URL,
  models: readonly Model[],
): Readonly<Record<Model, Recipe>> {
  const path = fileURLToPath(url);
  const schema = z.object(Object.fromEntries(models.map((model) => [model, Recipe])));
  return parseWith(schema, parseYaml(readFileSync(path, "utf8"), path), path) as Record<Model, Recipe>;
}

/** What a search chose; undefined where no trial came to its end. */
export function bestRecipe(record: SearchRecord, chosen: RunConfig): Recipe | undefined {
  const best = record.trials.find(({ trial }) => trial === record.chosen);
  const last = best?.scores.at(-1);
  if (best === undefined || last === undefined) return undefined;
  const { model, train, curriculum, stateSupervision } = chosen;
  const { method, seed, programs, seconds, trials } = record;
  return {
    found: {
      ...{ trial: best.trial, trials: trials.length, method, seed, drawn: best.drawn },
      score: Number(last.score.toFixed(4)),
      programs: last.programs,
      searched: { programs, seconds: Math.round(seconds) },
    },
    ...{ model, train, curriculum },
    ...(stateSupervision !== undefined && { stateSupervision }),
  };
}

export function recipesText(command: string, recipes: Readonly<Record<string, Recipe>>): string {
  const head = [
    "The best recipe of one space for each model, on a seed that no result uses.",
    `Made by: ${command}`,
    "Every trial is in evidence/, beside the experiment's log.",
  ];
  return `${head.map((line) => `# ${line}\n`).join("")}${stringify(recipes, { lineWidth: 0 })}`;
}

/** How a run is trained by its recipe, for so many programs or for as many as were searched. */
export function configBy(
  recipe: Recipe,
  task: RunConfig["task"],
  own: { readonly seed: number; readonly programs: number; readonly device: RunConfig["device"] },
  /** Programs to train on. */
  programs?: number,
): RunConfig {
  const { model, train, curriculum, stateSupervision } = recipe;
  const steps = programs === undefined ? train.steps : Math.ceil(programs / train.batch);
  return RunConfig.parse({
    seed: own.seed,
    task,
    model,
    train: { ...train, steps, warmupSteps: Math.min(train.warmupSteps, steps) },
    curriculum,
    ...(stateSupervision !== undefined && { stateSupervision }),
    evaluate: { examples: own.programs },
    device: own.device,
  });
}

/** As trained is what is in the curriculum of this model's recipe. */
export function runBy(
  recipe: Recipe,
  task: RunConfig["task"],
  own: Parameters<typeof configBy>[2],
  tests: readonly Omit<PlannedTest, "asTrained">[],
  /** Programs to train on, where that is not what was searched. */
  programs?: number,
): Pick<PlannedRun, "config" | "tests"> {
  const config = configBy(recipe, task, own, programs);
  return {
    config,
    tests: tests.map((test) => ({ ...test, asTrained: isInTrainingRange(config, test.change) })),
  };
}

/** One recipe for all models, without a search: smoke and paper scale. */
export function unsearchedRecipes<Model extends ArchitectureName>(
  models: readonly Model[],
  { model, heads, train }: Pick<TrainingSetup, "model" | "heads" | "train">,
  curriculum: object,
): Readonly<Record<Model, Recipe>> {
  const recipe = (architecture: Model): Recipe => ({
    model: { ...architectures[architecture].model(heads), ...model },
    train: TrainConfig.parse(train),
    curriculum: CurriculumConfig.parse(curriculum),
  });
  return Object.fromEntries(models.map((model) => [model, recipe(model)])) as Record<Model, Recipe>;
}

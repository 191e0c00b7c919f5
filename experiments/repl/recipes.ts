/**
 * @file Runs on REPL traces by recipe: each model's shape, optimizer and curriculum, whatever the sessions.
 *
 *     found at     12 commands, spacings 1, 2, 4, 12    "full reveals first": [full]  [full, 1]  [1, 2]  [1, 2, 4]  [1, 2, 4, 12, 12, 12]
 *     used at      16 commands, spacings 1, 2, 4, 8     "full reveals first": [full]  [full, 1]  [1, 2]  [1, 2, 4]  [1, 2, 4, 8, 8, 8]
 */

import { fail } from "../../src/records/error.ts";
import { CurriculumConfig, type RunConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import type { ModelSearch, PlannedTest } from "../engine/experiment.ts";
import type { Searched } from "../engine/recipe-space.ts";
import { type Recipe, unsearchedRecipes } from "../engine/recipes.ts";
import type { TrainingSetup } from "../engine/setup.ts";
import { curricula, replSpace } from "./space.ts";

/** Who is compared by recipes on REPL traces. */
export const searched = [
  "deltanet[-1,1]",
  "deltanet[0,1]",
  "lstm",
  "transformer",
] as const satisfies readonly Searched[];

export type Recipes = Readonly<Record<(typeof searched)[number], Recipe>>;

/** The same for all, where nobody searched: smoke and paper scale. */
export const unsearched = (
  spacings: readonly number[],
  { memory, ...setup }: Pick<TrainingSetup, "model" | "heads" | "train" | "memory">,
): Recipes =>
  unsearchedRecipes(searched, setup, {
    stages: curricula(spacings)["full reveals first and kept"],
    ...(memory !== undefined && { memory }),
  });

/** Recipes with the curricula that were found, by name, for other spacings. Errors: LabError of a curriculum that has no such name any more. */
export function atSpacings(recipes: Recipes, spacings: readonly number[]): Recipes {
  const known = curricula(spacings);
  const adapted = Object.entries(recipes).map(([model, recipe]) => {
    const name = String(recipe.found?.drawn["curriculum.stages"]);
    const stages = Object.hasOwn(known, name)
      ? known[name]
      : fail(
          `the recipe of ${model}`,
          `a curriculum of experiments/repl/space.ts (${Object.keys(known).join("; ")})`,
          name,
        );
    return [model, { ...recipe, curriculum: CurriculumConfig.parse({ ...recipe.curriculum, stages }) }];
  });
  return Object.fromEntries(adapted) as Recipes; // the models that are given
}

const FULL = { spacing: 1, reveal: "full" } as const;

/** The densest reveals of every curriculum: all variables, after every command. */
export function fullTest({ name, ...test }: PlannedTest, chance: number): PlannedTest {
  return { ...test, name: `${name} full`, change: { ...test.change, ...FULL }, chance };
}

/**
 * The LSTM learns late, at a time that differs much from seed to seed, and then at once: it ends when 500 held-out sessions are all
 * right. Not so the others: what DeltaNet [-1,1] has learned then still gains from a falling rate (seed 0 at 96/48: 75 % then, 93 % at the end).
 */
export function endingWhenPerfect(recipe: Recipe): Recipe {
  return { ...recipe, train: { ...recipe.train, untilPerfect: { every: 100, programs: 500 } } };
}

interface Searching {
  readonly task: RunConfig["task"];
  readonly spacings: readonly number[];
  /** What a trial's score is the mean of, beside full reveals and every spacing. */
  readonly farther: readonly (readonly [commands: number, spacing: number])[];
  /** Fresh programs per test. */
  readonly programs: number;
}

/** A search for each model: 32,000 programs to the last rung. */
export function replSearches({ task, spacings, farther, programs }: Searching): ModelSearch[] {
  const tests = [
    FULL,
    ...spacings.map((spacing) => ({ spacing })),
    ...farther.map(([commands, spacing]) => ({ commands, spacing })),
  ];
  return searched.map((model) => ({
    model,
    config: { task, train: { finalShare: 0.05, padTo: "rows" }, evaluate: { programs, tests } },
    space: SearchSpace.parse({
      ...{ programs: 32_000, rungs: 3, keep: 3 },
      space: replSpace({ spacings }, model),
    }),
  }));
}

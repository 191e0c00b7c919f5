/** @file What the REPL experiments share: tasks, tests, the space of their recipes, what is expected of them. */

import type { ResultRow } from "../../src/schemas/experiment-result.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import {
  type Criterion,
  type Expectation,
  eachMeets,
  type ModelSearch,
  noneAboveWindow,
  type PlannedTest,
  type Recipe,
  recipeSpace,
  type Searched,
  type TrainingSetup,
  type UnreadResult,
  unsearchedRecipes,
} from "../runner/index.ts";

interface ReplSetup extends TrainingSetup {
  readonly variables: number;
  readonly commandKind?: "swap" | "permutation";
  /** Of one variable (the default), or of all. */
  readonly reveal?: "partial" | "full";
  readonly commands: number;
  /** Commands per reveal, densest first: the curriculum widens them one by one. */
  readonly spacings: readonly number[];
}

/** Sessions of `commands` commands with a reveal every `spacing`: `48/24`. */
export function replTest(
  variables: number,
  commands: number,
  spacing: number,
  asTrained: boolean,
): PlannedTest {
  return {
    name: testName(commands, spacing),
    change: { commands, spacing },
    asTrained,
    chance: 1 / variables,
  };
}

export const testName = (commands: number, spacing: number) => `${commands}/${spacing}`;

/** Commands that the windowed filter sees: twice the widest spacing that is trained. */
export const bayesWindow = ({ spacings }: Pick<ReplSetup, "spacings">) => 2 * Math.max(...spacings);

/** A spacing for the program that the report shows. */
export const middleSpacing = ({ spacings }: Pick<ReplSetup, "spacings">) =>
  spacings[Math.min(2, spacings.length - 1)];

type Stages = readonly (readonly Readonly<Record<string, unknown>>[])[];

export const FULL = { spacing: 1, reveal: "full" } as const;
/** Of the first lesson of some curricula. */
const SHORT = { commands: 3, ...FULL } as const;

/** How the spacings may be taught, by name. The widest is drawn as often as all others twice over in the last stage (`stagesOf`). */
export function curricula(spacings: readonly number[]): Readonly<Record<string, Stages>> {
  const partial = (widest: number) => spacings.slice(0, widest).map((spacing) => ({ spacing }));
  const repeated = spacings.slice(1, -1).map(() => ({ spacing: spacings[spacings.length - 1] }));
  const last = [...partial(spacings.length), ...repeated];
  const widening = [...spacings.slice(2).map((_, i) => partial(i + 2)), last];
  const kept = widening.map((stage) => [FULL, ...stage]);
  const first = [[FULL], [FULL, ...partial(1)]];
  const shortFirst = [[SHORT], [SHORT, FULL], [FULL, ...partial(1)]];
  return {
    "full reveals first": [...first, ...widening],
    "full reveals first and kept": [...first, ...kept],
    "full reveals of short sessions first": [...shortFirst, ...widening],
    "full reveals of short sessions first, and kept": [...shortFirst, ...kept],
  };
}

export function replSpace(
  { spacings }: Pick<ReplSetup, "spacings">,
  architecture: Searched,
): SearchSpace["space"] {
  return { ...recipeSpace(architecture), "curriculum.stages": curricula(spacings) };
}

/** Who is compared by recipes on REPL traces. */
export const searched = [
  "deltanet[-1,1]",
  "deltanet[0,1]",
  "lstm",
  "transformer",
] as const satisfies readonly Searched[];

export type Recipes = Readonly<Record<(typeof searched)[number], Recipe>>;

/** One recipe for all models, without a search: smoke and paper scale. */
export const unsearched = (
  spacings: readonly number[],
  { averagingWindow, ...setup }: Pick<TrainingSetup, "model" | "heads" | "train" | "averagingWindow">,
): Recipes =>
  unsearchedRecipes(searched, setup, {
    stages: curricula(spacings)["full reveals first and kept"],
    ...(averagingWindow !== undefined && { averagingWindow }),
  });

/** The densest reveals of every curriculum: all variables, after every command. */
export function fullTest({ name, ...test }: PlannedTest, chance: number): PlannedTest {
  return { ...test, name: `${name} full`, change: { ...test.change, ...FULL }, chance };
}

/**
 * The LSTM learns late, at a time that differs much from seed to seed, and then at once: it ends when 500 held-out sessions are all
 * right. Not so the others: what DeltaNet [-1,1] has learned then still gains from a falling rate (seed 0 at 96/48: 75 % then, 93 % at the end).
 */
export function endingWhenPerfect(recipe: Recipe): Recipe {
  return { ...recipe, train: { ...recipe.train, stopWhenSolved: { every: 100, examples: 500 } } };
}

interface Searching {
  readonly task: RunConfig["task"];
  readonly spacings: readonly number[];
  /** Tests of a trial's score in addition to full reveals and every spacing. */
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
    config: {
      task,
      train: { loss: "next-token", minLearningRateRatio: 0.05, padding: "bucket" },
      evaluate: { examples: programs, settings: tests },
    },
    space: SearchSpace.parse({
      ...{ programs: 32_000, rungs: 3, keep: 3 },
      space: replSpace({ spacings }, model),
    }),
  }));
}

export const TRACKER = "deltanet[-1,1]";

/** Nonlinear: theory lets them track, so nothing that they do is unexpected. */
const MAY_TRACK: readonly string[] = ["lstm"];

/** The tracker meets the criterion where it has learned its training; models that cannot track stay near the windowed filter. */
export function trackingChecks(
  result: UnreadResult,
  rows: readonly ResultRow[],
  criterion: Criterion,
  slack: number,
): Expectation[] {
  const own = rows.filter(({ model }) => model === TRACKER);
  const others = rows.filter(({ model }) => model !== TRACKER && !MAY_TRACK.includes(model));
  return [...eachMeets(result, own, criterion), ...noneAboveWindow(result, others, slack)];
}

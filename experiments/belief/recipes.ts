/**
 * @file How models are taught programs with hidden outcomes, and the search for each one's recipe.
 *
 *     kinds      8/1  12/2  16/4  16/8     lines, and every so many reveals one is full
 *     curricula  all at once               [8/1, 12/2, 16/4, 16/8]
 *                full reveals first        [8/1]  [all]
 *                ever rarer full reveals   [8/1]  [8/1, 12/2]  [8/1, 12/2, 16/4]  [all]
 *                of short programs first   [3/1]  [3/1, 8/1]  [8/1, 12/2]  [8/1, 12/2, 16/4]  [all]
 *
 * They all end at the same mixture. Under uncertainty no accuracy says that something is learned, but one can say that it has begun
 * to be: the exact filter names 92, 88, 85 and 82 % of the values of the four kinds. A stage ends at `ENOUGH`.
 */

import { CurriculumConfig, type RunConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import type { ModelSearch } from "../engine/experiment.ts";
import { recipeSpace, type Searched } from "../engine/recipe-space.ts";

/** Lines of a program, and every so many reveals one is full. */
export type Kind = readonly [commands: number, fullEvery: number];

export const changeOf = ([commands, fullEvery]: Kind) => ({ commands, fullEvery });

/** More than naming what was seen last gets of the second kind, less than the exact filter of the third. */
const ENOUGH = { accuracy: 0.8, memory: 1000 } as const;

/** Lines of the first lesson of one curriculum. */
const SHORT = 3;

/** By name; `kinds` from frequent full reveals to rare ones. */
export function curricula(kinds: readonly Kind[]): Readonly<Record<string, CurriculumConfig>> {
  const all = kinds.map(changeOf);
  const [densest] = all;
  const short = { ...densest, commands: SHORT };
  const rarer = kinds.slice(2).map((_, i) => all.slice(0, i + 2));
  const stages = {
    "all at once": [all],
    "full reveals first": [[densest], all],
    "ever rarer full reveals": [[densest], ...rarer, all],
    "full reveals of short programs first": [[short], [short, densest], ...rarer, all],
  };
  return Object.fromEntries(
    Object.entries(stages).map(([name, each]) => [name, CurriculumConfig.parse({ stages: each, ...ENOUGH })]),
  );
}

interface Searching {
  readonly task: RunConfig["task"];
  readonly kinds: readonly Kind[];
  /** Lines of a program without any full reveal. */
  readonly beyond: number;
  /** Fresh programs per test. */
  readonly programs: number;
}

/** A search for each model: by what it gives to the true values beside the exact filter, as trained and beyond. */
export function beliefSearches(
  models: readonly Searched[],
  { task, kinds, beyond, programs }: Searching,
): ModelSearch[] {
  const tests = [...kinds, [beyond, 0] as const].map(changeOf);
  return models.map((model) => ({
    model,
    config: { task, train: { finalShare: 0.05, padTo: "rows" }, evaluate: { programs, tests } },
    space: SearchSpace.parse({
      ...{ programs: 16_000, rungs: 2, keep: 3, score: "likelihood" },
      space: { ...recipeSpace(model), curriculum: curricula(kinds) },
    }),
  }));
}

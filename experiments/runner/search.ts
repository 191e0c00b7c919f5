/**
 * @file The search for the recipes of an experiment's models: the same space, trials and seed for each, one model after the other.
 *
 *     OUT/headline-search/
 *       lstm/                  a search's folder, with config.yaml and space.yaml: `statelab sweep config.yaml --search space.yaml`
 *       headline.recipes.yaml  the best of each; copied to the experiment's folder, the experiment trains by it
 *
 * A second call resumes.
 */

import { join } from "node:path";
import { stringify } from "yaml";
import { planSearch } from "../../src/app/search/plan.ts";
import { runSearch, type SearchOptions } from "../../src/app/search/search.ts";
import type { SearchRecord } from "../../src/schemas/search-space.ts";
import { makeFolder, searchFiles, writeFileAtomic } from "../../src/storage/index.ts";
import type { ModelSearch } from "./define.ts";
import { bestRecipe, type Recipe, recipesText } from "./recipes.ts";
import { plainName } from "./run.ts";

interface SearchModelsOptions extends Omit<SearchOptions, "command"> {
  readonly experiment: string;
  readonly folder: string;
  readonly trials: number;
  readonly method: "random" | "halving";
  readonly seed: number;
  readonly command: string;
  readonly onModel?: (model: string) => void;
}

/** @returns what is known so far where it was stopped. */
export async function searchModels(
  searches: readonly ModelSearch[],
  { experiment, folder, trials, method, seed, command, onModel, ...options }: SearchModelsOptions,
) {
  const home = join(folder, `${experiment}-search`);
  const recipes: Record<string, Recipe> = {};
  const records: Record<string, SearchRecord> = {};
  const wrote = join(home, `${experiment}.recipes.yaml`);
  for (const { model, config, space } of searches) {
    onModel?.(model);
    const own = join(home, plainName(model));
    await makeFolder(own);
    const file = join(own, searchFiles.config);
    // The first choice of the space, so that the file is a complete configuration.
    const [first] = Object.values(space.space.model ?? {});
    await writeFileAtomic(file, stringify({ ...config, model: first }, { lineWidth: 0 }));
    await writeFileAtomic(join(own, searchFiles.space), stringify(space, { lineWidth: 0 }));
    const request = { file, settings: [], space, trials, method, seed, folder: own };
    const planned = await planSearch(request);
    const record = await runSearch(request, planned, { ...options, command });
    records[model] = record;
    if (options.signal.aborted) break;
    const recipe = record.chosen === null ? undefined : bestRecipe(record, planned[record.chosen].config);
    if (recipe !== undefined) recipes[model] = recipe;
    await writeFileAtomic(wrote, recipesText(command, recipes));
  }
  // `wrote`: where the recipes were written.
  return { wrote, recipes, records };
}

/**
 * @file The search for each model's recipe on sessions of which one value is shown, at their end: that of any task
 * (engine/recipe-space.ts), where the head of the state supervision stands, and the curricula.
 *
 *     head         after the first layer, after the last one
 *     curricula    at once                         [8]
 *                  short sessions first            [2]  [2, 4]  [4, 8]       commands, all before the reveal
 *                  ... and kept                    [2]  [2, 4]  [2, 4, 8]
 *
 * All have the head, which is what the experiment asks about; the same recipes without it are the comparison, and have no search of their own.
 */

import type { RunConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import type { ModelSearch } from "../engine/experiment.ts";
import { recipeSpace, type Searched } from "../engine/recipe-space.ts";

/** So many commands, then the reveal. */
const session = (commands: number) => ({ commands, spacing: commands });

/** By name, from a quarter of the longest session on. */
export function curricula(longest: number) {
  const [short, half, whole] = [longest / 4, longest / 2, longest].map(session);
  return {
    "at once": [[whole]],
    "short sessions first": [[short], [short, half], [half, whole]],
    "short sessions first and kept": [[short], [short, half], [short, half, whole]],
  };
}

/** One class for each value of each variable. */
export const HEAD = { head: "linear" } as const;
const supervisions = {
  "after the first layer": { ...HEAD, layer: 0 },
  "after the last layer": HEAD,
};

interface Searching {
  readonly task: RunConfig["task"];
  /** Commands of the tests, all before the one reveal; the first is the trained number. */
  readonly tested: readonly number[];
  /** Fresh programs per test. */
  readonly programs: number;
}

/** A search for each model: 32,000 programs to the last rung. */
export function stateReplSearches(
  models: readonly Searched[],
  { task, tested, programs }: Searching,
): ModelSearch[] {
  return models.map((model) => ({
    model,
    config: {
      task,
      train: { finalShare: 0.05 }, // a head needs whole batches
      evaluate: { programs, tests: tested.map(session) },
    },
    space: SearchSpace.parse({
      ...{ programs: 32_000, rungs: 2, keep: 3 },
      space: {
        ...recipeSpace(model),
        "curriculum.stages": curricula(tested[0]),
        stateSupervision: supervisions,
      },
    }),
  }));
}

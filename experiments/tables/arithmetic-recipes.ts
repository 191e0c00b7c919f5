/**
 * @file The search for a model's recipe on modular arithmetic: shape, rate, batch and curriculum, from one space for all.
 *
 *     shapes       three layers of 64 with four heads or with two, two layers of 80
 *     curricula    at once   [15]      3, 5, 9, 15   [3] [5] [9] [15]      3, 5, 7, ..., 15     the longest expression of each stage
 *
 * All have the head on the value so far, as the experiment has. A trial is scored by the trained lengths and by the longer ones.
 */

import type { RunConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import { type ArchitectureName, architectures } from "../engine/architectures.ts";
import type { ModelSearch } from "../engine/experiment.ts";
import { lengths } from "./half.ts";

const shapes = {
  "3 layers of 64": [3, 64, 4],
  "3 layers of 64 with two heads": [3, 64, 2],
  "2 layers of 80": [2, 80, 4],
} as const;

interface Searching {
  readonly task: RunConfig["task"];
  readonly tested: RunConfig["evaluate"]["tests"];
  readonly stateSupervision: object;
  readonly memory: number;
}

/** A search for each model: 512,000 expressions to the last rung. */
export function arithmeticSearches(
  models: readonly ArchitectureName[],
  { task, tested, stateSupervision, memory }: Searching,
): ModelSearch[] {
  return models.map((model) => ({
    model,
    config: {
      task,
      train: { padTo: "stage", schedule: "cosine", warmupSteps: 50, finalShare: 0.05 },
      stateSupervision,
      curriculum: { stages: lengths(15), memory },
      evaluate: { programs: 1000, tests: tested },
    },
    space: SearchSpace.parse({
      ...{ programs: 512_000, rungs: 2, keep: 3 },
      space: {
        "train.learningRate": { from: 0.001, to: 0.01, scale: "log" },
        "train.batch": [32, 64, 128],
        model: Object.fromEntries(
          Object.entries(shapes).map(([name, [layers, width, heads]]) => [
            name,
            { ...architectures[model].model(heads), layers, width, feedForward: 2 * width },
          ]),
        ),
        "curriculum.stages": {
          "3, 5, 9, 15": lengths(3, 5, 9, 15),
          "3, 5, 7, ..., 15": lengths(3, 5, 7, 9, 11, 13, 15),
          "at once": lengths(15),
        },
      },
    }),
  }));
}

/** @file Configurations of the zoo's runs and their tests. Separate from data.ts: the page shows the tasks without loading the zod schemas. */

import { RunConfig } from "../../src/schemas/run-config.ts";
import type { PlannedTest } from "../runner/index.ts";
import {
  type Change,
  EASIEST,
  LONGER,
  TRAINED,
  type ZooColumn,
  type ZooRow,
  type ZooSettings,
} from "./data.ts";

/** The hardest programs of each stage: what is other than in the column's task. */
export const zooStages = (setup: ZooSettings, { programs }: ZooColumn): readonly Change[] =>
  programs?.stages ?? Array.from({ length: setup.words.longest }, (_, i) => ({ length: i + 1 }));

/** Of a graded column every answer. How long the words are that are asked follows from the training (zoo.ts asks them). */
export function zooTests({ programs }: ZooColumn): PlannedTest[] {
  if (programs === undefined) return [];
  return ([EASIEST, TRAINED, LONGER] as const).map((name) => {
    const { change, chance } = programs.tests[name];
    return { name, change, asTrained: name !== LONGER, chance };
  });
}

/** The architecture as this task takes it. */
function modelOf({ model }: ZooSettings, row: ZooRow, { layers, convolution = 0 }: ZooColumn) {
  const has = row.convolves ?? Object.hasOwn(row.model, "convolution");
  const taps = convolution > 0 && has && { convolution };
  return { ...row.model, ...model, layers: layers ?? model.layers, ...taps };
}

export function zooConfig(
  setup: ZooSettings,
  row: ZooRow,
  column: ZooColumn,
  { seed, rate }: { readonly seed: number; readonly rate: number },
): RunConfig {
  const { train, steps, words } = setup;
  const ownSteps = Math.ceil(steps * column.steps);
  const stages = zooStages(setup, column);
  const isGraded = column.programs !== undefined;
  return RunConfig.parse({
    seed,
    task: { ...column.task, ...stages.at(-1) },
    model: modelOf(setup, row, column),
    train: { shares: 1, ...train, steps: ownSteps, learningRate: rate }, // cores have runs of their own
    curriculum: isGraded
      ? {
          stages: stages.map((stage, i) => (i === 0 ? [stage] : [stages[i - 1], stage])),
          averagingWindow: setup.averagingWindow,
          maxStepsPerStage: Math.ceil(ownSteps / stages.length),
        }
      : {
          stages: stages.map((stage) => [stage]),
          threshold: words.threshold,
          averagingWindow: words.averagingWindow,
        },
    evaluate: { examples: isGraded ? setup.programs : words.programs },
    checkpointEvery: ownSteps, // a run is short: it is done again rather than written often
  });
}

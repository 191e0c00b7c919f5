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
export const zooStages = (setup: ZooSettings, { programs, lengths }: ZooColumn): readonly Change[] =>
  programs?.stages ?? (lengths ?? setup.lengths).map((length) => ({ length }));

/**
 * Of words the last answer at the longest trained length, and at four times that, or at that alone where all words of the trained length are in
 * training (zoo.ts asks these); of a graded column every answer.
 */
export function zooTests(setup: ZooSettings, { chance, programs, lengths }: ZooColumn): PlannedTest[] {
  if (programs !== undefined)
    return ([EASIEST, TRAINED, LONGER] as const).map((name) => {
      const { change, chance } = programs.tests[name];
      return { name, change, asTrained: name !== LONGER, chance };
    });
  const [trained, longer] = lastAnswers(lengths ?? setup.lengths);
  return [
    ...(lengths === undefined ? [{ name: TRAINED, change: trained, asTrained: true, chance }] : []),
    { name: LONGER, change: longer, asTrained: false, chance },
  ];
}

/** At the longest of the lengths, and at four times that. */
export const lastAnswers = (lengths: readonly number[]): readonly [trained: Change, longer: Change] => {
  const most = Math.max(...lengths);
  return [
    { length: most, targets: "last" },
    { length: 4 * most, targets: "last" },
  ];
};

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
  const { train, steps, averagingWindow, programs } = setup;
  const ownSteps = Math.ceil(steps * column.steps);
  const stages = zooStages(setup, column);
  return RunConfig.parse({
    seed,
    task: { ...column.task, ...stages.at(-1) },
    model: modelOf(setup, row, column),
    train: { shares: 1, ...train, steps: ownSteps, learningRate: rate }, // cores have runs of their own
    curriculum: {
      stages: stages.map((stage, i) => (i === 0 ? [stage] : [stages[i - 1], stage])),
      averagingWindow,
      maxStepsPerStage: Math.ceil(ownSteps / stages.length),
    },
    evaluate: { examples: programs },
    checkpointEvery: ownSteps, // a run is short: it is done again rather than written often
  });
}

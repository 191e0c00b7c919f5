/** @file What the zoo sets at each scale, and the configuration of one run. */

import { RunConfig } from "../../src/records/run.ts";
import type { PlannedTest, Scale } from "../engine/experiment.ts";
import type { Change, ZooColumn } from "./columns.ts";
import type { ZooRow } from "./rows.ts";

/** The tests of a run, by their names; the first of graded columns alone. */
export const [EASIEST, TRAINED, LONGER] = ["easiest", "trained", "longer"] as const;

export interface ZooSettings {
  readonly model: { readonly layers: number; readonly width: number };
  readonly train: object;
  /** Times the steps of a column. */
  readonly steps: number;
  /** The curriculum: one stage for each, the one before mixed in. */
  readonly lengths: readonly number[];
  readonly memory: number;
  readonly rates: readonly number[];
  readonly gridSeeds: readonly number[];
  /** Asked at each of the two lengths. */
  readonly programs: number;
  /** What is run where nothing else is said; all where it is not there. */
  readonly only?: { readonly rows: readonly string[]; readonly columns: readonly string[] };
}

const laptop: ZooSettings = {
  model: { layers: 1, width: 32 },
  train: { batch: 16, warmupSteps: 20, schedule: "wsd", decaySteps: 200, finalShare: 0.05 },
  steps: 1,
  lengths: [3, 6, 12, 16],
  memory: 100,
  rates: [2e-3, 5e-3, 1e-2],
  gridSeeds: [1000, 1001],
  programs: 300,
};

export const settings: Readonly<Record<Scale, ZooSettings>> = {
  smoke: {
    ...laptop,
    model: { layers: 1, width: 16 },
    train: { batch: 8, warmupSteps: 2 },
    steps: 0.01,
    lengths: [2, 4],
    rates: [2e-3, 1e-2],
    gridSeeds: [1000],
    programs: 30,
    only: { rows: ["deltanet", "gru"], columns: ["parity", "tomita5", "mqar", "pfsa"] },
  },
  laptop,
  /** Four times the steps: whether what is not learned is learned later. */
  paper: { ...laptop, steps: 4, programs: 1000 },
};

/** The hardest programs of each stage: what is other than in the column's task. */
export const stagesOf = (setup: ZooSettings, { programs, lengths }: ZooColumn): readonly Change[] =>
  programs?.stages ?? (lengths ?? setup.lengths).map((length) => ({ length }));

/**
 * Of words the last answer at the longest trained length, and at four times that, or at that alone where all words of the trained length are in
 * training (zoo.ts asks these); of a graded column every answer.
 */
export function testsOf(setup: ZooSettings, { chance, programs, lengths }: ZooColumn): PlannedTest[] {
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

export function configOf(
  setup: ZooSettings,
  row: ZooRow,
  column: ZooColumn,
  { seed, rate }: { readonly seed: number; readonly rate: number },
): RunConfig {
  const { train, steps, memory, programs } = setup;
  const ownSteps = Math.ceil(steps * column.steps);
  const stages = stagesOf(setup, column);
  return RunConfig.parse({
    seed,
    task: { ...column.task, ...stages.at(-1) },
    model: modelOf(setup, row, column),
    train: { ...train, steps: ownSteps, learningRate: rate },
    curriculum: {
      stages: stages.map((stage, i) => (i === 0 ? [stage] : [stages[i - 1], stage])),
      memory,
      maximumSteps: Math.ceil(ownSteps / stages.length),
    },
    evaluate: { programs },
    checkpointEvery: ownSteps, // a run is short: it is done again rather than written often
  });
}

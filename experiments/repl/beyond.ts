/**
 * @file Models trained on short sessions, to be asked about longer and sparser ones: the runs of `repl-positions` and of
 * `repl-extrapolation`, which ask the same models other questions.
 */

import { described } from "../engine/architectures.ts";
import { crossed } from "../engine/define.ts";
import type { Plan, PlannedTest, Scale } from "../engine/experiment.ts";
import { HELD_THEN_FALLING, LAPTOP, PAPER, SMOKE } from "../engine/sizes.ts";
import { middleSpacing, type ReplSetup, replRun, windowOf } from "./setup.ts";

export interface BeyondSettings extends Omit<ReplSetup, "variables"> {
  /** S_n for each: one setting each. */
  readonly groups: readonly number[];
  readonly testedCommands: readonly number[];
  readonly testedSpacings: readonly number[];
  /** Commands of the sessions whose reveals are told apart by their place. */
  readonly followedCommands: number;
}

export const settings: Record<Scale, BeyondSettings> = {
  smoke: {
    ...SMOKE,
    groups: [3],
    commands: 4,
    spacings: [1, 2],
    testedCommands: [4, 8],
    testedSpacings: [2, 4],
    followedCommands: 8,
  },
  laptop: {
    ...LAPTOP,
    groups: [3, 5],
    commands: 16,
    spacings: [1, 2, 4, 8],
    testedCommands: [16, 32, 64, 128],
    testedSpacings: [4, 8, 16, 32],
    followedCommands: 128,
    programs: 300,
    train: { ...HELD_THEN_FALLING, steps: 1200, batch: 16, warmupSteps: 20 },
  },
  paper: {
    ...PAPER,
    groups: [3, 4, 5],
    commands: 64,
    spacings: [1, 2, 4, 8],
    testedCommands: [16, 32, 64, 128, 256],
    testedSpacings: [4, 8, 16, 32],
    followedCommands: 128,
  },
};

const learningRates = { "deltanet[-1,1]": 1e-3, "deltanet[0,1]": 5e-4, transformer: 1e-3 } as const;
export const compared = Object.keys(learningRates) as (keyof typeof learningRates)[];
export const models = described(compared);

export function beyondPlan(
  { groups, ...setup }: BeyondSettings,
  seeds: readonly number[],
  testsOf: (variables: number) => readonly PlannedTest[],
): Plan {
  return {
    runs: crossed(seeds, groups, compared).map(([seed, variables, model]) => ({
      setting: `S_${variables}`,
      model,
      config: replRun({ ...setup, variables }, model, seed, learningRates[model]),
      tests: testsOf(variables),
    })),
    window: windowOf(setup),
    sample: { spacing: middleSpacing(setup) },
  };
}

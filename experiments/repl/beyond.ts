/**
 * @file Models trained on short sessions, to be asked about longer and sparser ones: the runs of `repl-positions` and of
 * `repl-extrapolation`, which ask the same models other questions. Each model by its own best recipe of one space (space.ts).
 *
 *     S_3   the headline's recipes, with this experiment's spacings
 *     S_5   repl-positions.recipes.yaml, found by `statelab reproduce repl-positions --search`
 */

import { chanceInARow } from "../../src/math/statistics.ts";
import { listed } from "../../src/report/index.ts";
import { described } from "../engine/architectures.ts";
import { learned } from "../engine/criteria.ts";
import { crossed } from "../engine/define.ts";
import type { Plan, PlannedTest, Scale, UnreadResult } from "../engine/experiment.ts";
import { readRecipes, runBy } from "../engine/recipes.ts";
import { PAPER, SMOKE } from "../engine/sizes.ts";
import { rowsOf } from "../engine/views.ts";
import { hadNotLearned, labelOf, modelsThat, notLearned } from "../engine/words.ts";
import { atSpacings, endingWhenPerfect, fullTest, type Recipes, searched, unsearched } from "./recipes.ts";
import { middleSpacing, replTest, testName, windowOf } from "./setup.ts";

export const compared = searched;
export const models = described(compared);

/** Sessions of S_n, and how each model is taught to follow them. */
export interface Group {
  readonly variables: number;
  readonly recipes: Recipes;
  /** Programs that each is trained on, where that is not what was searched. */
  readonly trainedOn?: Readonly<Record<(typeof compared)[number], number>>;
}

export interface BeyondSettings {
  readonly groups: readonly Group[];
  readonly commands: number;
  /** Commands per reveal, densest first: the curriculum widens them one by one. */
  readonly spacings: readonly number[];
  readonly testedCommands: readonly number[];
  readonly testedSpacings: readonly number[];
  /** Commands of the sessions whose reveals are told apart by their place. */
  readonly followedCommands: number;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const spacings = { smoke: [1, 2], laptop: [1, 2, 4, 8], paper: [1, 2, 4, 8] } as const;
const ofThree = atSpacings(
  readRecipes(new URL("../headline/headline.recipes.yaml", import.meta.url), compared),
  spacings.laptop,
);
const ofFive = readRecipes(new URL("./repl-positions.recipes.yaml", import.meta.url), compared);

export const settings: Record<Scale, BeyondSettings> = {
  smoke: {
    groups: [{ variables: 3, recipes: unsearched(spacings.smoke, SMOKE) }],
    commands: 4,
    spacings: spacings.smoke,
    testedCommands: [4, 8],
    testedSpacings: [2, 4],
    followedCommands: 8,
    programs: SMOKE.programs,
    device: SMOKE.device,
  },
  laptop: {
    groups: [
      {
        variables: 3,
        recipes: { ...ofThree, lstm: endingWhenPerfect(ofThree.lstm) },
        trainedOn: { "deltanet[-1,1]": 16_000, "deltanet[0,1]": 20_000, lstm: 64_000, transformer: 16_000 },
      },
      { variables: 5, recipes: ofFive },
    ],
    commands: 16,
    spacings: spacings.laptop,
    testedCommands: [16, 32, 64, 128],
    testedSpacings: [4, 8, 16, 32],
    followedCommands: 128,
    programs: 300,
    device: "cpu",
  },
  paper: {
    groups: [3, 4, 5].map((variables) => ({ variables, recipes: unsearched(spacings.paper, PAPER) })),
    commands: 64,
    spacings: spacings.paper,
    testedCommands: [16, 32, 64, 128, 256],
    testedSpacings: [4, 8, 16, 32],
    followedCommands: 128,
    programs: PAPER.programs,
    device: PAPER.device,
  },
};

/** The densest reveals that a model was trained on stand first in its tests. */
export function beyondPlan(
  setup: BeyondSettings,
  seeds: readonly number[],
  testsOf: (variables: number) => readonly PlannedTest[],
): Plan {
  const { groups, commands, spacings: trained } = setup;
  return {
    runs: crossed(seeds, groups, compared).map(([seed, { variables, recipes, trainedOn }, model]) => {
      const task = {
        name: "repl",
        ...{ variables, commandKind: "swap", commands, spacing: Math.max(...trained) },
      };
      const densest = fullTest(replTest(variables, commands, 1, true), chanceInARow(variables));
      const tests = [densest, ...testsOf(variables)];
      return {
        setting: `S_${variables}`,
        model,
        ...runBy(recipes[model], task, { ...setup, seed }, tests, trainedOn?.[model]),
      };
    }),
    window: windowOf(setup),
    sample: { spacing: middleSpacing(setup) },
  };
}

type Trained = Pick<BeyondSettings, "commands" | "spacings">;

export const widestOf = ({ spacings: trained }: Trained) => `a reveal every ${Math.max(...trained)}`;

/**
 * Models that learned the densest reveals of their training, and not the widest in the mean over seeds: beyond these they are compared with
 * others only in so far as that is said.
 */
export function unlearnedWidest(result: UnreadResult, setup: Trained, setting: string) {
  const test = testName(setup.commands, Math.max(...setup.spacings));
  const none = notLearned(result, compared, setting); // whose training `whoOf` tells of
  const all = modelsThat(result, compared, learned, { setting, test }, { on: "mean" });
  return compared.filter(
    (model) => ![...none, ...all].includes(model) && rowsOf(result, { setting, model, test }).length > 0,
  );
}

/** `LSTM (S_3)`: a model with the settings of which it holds; undefined where there are none. */
export function inSettings<Model extends string>(
  result: Pick<UnreadResult, "models">,
  model: Model,
  settings: readonly string[],
  holds: (setting: string) => boolean,
): string | undefined {
  const on = settings.filter(holds);
  return on.length === 0 ? undefined : `${labelOf(result, model)} (${listed(on)})`;
}

/** `; LSTM (S_5) had not learned a reveal every 8 in this budget`, or nothing. */
export function toldUnlearnedWidest(
  result: UnreadResult,
  setup: Trained,
  settings: readonly string[],
): string {
  const left = compared.flatMap(
    (model) =>
      inSettings(result, model, settings, (setting) =>
        unlearnedWidest(result, setup, setting).includes(model),
      ) ?? [],
  );
  return left.length === 0 ? "" : `; ${hadNotLearned(left, widestOf(setup))}`;
}

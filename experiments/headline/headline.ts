/**
 * @file Who can follow the state of a Python session? Four models, each by its own best recipe of one space, on the same programs.
 *
 *     trained   12 commands on 3 variables; all are printed after every command, then one, then more and more rarely: 1, 2, 4, 12
 *     tested    the same, then 48 commands with a reveal every 8 and every 24, then 96 with one every 48
 *     recipes   headline.recipes.yaml, found by `statelab reproduce headline --search` (space.ts) on a seed that no result uses
 *
 * Expected: a recurrence whose transition can swap two slots holds any order of three things for as long as it likes: DeltaNet with
 * eigenvalues in [-1, 1] and, since it is nonlinear, the LSTM. DeltaNet in [0, 1] and the Transformer learn what they are shown
 * often, and fall to what can be known without tracking (the windowed Bayes filter) beyond it. Who has not learned the densest
 * reveals of its training has shown nothing.
 *
 * At "paper" scale the tasks are A's (64 commands, spacing 8; tested to 128 commands, spacing 16); A's sizes are not known to us, so
 * model and optimizer are O's, and nothing was searched.
 *
 * Source: A, arXiv:2602.14814 (teaser and Fig. 4); O, arXiv:2604.03444, appendix C.
 */

import { chanceInARow } from "../../src/math/statistics.ts";
import { CurriculumConfig, type RunConfig, TrainConfig } from "../../src/records/run.ts";
import { SearchSpace } from "../../src/records/search.ts";
import { headlineReportOf } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import { SLIGHT, tracks } from "../engine/criteria.ts";
import { type ClaimOf, crossed, defineExperiment } from "../engine/define.ts";
import type { ModelSearch, Plan, PlannedTest, Scale } from "../engine/experiment.ts";
import { configBy, type Recipe, readRecipes } from "../engine/recipes.ts";
import { PAPER, SMOKE } from "../engine/sizes.ts";
import { A } from "../engine/sources.ts";
import { isTaught } from "../engine/trained-on.ts";
import { rowsOf, scaledAtEnd } from "../engine/views.ts";
import { notAsExpected, spacingsEndedEarly } from "../repl/expected.ts";
import { middleSpacing, replTest, testName, windowOf } from "../repl/setup.ts";
import { curricula, replSpace } from "../repl/space.ts";

const compared = ["deltanet[-1,1]", "deltanet[0,1]", "lstm", "transformer"] as const;
export type HeadlineModel = (typeof compared)[number];

type Recipes = Readonly<Record<HeadlineModel, Recipe>>;

export interface HeadlineSettings {
  readonly variables: number;
  readonly commands: number;
  /** Commands per reveal, densest first: the curriculum widens them one by one. */
  readonly spacings: readonly number[];
  readonly tests: readonly (readonly [commands: number, spacing: number])[];
  readonly recipes: Recipes;
  /** Programs that each is trained on, where that is not what was searched. */
  readonly trainedOn?: Readonly<Record<HeadlineModel, number>>;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

/** The same for all, where nobody searched. */
function unsearched(
  spacings: readonly number[],
  {
    model,
    heads,
    train,
    memory,
  }: {
    readonly model: object;
    readonly heads: number;
    readonly train: object;
    readonly memory: number;
  },
): Recipes {
  const recipe = (architecture: HeadlineModel) => ({
    model: { ...architectures[architecture].model(heads), ...model },
    train: TrainConfig.parse(train),
    curriculum: CurriculumConfig.parse({
      stages: curricula(spacings)["full reveals first and kept"],
      memory,
    }),
  });
  return {
    "deltanet[-1,1]": recipe("deltanet[-1,1]"),
    "deltanet[0,1]": recipe("deltanet[0,1]"),
    lstm: recipe("lstm"),
    transformer: recipe("transformer"),
  };
}

const spacings = { smoke: [1, 2], laptop: [1, 2, 4, 12], paper: [1, 2, 4, 8] } as const;
const found = readRecipes(new URL("./headline.recipes.yaml", import.meta.url), compared);

export const settings: Record<Scale, HeadlineSettings> = {
  smoke: {
    variables: 3,
    commands: 4,
    spacings: spacings.smoke,
    tests: [[8, 4]],
    recipes: unsearched(spacings.smoke, {
      ...SMOKE,
      train: { ...SMOKE.train, steps: 40, learningRate: 5e-3 },
    }),
    programs: 40,
    device: SMOKE.device,
  },
  laptop: {
    variables: 3,
    commands: 12,
    spacings: spacings.laptop,
    tests: [
      [48, 8],
      [48, 24],
      [96, 48],
    ],
    recipes: found,
    // About six minutes on two cores, all together.
    trainedOn: { "deltanet[-1,1]": 12_000, "deltanet[0,1]": 16_000, lstm: 16_000, transformer: 10_000 },
    programs: 1000,
    device: "cpu",
  },
  paper: {
    variables: 5,
    commands: 64,
    spacings: spacings.paper,
    tests: [
      [64, 16],
      [128, 8],
      [128, 16],
    ],
    recipes: unsearched(spacings.paper, PAPER),
    programs: PAPER.programs,
    device: PAPER.device,
  },
};

const taskOf = ({ variables, commands }: HeadlineSettings) => ({
  name: "repl",
  ...{ variables, commandKind: "swap", commands },
});

const FULL = { spacing: 1, reveal: "full" } as const;

/** The densest reveals first, the longest sessions last. */
function testsOf({ variables, commands, spacings, tests }: HeadlineSettings): PlannedTest[] {
  const full = replTest(variables, commands, 1, true);
  return [
    {
      ...full,
      name: `${full.name} full`,
      change: { ...full.change, ...FULL },
      chance: chanceInARow(variables),
    },
    ...spacings.map((spacing) => replTest(variables, commands, spacing, true)),
    ...tests.map(([length, spacing]) => replTest(variables, length, spacing, false)),
  ];
}

/** The configuration of one run. */
export function headlineRun(setup: HeadlineSettings, architecture: HeadlineModel, seed: number): RunConfig {
  const programs = setup.trainedOn?.[architecture];
  return configBy(setup.recipes[architecture], taskOf(setup), { ...setup, seed }, programs);
}

/** As trained is what is in the curriculum of this model's recipe. */
function runOf(setup: HeadlineSettings, model: HeadlineModel, seed: number) {
  const config = headlineRun(setup, model, seed);
  const tests = testsOf(setup).map((test) => ({ ...test, asTrained: isTaught(config, test.change) }));
  return { config, tests };
}

export function headlinePlan(setup: HeadlineSettings, seeds: readonly number[]): Plan {
  const runs = crossed(seeds, compared).map(([seed, model]) => ({
    setting: "",
    model,
    ...runOf(setup, model, seed),
  }));
  const programsOf = ({ config: { train } }: (typeof runs)[number]) => train.steps * train.batch;
  return {
    // The longest first: then no worker is left alone with it in the end.
    runs: runs.toSorted((a, b) => a.config.seed - b.config.seed || programsOf(b) - programsOf(a)),
    window: windowOf(setup),
    sample: { spacing: middleSpacing(setup) },
  };
}

/** Of the search: the tests of the experiment, of fewer programs. */
const SEARCHED_PROGRAMS = 200;

const searches = compared.map((model): ModelSearch => {
  const setup = settings.laptop;
  return {
    model,
    config: {
      task: taskOf(setup),
      train: { finalShare: 0.05 },
      evaluate: {
        programs: SEARCHED_PROGRAMS,
        tests: [
          FULL,
          ...setup.spacings.map((spacing) => ({ spacing })),
          ...setup.tests.map(([length, spacing]) => ({ commands: length, spacing })),
        ],
      },
    },
    space: SearchSpace.parse({ programs: 32_000, rungs: 3, keep: 3, space: replSpace(setup, model) }),
  };
});

/** A's teaser figure at command 112, read by eye. */
const teaser = [
  ["deltanet[-1,1]", 0.9],
  ["deltanet[0,1]", 0.13],
  ["transformer", 0.35],
] as const;

export const headline = defineExperiment<HeadlineSettings>({
  name: "headline",
  question: "Which sequence models can follow the hidden state of a Python session, and how far?",
  about: "who follows a Python session, and how far",
  publishedIn: "A, teaser",
  models: described(compared),
  searches,
  settings,
  full: {
    ...settings.laptop,
    trainedOn: { "deltanet[-1,1]": 32_000, "deltanet[0,1]": 48_000, lstm: 64_000, transformer: 48_000 },
  },
  published: [
    {
      source: A,
      statement:
        "Trained at spacing 8 with 64 commands, DeltaNet [-1,1] extrapolates in spacing and in the number of commands.",
    },
    ...teaser.map(
      ([model, published]): ClaimOf<HeadlineSettings> => ({
        source: `${A}, teaser figure, read by eye`,
        statement: `Scaled accuracy of ${architectures[model].label} at command 112 of 128, spacing 16`,
        models: [model],
        published,
        here: "scaled accuracy at the last reveal of the hardest test",
        measure: ({ results }, { tests }) =>
          rowsOf({ results }, { model, test: testName(...tests[tests.length - 1]) }).map(scaledAtEnd),
      }),
    ),
    {
      source: A,
      statement: "At spacing 16 with 128 commands, over 5 seeds, only DeltaNet [-1,1] learns reliably.",
    },
  ],

  plan: headlinePlan,

  findings(result, setup) {
    const widest = Math.max(...setup.tests.map(([, spacing]) => spacing));
    const hardest = result.results.filter(
      ({ model, tested }) => !tested.asTrained && tested.change.spacing === widest && model !== "lstm",
    );
    return [...notAsExpected(result, hardest, tracks, SLIGHT), ...spacingsEndedEarly(result, setup)];
  },

  report: headlineReportOf,
});

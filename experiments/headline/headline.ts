/**
 * @file Who can follow the state of a Python session? Four models on the same programs, each by the best recipe of its search.
 *
 *     trained   12 commands on 3 variables; all are printed after every command, then one, then more and more rarely: 1, 2, 4, 12
 *     tested    the same, then 48 commands with a reveal every 8 and every 24, then 96 with one every 48
 *     recipes   headline.recipes.yaml, found by `statelab reproduce headline --search` (repl/shared.ts) on a seed that no result uses;
 *               the LSTM's by a second search, of part of the space and to twice the programs
 *
 * Expected: a recurrence whose transition can swap two slots tracks any order of three things for as long as it likes: DeltaNet with
 * eigenvalues in [-1, 1] and, since it is nonlinear, the LSTM. DeltaNet in [0, 1] and the Transformer learn what they are shown
 * often, and fall to what can be known without tracking (the windowed Bayes filter) beyond it. A model that has not learned the densest
 * reveals of its training is not compared.
 *
 * At "paper" scale the tasks are A's (64 commands, spacing 8; tested to 128 commands, spacing 16); A's sizes are not known to us, so
 * model and optimizer are O's, and nothing was searched.
 *
 * Source: A, arXiv:2602.14814 (teaser and Fig. 4); O, arXiv:2604.03444, appendix C.
 */

import { duration, integer } from "../../src/core/format.ts";
import { chanceInARow } from "../../src/core/statistics.ts";
import {
  conditionsFigure,
  conditionsWithPositions,
  type Drawing,
  type ExperimentWords,
  grouped,
  revealsFigure,
  summarize,
} from "../../src/report/index.ts";
import type { ExperimentResult } from "../../src/schemas/experiment-result.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import {
  bayesWindow,
  endingWhenPerfect,
  fullTest,
  middleSpacing,
  type Recipes,
  replSearches,
  replTest,
  searched,
  testName,
  trackingChecks,
  unsearched,
} from "../repl/shared.ts";
import {
  A,
  architectures,
  type ClaimOf,
  crossed,
  defineExperiment,
  described,
  measurementRows,
  OWN_QUESTION,
  PAPER,
  type Plan,
  type PlannedTest,
  readRecipes,
  runBy,
  type Scale,
  SLIGHT,
  SMOKE,
  scaledAtEnd,
  tracks,
} from "../runner/index.ts";

const compared = searched;
export type HeadlineModel = (typeof compared)[number];

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
    recipes: { ...found, lstm: endingWhenPerfect(found.lstm) },
    // Four to seven minutes on two cores, all together (evidence/headline/log.md).
    trainedOn: { "deltanet[-1,1]": 12_000, "deltanet[0,1]": 20_000, lstm: 64_000, transformer: 12_000 },
    programs: 500,
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

/** The widest spacing is that of the held-out sessions; each stage of a curriculum has its own. */
export const taskOf = ({ variables, commands, spacings }: HeadlineSettings) => ({
  name: "repl",
  ...{ variables, commandKind: "swap", commands, spacing: Math.max(...spacings) },
});

/** The densest reveals first, the longest sessions last. */
export function testsOf({ variables, commands, spacings, tests }: HeadlineSettings): PlannedTest[] {
  return [
    fullTest(replTest(variables, commands, 1, true), chanceInARow(variables)),
    ...spacings.map((spacing) => replTest(variables, commands, spacing, true)),
    ...tests.map(([length, spacing]) => replTest(variables, length, spacing, false)),
  ];
}

function runOf(setup: HeadlineSettings, model: HeadlineModel, seed: number) {
  const { recipes, trainedOn } = setup;
  return runBy(recipes[model], taskOf(setup), { ...setup, seed }, testsOf(setup), trainedOn?.[model]);
}

/** The configuration of one run. */
export const headlineRun = (setup: HeadlineSettings, model: HeadlineModel, seed: number): RunConfig =>
  runOf(setup, model, seed).config;

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
    window: bayesWindow(setup),
    sample: { spacing: middleSpacing(setup) },
  };
}

const searches = replSearches({
  task: taskOf(settings.laptop),
  spacings: settings.laptop.spacings,
  farther: settings.laptop.tests,
  programs: 200,
});

/** Its figures: accuracy by test, and by position in the program; and the budget of each model. */
function headlineWords(result: ExperimentResult): ExperimentWords {
  if (result.results.length === 0) return { views: [] };
  const summary = summarize(result);
  const positions = conditionsWithPositions(summary).map((condition): Drawing => {
    const title = `Accuracy by position at ${condition.key}`;
    return { kind: "drawing", title, drawing: revealsFigure(summary, condition) };
  });
  return {
    views: [
      {
        heading: "Accuracy by test",
        text: "48/24 is a test of 48 commands with a reveal every 24. Only a point clearly above the gray shows a memory longer than the window of the windowed filter.",
        caption:
          "Share of revealed values predicted correctly, of the whole vocabulary, on programs never seen in training. A model holds a test if it is within 5 points of the exact filter in every seed. All models are trained on the revealed values alone; the published claim is about next-token prediction (statelab reproduce repl-losses).",
        figures: [{ kind: "drawing", title: "Accuracy by test", drawing: conditionsFigure(summary) }],
      },
      ...(positions.length === 0
        ? []
        : [
            {
              heading: "Accuracy by position",
              text: "Accuracy (%) at each reveal of the program.",
              caption:
                "Gray: the windowed filter. With several seeds: thin lines are seeds, the strong line is their mean, the band is lowest to highest.",
              figures: positions,
            },
          ]),
      {
        heading: "Budget",
        text: "Each model has its own training configuration, the best of a hyperparameter search on a seed that no result uses.",
        caption:
          "A stage is named by its hardest programs: the commands per reveal; full if all variables are printed.",
        figures: [],
        table: budgetTable(result),
      },
    ],
  };
}

/** One row per model; ranges over its seeds. */
function budgetTable({ training, models }: ExperimentResult) {
  const range = (values: readonly number[], text: (value: number) => string) => {
    if (values.length === 0) return "";
    const [low, high] = [Math.min(...values), Math.max(...values)].map(text);
    return low === high ? low : `${low} to ${high}`;
  };
  const curves = training.filter(({ points }) => points.length > 0);
  return {
    columns: ["model", "parameters", "programs", "time of one core", "learning rate", "last stage"],
    rows: [...grouped(curves, ({ model }) => model)].map(([name, own]) => [
      models[name]?.label ?? name,
      range(
        own.map(({ parameters }) => parameters),
        integer,
      ),
      range(
        own.flatMap(({ steps, batch }) => (batch === undefined ? [] : [steps * batch])),
        integer,
      ),
      range(
        own.map(({ seconds }) => seconds),
        duration,
      ),
      range(
        own.map(({ learningRate }) => learningRate),
        String,
      ),
      [...new Set(own.map(({ points }) => points.at(-1)!.stage))].join("; "),
    ]),
  };
}

export const headline = defineExperiment<HeadlineSettings>({
  name: "headline",
  question: "Which sequence models can follow the hidden state of a Python session, and how far?",
  about: "Which models track a Python session, and to what length?",
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
    ...(["deltanet[-1,1]", "deltanet[0,1]", "transformer"] as const).map(
      (model): ClaimOf<HeadlineSettings> => ({
        source: OWN_QUESTION,
        statement: `${architectures[model].label} at eight times its training length`,
        models: [model],
        here: "scaled accuracy at the last reveal of the hardest test",
        measure: ({ results }, { tests }) =>
          measurementRows({ results }, { model, test: testName(...tests[tests.length - 1]) }).map(
            scaledAtEnd,
          ),
      }),
    ),
    {
      source: A,
      statement: "At spacing 16 with 128 commands, over 5 seeds, only DeltaNet [-1,1] learns reliably.",
    },
  ],

  plan: headlinePlan,

  checks(result, setup) {
    const widest = Math.max(...setup.tests.map(([, spacing]) => spacing));
    const hardest = result.results.filter(
      ({ tested }) => !tested.asTrained && tested.change.spacing === widest,
    );
    return trackingChecks(result, hardest, tracks, SLIGHT);
  },

  report: headlineWords,
});

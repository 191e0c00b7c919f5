/**
 * @file Is it the model or its first lesson? The same sessions, learned with and without a first stage of full reveals.
 *
 *     full reveals first    all variables are printed after every command; then one of them; then more and more rarely
 *     partial reveals       one variable is printed after every command; then more and more rarely
 *     trained               12 commands, to a reveal every 12
 *     tested                12 commands with full reveals, with a reveal every 1, every 12; 48 commands with one every 24
 *
 * Expected: theory lets an LSTM and DeltaNet [-1,1] hold any order of three things, a Transformer none for long. A model that
 * never passes its first stage says nothing about that: what is compared there is optimisation, not expressivity.
 * Source: own question. Rates, layers and steps are a few that were tried by hand, on seed 1000; no search was made for them.
 */

import { RunConfig } from "../../src/schemas/run-config.ts";
import { type ArchitectureName, architectures, described } from "../runner/architectures.ts";
import type { PlannedTest, Scale, UnreadResult } from "../runner/define.ts";
import { crossed, defineExperiment } from "../runner/define.ts";
import { by, lines, measurementRows, readAccuracy } from "../runner/views.ts";
import { replTest, testName } from "./shared.ts";

interface Recipe {
  readonly layers: number;
  readonly learningRate: number;
  readonly steps: number;
}

interface Settings {
  readonly variables: number;
  readonly commands: number;
  readonly spacings: readonly number[];
  readonly beyond: readonly [commands: number, spacing: number];
  readonly width: number;
  readonly recipes: Readonly<Record<Compared, Recipe>>;
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const compared = [
  "deltanet[-1,1]",
  "lstm",
  "transformer+convolution",
] as const satisfies readonly ArchitectureName[];
type Compared = (typeof compared)[number];

const short: Recipe = { layers: 1, learningRate: 5e-3, steps: 10 };
const settings: Record<Scale, Settings> = {
  smoke: {
    ...{
      variables: 3,
      commands: 4,
      spacings: [1, 2],
      beyond: [8, 4],
      width: 16,
      programs: 30,
      device: "cpu",
    },
    recipes: { "deltanet[-1,1]": short, lstm: short, "transformer+convolution": short },
  },
  laptop: {
    ...{ variables: 3, commands: 12, spacings: [1, 2, 4, 12], beyond: [48, 24], width: 64 },
    ...{ programs: 500, device: "cpu" },
    recipes: {
      "deltanet[-1,1]": { layers: 2, learningRate: 2e-3, steps: 600 },
      lstm: { layers: 1, learningRate: 5e-3, steps: 2000 },
      "transformer+convolution": { layers: 3, learningRate: 1e-3, steps: 1200 },
    },
  },
  paper: {
    ...{ variables: 5, commands: 64, spacings: [1, 2, 4, 8], beyond: [128, 16], width: 256 },
    ...{ programs: 1000, device: "cuda" },
    recipes: {
      "deltanet[-1,1]": { layers: 4, learningRate: 5e-4, steps: 20_000 },
      lstm: { layers: 2, learningRate: 1e-3, steps: 20_000 },
      "transformer+convolution": { layers: 4, learningRate: 5e-4, steps: 20_000 },
    },
  },
};

const FULL = { spacing: 1, reveal: "full" } as const;
const partial = (spacing: number) => ({ spacing, reveal: "partial" }) as const;
const FIRST = "full reveals first";
const settingNames = [FIRST, "partial reveals"] as const;

function stagesOf({ spacings }: Settings, setting: (typeof settingNames)[number]) {
  const widening = spacings.map((_, i) => spacings.slice(0, i + 1).map(partial));
  const widest = widening[widening.length - 1];
  const last = [...widest, ...new Array(2).fill(widest[widest.length - 1])];
  const partials = [...widening.slice(0, -1), last];
  return setting === FIRST ? [[FULL], [FULL, partial(1)], ...partials.slice(1)] : partials;
}

function configOf(setup: Settings, setting: (typeof settingNames)[number], model: Compared, seed: number) {
  const { variables, commands, width, recipes, programs, device } = setup;
  const { layers, learningRate, steps } = recipes[model];
  return RunConfig.parse({
    seed,
    task: { name: "repl", variables, commands },
    model: { ...architectures[model].model(2), layers, width, feedForward: 2 * width },
    train: {
      steps,
      batch: 16,
      learningRate,
      schedule: "cosine",
      warmupSteps: Math.min(20, steps),
      finalShare: 0.05,
    },
    curriculum: { stages: stagesOf(setup, setting) },
    evaluate: { programs },
    device,
  });
}

const fullTest = ({ commands }: Settings) => `${testName(commands, 1)}, full`;

function testsOf(setup: Settings, setting: (typeof settingNames)[number]): PlannedTest[] {
  const { variables, commands, spacings, beyond } = setup;
  const of = (
    n: number,
    spacing: number,
    asTrained: boolean,
    reveal: "full" | "partial" = "partial",
  ): PlannedTest => {
    const test = replTest(variables, n, spacing, asTrained);
    return { ...test, change: { ...test.change, reveal } };
  };
  return [
    { ...of(commands, 1, setting === FIRST, "full"), name: fullTest(setup) },
    ...spacings.map((spacing) => of(commands, spacing, true)),
    of(...beyond, false),
  ];
}

export const replFullFirst = defineExperiment<Settings>({
  name: "repl-full-first",
  question: "Does a first stage of full reveals decide who learns to follow a Python session?",
  about: "the same sessions with and without full reveals first",
  publishedIn: "own question",
  models: described(compared),
  settings,
  published: (["deltanet[-1,1]", "lstm"] as const).map((model) => ({
    source: "own question",
    statement: `${architectures[model].label} holds the order of three things beyond its training, once it was shown it in full`,
    ...{ models: [model], setting: FIRST },
    here: "accuracy on the longest sessions",
    measure: (result: UnreadResult, { beyond }: Settings) =>
      measurementRows(result, { setting: FIRST, model, test: testName(...beyond) }).map(readAccuracy),
  })),

  plan(setup, seeds) {
    return {
      runs: crossed(seeds, settingNames, compared).map(([seed, setting, model]) => ({
        setting,
        model,
        config: configOf(setup, setting, model, seed),
        tests: testsOf(setup, setting),
      })),
      window: 2 * Math.max(...setup.spacings),
      sample: FULL,
    };
  },

  report: (result, setup) => ({
    views: [
      {
        heading: "Accuracy by spacing",
        text: "The same sessions, steps and rates; what differs is the first stage of the curriculum.",
        caption:
          "Percent of revealed values named, 12 commands. Strong line: mean over seeds; thin lines: seeds.",
        figures: settingNames.map((setting) =>
          lines(
            {
              ...result,
              results: result.results.filter(
                ({ tested: { change } }) => change.reveal === "partial" && change.commands === setup.commands,
              ),
            },
            {
              ...{ title: setting, setting, xLabel: "commands per reveal", scale: "log2" },
              chance: 1 / setup.variables,
              points: by("spacing"),
              reference: "none",
            },
          ),
        ),
      },
    ],
  }),
});

/**
 * @file Does state supervision give a Transformer what eigenvalue -1 gives a linear RNN, and does it extrapolate?
 *
 *     trained   REPL sessions of three variables and 8 swaps, with a reveal at the end alone; linear head or none
 *     recipes   state-repl.recipes.yaml: each model's own, of one search, in which it had the head
 *     tested    the same, and sessions twice and four times as long
 *
 * Without the head a model is trained by the same recipe. Whether an LSTM or a Transformer has DeltaNet's short convolution, by which a command is
 * read in the first layer, is part of its recipe.
 * Question of our own; nothing is published on it. Expected: supervision replaces dense reveals, so that every model
 * learns the trained length with it and none without; beyond it only a model that carries a state stays right.
 */

import type { RunConfig } from "../../src/schemas/run-config.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import { replTest, testName } from "../repl/shared.ts";
import {
  about,
  architectures,
  atLeast,
  atMost,
  by,
  type ClaimOf,
  crossed,
  defineExperiment,
  described,
  lines,
  type ModelSearch,
  measurementRows,
  PAPER,
  type Recipe,
  readAccuracy,
  readRecipes,
  recipeSpace,
  runBy,
  type Scale,
  type Searched,
  SMOKE,
  tracks,
  type UnreadResult,
  unsearchedRecipes,
} from "../runner/index.ts";

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
const HEAD = { head: "linear" } as const;
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
function stateReplSearches(
  models: readonly Searched[],
  { task, tested, programs }: Searching,
): ModelSearch[] {
  return models.map((model) => ({
    model,
    config: {
      task,
      train: { minLearningRateRatio: 0.05 }, // a head needs whole batches
      evaluate: { examples: programs, settings: tested.map(session) },
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

const compared = [
  "deltanet[-1,1]",
  "deltanet[0,1]",
  "lstm",
  "transformer",
] as const satisfies readonly Searched[];
type Compared = (typeof compared)[number];
type Recipes = Readonly<Record<Compared, Recipe>>;

interface Settings {
  readonly variables: number;
  /** Commands of the tests; the first is the trained number. */
  readonly tested: readonly number[];
  /** All of them where it is not said. */
  readonly models?: readonly Compared[];
  readonly recipes: Recipes;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

/** The same for all, with the head after one layer: smoke and paper scale. */
function unsearched(setup: Parameters<typeof unsearchedRecipes>[1], longest: number, layer: number): Recipes {
  const recipes = unsearchedRecipes(compared, setup, { stages: curricula(longest)["at once"] });
  const withHead = Object.entries(recipes).map(([model, recipe]) => [
    model,
    { ...recipe, stateSupervision: { ...HEAD, layer } },
  ]);
  return Object.fromEntries(withHead) as Recipes; // the same models
}

const settings: Record<Scale, Settings> = {
  smoke: {
    variables: 3,
    tested: [4, 8],
    models: ["transformer", "lstm"],
    recipes: unsearched({ ...SMOKE, train: { steps: 8, batch: 8, warmupSteps: 2 } }, 4, 0),
    ...{ programs: 20, device: SMOKE.device },
  },
  laptop: {
    variables: 3,
    tested: [8, 16, 32],
    recipes: readRecipes(new URL("./state-repl.recipes.yaml", import.meta.url), compared),
    ...{ programs: 1000, device: "cpu" },
  },
  paper: {
    variables: 5,
    tested: [64, 128, 256],
    recipes: unsearched({ ...PAPER, train: { ...PAPER.train, schedule: "cosine" } }, 64, 1),
    ...{ programs: PAPER.programs, device: PAPER.device },
  },
};

const taskOf = ({ variables, tested: [commands] }: Pick<Settings, "variables" | "tested">) => ({
  name: "repl",
  ...{ variables, commands, spacing: commands },
});

const supervised = "with state supervision";
const alone = "answers alone";

/** The trained number of commands, and the largest. */
const endsOf = ({ tested }: Settings) => [tested[0], tested[tested.length - 1]] as const;

const accuracies = (result: UnreadResult, setting: string, model: string, commands: number) =>
  measurementRows(result, { setting, model, test: testName(commands, commands) }).map(readAccuracy);

const claim = (words: string, model: Compared, place: "trained" | "longest"): ClaimOf<Settings> => ({
  statement: `${architectures[model].label}, ${supervised}: ${words}`,
  ...{ models: [model], setting: supervised },
  here: `accuracy at the ${place} length`,
  measure: (result, setup) =>
    accuracies(result, supervised, model, endsOf(setup)[place === "trained" ? 0 : 1]),
});

export const stateRepl = defineExperiment<Settings>({
  name: "state-repl",
  question: "Does state supervision give a Transformer what eigenvalue -1 gives a linear RNN?",
  about: "Which models gain from state supervision on sessions?",
  models: described(compared),
  settings,
  published: [
    claim("fits sessions whose only reveal is the last line", "transformer", "trained"),
    claim("generalizes beyond its training length", "transformer", "longest"),
    claim("generalizes beyond its training length", "deltanet[-1,1]", "longest"),
    claim("fits the trained length", "deltanet[0,1]", "trained"),
  ],

  searches: stateReplSearches(compared, {
    task: taskOf(settings.laptop),
    tested: settings.laptop.tested,
    programs: 200,
  }),

  plan(setup, seeds) {
    const { variables, tested, models = compared, recipes } = setup;
    return {
      runs: crossed(seeds, [supervised, alone], models).map(([seed, setting, model]) => {
        const { stateSupervision, ...unsupervised } = recipes[model];
        const tests = tested.map((length) => replTest(variables, length, length, length === tested[0]));
        return {
          ...{ setting, model },
          ...runBy(
            setting === alone ? unsupervised : recipes[model],
            taskOf(setup),
            { ...setup, seed },
            tests,
          ),
        };
      }),
      sample: { commands: 4, spacing: 4 },
    };
  },

  checks(result, setup) {
    const [first, last] = endsOf(setup);
    const rows = (setting: string, model: string, commands: number) =>
      measurementRows(result, { setting, model, test: testName(commands, commands) }).map(readAccuracy);
    return compared.flatMap((model) => {
      const { label } = architectures[model];
      return [
        ...about(
          [model],
          atMost(`${label}, ${alone}, at ${first} commands`, rows(alone, model, first), tracks.least),
          alone,
        ),
        ...about(
          [model],
          atLeast(
            `${label}, ${supervised}, at ${last} commands`,
            rows(supervised, model, last),
            tracks.least,
          ),
          supervised,
        ),
      ];
    });
  },

  report: (result, setup) => ({
    lead: "The only reveal is the last line.",
    views: [
      {
        heading: "By length",
        text: `Trained on ${endsOf(setup)[0]} commands; longer sessions are unseen.`,
        caption: "Accuracy in percent. Strong line: mean over seeds.",
        figures: [supervised, alone].map((setting) =>
          lines(result, {
            title: setting,
            xLabel: "commands",
            scale: "log2",
            chance: 1 / setup.variables,
            setting,
            points: by("commands"),
            reference: "none",
          }),
        ),
      },
    ],
  }),
});

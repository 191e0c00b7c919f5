/**
 * @file How much does each model need to be shown? Accuracy against the distance between reveals.
 *
 *     settings   swaps; full permutations; a reveal prints all variables
 *     trained    8 commands with every spacing from 1 to 8, by the adaptive curriculum
 *     tested     8 commands, a reveal every 1, 2, 4, 8
 *
 * Expected: DeltaNet [-1,1] is right at every spacing; the Transformer falls as the spacing grows, and with full
 * permutations fails under any sparsity. Source: A, arXiv:2602.14814, Fig. 3. That reveals are full is ours: with partial
 * ones small Transformers never leave chance, and nothing is left that could fall (evidence/repl-spacing/log.md). Each model is
 * trained by its recipe of the headline, found on sessions of 12 commands with swaps; none was searched for full permutations.
 */

import { chanceInARow, mean } from "../../src/core/statistics.ts";
import { percentSign } from "../../src/report/index.ts";
import {
  A,
  about,
  asReference,
  atLeast,
  by,
  check,
  crossed,
  defineExperiment,
  described,
  eachMeets,
  lines,
  measurementRows,
  PAPER,
  readAccuracy,
  readRecipes,
  runBy,
  type Scale,
  SLIGHT,
  SMOKE,
  tracks,
  type UnreadResult,
} from "../runner/index.ts";
import {
  atSpacings,
  bayesWindow,
  endingWhenPerfect,
  type Recipes,
  replTest,
  searched,
  TRACKER,
  testName,
  unsearched,
} from "./shared.ts";

interface SpacingSettings {
  readonly variables: number;
  readonly commands: number;
  /** Commands per reveal, densest first: the curriculum widens them one by one. */
  readonly spacings: readonly number[];
  readonly recipes: Recipes;
  /** Programs that each is trained on, where that is not what was searched. */
  readonly trainedOn?: Readonly<Record<(typeof compared)[number], number>>;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const compared = searched;
const spacings = { smoke: [1, 2, 4], laptop: [1, 2, 4, 8], paper: [1, 2, 4, 8, 16, 32, 64] } as const;
const found = atSpacings(
  readRecipes(new URL("./revealed-values.recipes.yaml", import.meta.url), compared),
  spacings.laptop,
);

const settings: Record<Scale, SpacingSettings> = {
  smoke: {
    ...{ variables: 3, commands: 4, spacings: spacings.smoke },
    recipes: unsearched(spacings.smoke, SMOKE),
    ...{ programs: SMOKE.programs, device: SMOKE.device },
  },
  laptop: {
    ...{ variables: 3, commands: 8, spacings: spacings.laptop },
    recipes: { ...found, lstm: endingWhenPerfect(found.lstm) },
    trainedOn: { "deltanet[-1,1]": 12_000, "deltanet[0,1]": 20_000, lstm: 64_000, transformer: 32_000 },
    ...{ programs: 500, device: "cpu" },
  },
  paper: {
    ...{ variables: 5, commands: 64, spacings: spacings.paper },
    recipes: unsearched(spacings.paper, PAPER),
    ...{ programs: PAPER.programs, device: PAPER.device },
  },
};

const kinds = { swaps: "swap", "full permutations": "permutation" } as const;
const settingNames = Object.keys(kinds) as (keyof typeof kinds)[];

const testAt = ({ commands }: SpacingSettings, spacing: number) => testName(commands, spacing);
const endsOf = ({ spacings }: SpacingSettings) => [Math.min(...spacings), Math.max(...spacings)] as const;

/** For each seed how much the Transformer loses from the densest to the widest spacing. */
function lossOnSwaps(result: UnreadResult, setup: SpacingSettings): number[] {
  return result.seeds.flatMap((seed) => {
    const [first, last] = endsOf(setup).map(
      (spacing) =>
        measurementRows(result, {
          setting: "swaps",
          model: "transformer",
          test: testAt(setup, spacing),
          seed,
        })[0]?.accuracy,
    );
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

export const replSpacing = defineExperiment<SpacingSettings>({
  name: "repl-spacing",
  question: "How often must the state be shown for a model to track it?",
  about: "How does accuracy depend on reveal spacing?",
  publishedIn: "A, Fig. 3",
  models: described(compared),
  settings,
  published: [
    {
      source: `${A}, Fig. 3`,
      statement: "Transformers need dense reveals: their accuracy falls as the spacing grows (swaps)",
      ...{ models: ["transformer"], setting: "swaps" },
      here: "accuracy lost from the densest to the widest spacing",
      unlike: "8 commands and loss on revealed values, there up to 64 and next token",
      agrees: (values) => Math.min(...values) > SLIGHT,
      measure: lossOnSwaps,
    },
    {
      source: `${A}, Fig. 3`,
      statement: "With full permutations Transformers fail under any sparsity",
      ...{ models: ["transformer"], setting: "full permutations" },
      here: "accuracy of the Transformer at spacing 2",
      unlike: "8 commands and loss on revealed values, there up to 64 and next token",
      agrees: (values) => !values.every(tracks.met),
      decidedBySuccess: true,
      measure: (result, setup) =>
        measurementRows(result, {
          setting: "full permutations",
          model: "transformer",
          test: testAt(setup, 2),
        }).map(readAccuracy),
    },
  ],

  plan(setup, seeds) {
    const { variables, commands, spacings, recipes, trainedOn } = setup;
    const chance = chanceInARow(variables);
    return {
      runs: crossed(seeds, settingNames, compared).map(([seed, setting, model]) => ({
        setting,
        model,
        ...runBy(
          recipes[model],
          {
            name: "repl",
            ...{ variables, commandKind: kinds[setting], reveal: "full" },
            ...{ commands, spacing: Math.max(...spacings) },
          },
          { ...setup, seed },
          spacings.map((spacing) => ({ ...replTest(variables, commands, spacing, true), chance })),
          trainedOn?.[model],
        ),
      })),
      window: bayesWindow(setup),
      sample: { spacing: 4 },
    };
  },

  checks(result, setup) {
    const [densest, widest] = endsOf(setup);
    const [setting, model] = ["full permutations", "transformer"];
    const sparse = measurementRows(result, { setting, model, test: testAt(setup, 2) }).map(readAccuracy);
    return [
      ...eachMeets(result, measurementRows(result, { model: TRACKER }), tracks),
      ...about(
        [model],
        atLeast(
          `Transformer, lost from spacing ${densest} to ${widest} (swaps)`,
          lossOnSwaps(result, setup),
          SLIGHT,
        ),
        "swaps",
      ),
      ...about(
        [model],
        check(
          "Transformer at spacing 2 (full permutations)",
          `mean below ${tracks.inWords}`,
          sparse,
          !tracks.met(mean(sparse)),
        ),
        setting,
      ),
    ];
  },

  report(result, setup) {
    const [, widest] = endsOf(setup);
    const chance = chanceInARow(setup.variables);
    const reachable = measurementRows(result, { setting: "swaps", test: testAt(setup, widest) }).flatMap(
      (row) => asReference(row, "windowedBayes") ?? [],
    );
    const asked = settingNames.filter((setting) => measurementRows(result, { setting }).length > 0);
    return {
      views: [
        {
          heading: "Accuracy by spacing",
          text: "The same sessions, with rarer and rarer reveals. A model that tracks is right at every spacing.",
          caption: `Accuracy in percent. Strong line: mean over seeds. Chance: ${percentSign(chance)}, since the last of several printed values is the one left. ${reachable.length === 0 ? "" : `The window of the windowed filter (${result.window} commands) holds the whole session.`}`,
          figures: asked.map((setting) =>
            lines(result, {
              title: setting,
              xLabel: "commands per reveal",
              scale: "log2",
              chance,
              setting,
              points: by("spacing"),
              reference: "none",
            }),
          ),
        },
      ],
    };
  },
});

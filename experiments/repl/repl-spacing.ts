/**
 * @file How much does each model need to be shown? Accuracy against the distance between reveals.
 *
 *     settings   swaps; full permutations; a reveal prints all variables
 *     trained    8 commands with every spacing from 1 to 8, by the adaptive curriculum
 *     tested     8 commands, a reveal every 1, 2, 4, 8
 *
 * Expected: DeltaNet [-1,1] is right at every spacing; the Transformer falls as the spacing grows, and with full
 * permutations fails under any sparsity. Source: A, arXiv:2602.14814, Fig. 3. That reveals are full is ours: with partial
 * ones small Transformers never leave chance, and nothing is left that could fall (evidence/repl-spacing/log.md).
 */

import { chanceInARow } from "../../src/math/statistics.ts";
import { hasLearned } from "../../src/records/learned.ts";
import { listed, percentSign } from "../../src/report/index.ts";
import { described } from "../engine/architectures.ts";
import { SLIGHT, tracks } from "../engine/criteria.ts";
import { crossed, defineExperiment } from "../engine/define.ts";
import type { Scale, UnreadResult } from "../engine/experiment.ts";
import { HELD_THEN_FALLING, LAPTOP, PAPER, SMOKE } from "../engine/sizes.ts";
import { A } from "../engine/sources.ts";
import { accuracyOf, asReference, by, lines, rowsOf } from "../engine/views.ts";
import { labelOf, meanOver, modelsThat, shortOf, whoOf } from "../engine/words.ts";
import { spacingsEndedEarly, TRACKER } from "./expected.ts";
import { type ReplSetup, replRun, replTest, testName, windowOf } from "./setup.ts";

const settings: Record<Scale, ReplSetup> = {
  smoke: { ...SMOKE, variables: 3, commands: 4, reveal: "full", spacings: [1, 2, 4] },
  laptop: {
    ...LAPTOP,
    variables: 3,
    commands: 8,
    reveal: "full",
    spacings: [1, 2, 4, 8],
    train: { ...HELD_THEN_FALLING, steps: 1500, batch: 16, warmupSteps: 100 },
    memory: 300,
    programs: 500,
  },
  paper: { ...PAPER, variables: 5, commands: 64, reveal: "full", spacings: [1, 2, 4, 8, 16, 32, 64] },
};

const kinds = { swaps: "swap", "full permutations": "permutation" } as const;
const settingNames = Object.keys(kinds) as (keyof typeof kinds)[];
const learningRates = { "deltanet[-1,1]": 1e-3, "deltanet[0,1]": 5e-4, transformer: 1e-3 } as const;
const compared = Object.keys(learningRates) as (keyof typeof learningRates)[];

const testAt = ({ commands }: ReplSetup, spacing: number) => testName(commands, spacing);
const endsOf = ({ spacings }: ReplSetup) => [Math.min(...spacings), Math.max(...spacings)] as const;

/** For each seed how much the Transformer loses from the densest to the widest spacing. */
function lossOnSwaps(result: UnreadResult, setup: ReplSetup): number[] {
  return result.seeds.flatMap((seed) => {
    const [first, last] = endsOf(setup).map(
      (spacing) =>
        rowsOf(result, { setting: "swaps", model: "transformer", test: testAt(setup, spacing), seed })[0]
          ?.accuracy,
    );
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

export const replSpacing = defineExperiment<ReplSetup>({
  name: "repl-spacing",
  question: "How often must the state be shown for a model to follow it?",
  about: "how often must the state be shown",
  publishedIn: "A, Fig. 3",
  models: described(compared),
  settings,
  published: [
    {
      source: `${A}, Fig. 3`,
      statement: "Transformers need dense reveals: their accuracy falls as the spacing grows (swaps)",
      ...{ models: ["transformer"], setting: "swaps" },
      here: "accuracy lost from the densest to the widest spacing",
      measure: lossOnSwaps,
    },
    {
      source: `${A}, Fig. 3`,
      statement: "With full permutations Transformers fail under any sparsity",
      ...{ models: ["transformer"], setting: "full permutations" },
      here: "accuracy of the Transformer at spacing 2",
      measure: (result, setup) =>
        rowsOf(result, {
          setting: "full permutations",
          model: "transformer",
          test: testAt(setup, 2),
        }).map(accuracyOf),
    },
  ],

  plan(setup, seeds) {
    const { variables, commands, spacings } = setup;
    const chance = chanceInARow(variables);
    return {
      runs: crossed(seeds, settingNames, compared).map(([seed, setting, model]) => ({
        setting,
        model,
        config: replRun({ ...setup, commandKind: kinds[setting] }, model, seed, learningRates[model]),
        tests: spacings.map((spacing) => ({ ...replTest(variables, commands, spacing, true), chance })),
      })),
      window: windowOf(setup),
      sample: { spacing: 4 },
    };
  },

  findings(result, setup) {
    const [densest, widest] = endsOf(setup);
    const short = shortOf(result, rowsOf(result, { model: TRACKER }), tracks);
    const learned = hasLearned(result, { setting: "swaps", model: "transformer" });
    const flat =
      learned && lossOnSwaps(result, setup).every((lost) => lost < SLIGHT)
        ? [`The Transformer loses less than 5 points from spacing ${densest} to ${widest}.`]
        : [];
    return [...short, ...flat, ...spacingsEndedEarly(result, setup)];
  },

  report(result, setup) {
    const [densest, widest] = endsOf(setup);
    const chance = chanceInARow(setup.variables);
    const at = (model: string, spacing: number) => {
      const rows = rowsOf(result, { model, setting: "swaps", test: testAt(setup, spacing) });
      return rows.length === 0 ? "not tested" : percentSign(meanOver(rows));
    };
    const right = modelsThat(result, compared, tracks, {});
    const reachable = rowsOf(result, { setting: "swaps", test: testAt(setup, widest) }).flatMap(
      (row) => asReference(row, "windowedBayes") ?? [],
    );
    const falls = compared.map(
      (model) => `${labelOf(result, model)} from ${at(model, densest)} to ${at(model, widest)}`,
    );
    return {
      title: whoOf(result, compared, {
        does: (model) => (right.includes(model) ? labelOf(result, model) : undefined),
        ...{ one: "is", many: "are", rest: "right at every spacing" },
      }),
      lead: `With swaps, from a reveal after every command to one after ${widest}: ${listed(falls)}.`,
      views: [
        {
          heading: "Accuracy by spacing",
          text: "The same sessions of commands, shown more and more rarely. A model that tracks is right however rarely.",
          caption: `Percent of revealed values named. Strong line: mean over seeds. Guess: ${percentSign(chance)}, since of all values in a row the last is what is left. ${reachable.length === 0 ? "" : `The window of the windowed filter (${result.window} commands) holds the whole session.`}`,
          figures: settingNames
            .filter((setting) => rowsOf(result, { setting }).length > 0)
            .map((setting) =>
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

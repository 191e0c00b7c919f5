/**
 * @file How much does each model need to be shown? Accuracy against the distance between reveals, at the trained length.
 *
 *     settings   swaps of three variables; full permutations. A reveal prints one variable
 *     trained    as `headline`: 12 commands with a reveal every 1, 2, 4 or 12, every next token
 *     tested     12 commands, a reveal every 1, 2, 4, 12
 *
 * Expected: DeltaNet [-1,1] is right at every spacing; the Transformer falls as the spacing grows, and with full
 * permutations fails under any sparsity. Source: A, arXiv:2602.14814, Fig. 3, which has five variables, too. Each model is trained as
 * the headline trains it on swaps; nothing was searched for permutations.
 */

import { mean } from "../../src/core/statistics.ts";
import { type HeadlineSettings, headlinePlan, settings } from "../headline/headline.ts";
import {
  A,
  about,
  atLeast,
  by,
  check,
  defineExperiment,
  described,
  eachMeets,
  lines,
  measurementRows,
  readAccuracy,
  SLIGHT,
  tracks,
  type UnreadResult,
} from "../runner/index.ts";
import { bayesWindow, middleSpacing, searched, TRACKER, testName } from "./shared.ts";

const kinds = { swaps: "swap", "full permutations": "permutation" } as const;
const settingNames = Object.keys(kinds) as (keyof typeof kinds)[];

const testAt = ({ commands }: HeadlineSettings, spacing: number) => testName(commands, spacing);
const unlike = "12 commands, there up to 64";

/** For each seed how much the Transformer loses on swaps of three from the densest to the widest spacing. */
function lossOnSwaps(result: UnreadResult, setup: HeadlineSettings): number[] {
  const { spacings } = setup;
  return result.seeds.flatMap((seed) => {
    const [first, last] = [Math.min(...spacings), Math.max(...spacings)].map((spacing) => {
      const asked = { setting: "swaps", model: "transformer", test: testAt(setup, spacing), seed };
      return measurementRows(result, asked)[0]?.accuracy;
    });
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

/** Accuracy of the Transformer with full permutations of three and a reveal every 2 commands. */
const sparsePermutations = (result: UnreadResult, setup: HeadlineSettings) =>
  measurementRows(result, {
    ...{ setting: "full permutations", model: "transformer" },
    test: testAt(setup, 2),
  }).map(readAccuracy);

export const replSpacing = defineExperiment<HeadlineSettings>({
  name: "repl-spacing",
  question: "How often must the state be shown for a model to track it?",
  about: "How does accuracy depend on reveal spacing?",
  publishedIn: "A, Fig. 3",
  models: described(searched),
  settings,
  published: [
    {
      source: `${A}, Fig. 3`,
      statement: "Transformers need dense reveals: their accuracy falls as the spacing grows (swaps)",
      ...{ models: ["transformer"], setting: "swaps", unlike },
      here: "accuracy lost from the densest to the widest spacing",
      agrees: (values) => Math.min(...values) > SLIGHT,
      measure: lossOnSwaps,
    },
    {
      source: `${A}, Fig. 3`,
      statement: "With full permutations Transformers fail under any sparsity",
      ...{ models: ["transformer"], setting: "full permutations", unlike },
      here: "accuracy of the Transformer at spacing 2",
      agrees: (values) => !values.every(tracks.met),
      decidedBySuccess: true,
      measure: sparsePermutations,
    },
  ],

  plan: (setup, seeds) => ({
    runs: settingNames.flatMap((setting) =>
      headlinePlan({ ...setup, commandKind: kinds[setting], tests: [] }, seeds).runs.map((run) => ({
        ...run,
        setting,
      })),
    ),
    window: bayesWindow(setup),
    sample: { spacing: middleSpacing(setup) },
  }),

  checks(result, setup) {
    const sparse = sparsePermutations(result, setup);
    const untracked = `mean below ${tracks.inWords}`;
    const name = "Transformer at spacing 2";
    return [
      ...eachMeets(result, measurementRows(result, { model: TRACKER }), tracks),
      ...about(
        ["transformer"],
        atLeast(
          "Transformer, lost from the densest to the widest spacing",
          lossOnSwaps(result, setup),
          SLIGHT,
        ),
        "swaps",
      ),
      ...about(
        ["transformer"],
        check(name, untracked, sparse, !tracks.met(mean(sparse))),
        "full permutations",
      ),
    ];
  },

  report(result, setup) {
    const asked = settingNames.filter((setting) => measurementRows(result, { setting }).length > 0);
    return {
      views: [
        {
          heading: "Accuracy by spacing",
          text: "The same sessions, with rarer and rarer reveals. A model that tracks is right at every spacing.",
          caption: "Accuracy in percent. Strong line: mean over seeds.",
          figures: asked.map((setting) =>
            lines(result, {
              ...{ title: setting, xLabel: "commands per reveal", scale: "log2", setting },
              ...{ chance: 1 / setup.variables, points: by("spacing"), reference: "none" },
            }),
          ),
        },
      ],
    };
  },
});

/**
 * @file How often must the state be shown? Accuracy against the distance between reveals, at the trained length, with full permutations.
 *
 *     a, b, c = b, c, a     a command; one variable is printed every 1, 2, 4 or 12 commands
 *     trained               as `headline`: 12 commands with a reveal every 1, 2, 4 or 12, every next token
 *     tested                12 commands, a reveal every 1, 2, 4, 12
 *
 * Swaps are the headline's rows. Expected: DeltaNet [-1,1] is right at every spacing; the Transformer fails under any sparsity.
 * Source: A, arXiv:2602.14814, Fig. 3, which has five variables, too. Each model is trained as the headline trains it on swaps; nothing
 * was searched for permutations.
 */

import { mean } from "../../src/core/statistics.ts";
import { type HeadlineSettings, headlinePlan, onlyModels, settings } from "../headline/headline.ts";
import {
  A,
  about,
  by,
  check,
  defineExperiment,
  described,
  eachMeets,
  lines,
  measurementRows,
  readAccuracy,
  remembers,
  tracks,
  type UnreadResult,
} from "../runner/index.ts";
import { searched, TRACKER, testName } from "./shared.ts";

/** Accuracy of the Transformer with a reveal every 2 commands. */
const sparse = (result: UnreadResult, { commands }: HeadlineSettings) =>
  measurementRows(result, { model: "transformer", test: testName(commands, 2) }).map(readAccuracy);

/** Accuracy by commands per reveal, at the trained length. */
export function bySpacing(
  result: Parameters<typeof lines>[0],
  title: string,
  { variables, commands, spacings }: HeadlineSettings,
) {
  const tests = spacings.map((spacing) => testName(commands, spacing));
  const results = result.results.filter(({ tested }) => tests.includes(tested.name));
  return lines(
    { ...result, results },
    {
      ...{ title, setting: "", xLabel: "commands per reveal", scale: "log2", chance: 1 / variables },
      ...{ points: by("spacing"), reference: "none" },
    },
  );
}

export const replSpacing = defineExperiment<HeadlineSettings>({
  name: "repl-spacing",
  question: "How often must the state be shown for a model to track it?",
  about: "How does accuracy depend on reveal spacing?",
  publishedIn: "A, Fig. 3",
  models: described(searched),
  settings,
  options: onlyModels,
  published: [
    {
      source: `${A}, Fig. 3`,
      statement: "With full permutations Transformers fail under any sparsity",
      ...{ models: ["transformer"], unlike: "12 commands, there up to 64" },
      here: "accuracy of the Transformer at spacing 2",
      agrees: (values) => !values.some(remembers.met),
      decidedBySuccess: true,
      measure: sparse,
    },
  ],

  plan: (setup, seeds, { only }) =>
    headlinePlan({ ...setup, commandKind: "permutation", tests: [] }, seeds, only),

  checks(result, setup) {
    const values = sparse(result, setup);
    const failed = `mean below ${remembers.inWords}`;
    return [
      ...eachMeets(result, measurementRows(result, { model: TRACKER }), tracks),
      ...about(
        ["transformer"],
        check("Transformer at spacing 2", failed, values, !remembers.met(mean(values))),
      ),
    ];
  },

  report: (result, setup) => ({
    views: [
      {
        heading: "Accuracy by spacing",
        text: "The same sessions, with rarer and rarer reveals. A model that tracks is right at every spacing.",
        caption: "Accuracy in percent. Strong line: mean over seeds.",
        figures: [bySpacing(result, "full permutations", setup)],
      },
    ],
  }),
});

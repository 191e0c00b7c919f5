/**
 * @file How far does tracking reach beyond training, in the number of commands and in the distance between reveals?
 *
 *     trained   64 commands, a reveal every 8 (laptop: 16 commands)
 *     tested    every pair of 16 to 128 commands and a reveal every 4 to 32
 *
 * Expected: DeltaNet [-1,1] stays right on both axes; DeltaNet [0,1] and the Transformer fall to the windowed reference.
 * Source: A, arXiv:2602.14814, Fig. 4 right. Model sizes and optimizer at paper scale are O's, arXiv:2604.03444.
 */

import { mean } from "../../src/core/statistics.ts";
import type { ResultRow } from "../../src/schemas/experiment-result.ts";
import {
  A,
  architectures,
  asReference,
  crossed,
  defineExperiment,
  grid,
  measurementRows,
  readAccuracy,
  SLIGHT,
  settingsInResult,
  tracks,
} from "../runner/index.ts";
import {
  type BeyondSettings,
  bayesWindow,
  beyondPlan,
  compared,
  models,
  replTest,
  settings,
  TRACKER,
  testName,
  trackingChecks,
} from "./shared.ts";

/** The hardest pair: the longest sessions, reveals twice as far apart as the widest ever trained. */
const hardestOf = (setup: BeyondSettings) => testName(Math.max(...setup.testedCommands), bayesWindow(setup));

/** Every number of commands with every distance between reveals that fits into it. */
const pairsOf = ({ testedCommands, testedSpacings }: BeyondSettings) =>
  crossed(testedCommands, testedSpacings).filter(([length, spacing]) => spacing <= length);

/** Without the full reveals, which only show whether the training was learned. */
const ofPairs = (rows: readonly ResultRow[], setup: BeyondSettings) => {
  const names = pairsOf(setup).map(([length, spacing]) => testName(length, spacing));
  return rows.filter(({ tested }) => names.includes(tested.name));
};

export const replExtrapolation = defineExperiment<BeyondSettings>({
  name: "repl-extrapolation",
  question: "How far beyond its training does a model track, in commands and in spacing?",
  about: "How far beyond the trained length and spacing do models track?",
  publishedIn: "A, Fig. 4 right",
  models,
  settings,
  published: [
    {
      source: `${A}, Fig. 4 right`,
      statement: "Trained at spacing 8 with 64 commands, DeltaNet [-1,1] extrapolates on both axes",
      models: [TRACKER],
      here: "mean accuracy over all pairs longer or sparser than trained",
      unlike: "trained on 16 commands and on revealed values, there 64 commands and next token",
      agrees: (values) => Math.min(...values) >= tracks.least,
      measure: (result) =>
        result.seeds.flatMap((seed) => {
          const own = measurementRows(result, { model: TRACKER, seed }).filter(
            ({ tested }) => !tested.asTrained,
          );
          return own.length === 0 ? [] : [mean(own.map(readAccuracy))];
        }),
    },
  ],
  trainedBy: "repl-positions",

  plan(setup, seeds) {
    return beyondPlan(setup, seeds, (variables) =>
      pairsOf(setup).map(([length, spacing]) => replTest(variables, length, spacing, false)),
    );
  },

  checks: (result, setup) =>
    trackingChecks(result, measurementRows(result, { test: hardestOf(setup) }), tracks, SLIGHT),

  report(result, setup) {
    const asked = settingsInResult(result);
    const table = (title: string, rows: readonly ResultRow[]) =>
      grid({ title, rows, down: ["spacing", "reveal every"], across: ["commands", "commands"] });
    return {
      views: asked.map((setting) => ({
        heading: `Accuracy on ${setting}`,
        text: "Each cell is a number of commands and a spacing. A model that tracks is dark everywhere.",
        caption: "Accuracy in percent, mean over seeds. Framed: as trained.",
        figures: [
          ...compared.map((model) =>
            table(architectures[model].label, ofPairs(measurementRows(result, { setting, model }), setup)),
          ),
          table(
            `Windowed filter (last ${result.window} commands)`,
            ofPairs(measurementRows(result, { setting, model: compared[0] }), setup).flatMap(
              (row) => asReference(row, "windowedBayes") ?? [],
            ),
          ),
        ],
      })),
    };
  },
});

/**
 * @file How far does tracking reach beyond training, along a session, in the number of commands and in the distance between reveals?
 *
 *     trained   by `headline`: 12 commands on 3 variables, a reveal every 1, 2, 4 or 12
 *     along     24 commands, a reveal every 2: accuracy by the position of the reveal
 *     beyond    every pair of 12 to 96 commands and a reveal every 4 to 48
 *
 * Expected: DeltaNet [-1,1] stays right on both axes; DeltaNet [0,1] and the Transformer fall to the windowed reference.
 * Source: A, arXiv:2602.14814, Fig. 4. Its left part has sessions of at most twice the trained length.
 */

import { mean } from "../../src/core/statistics.ts";
import type { ResultRow } from "../../src/schemas/experiment-result.ts";
import { type HeadlineSettings, headlinePlan, onlyModels, settings } from "../headline/headline.ts";
import {
  A,
  architectures,
  asReference,
  byPosition,
  crossed,
  defineExperiment,
  described,
  grid,
  lines,
  measurementRows,
  readAccuracy,
  SLIGHT,
  tracks,
} from "../runner/index.ts";
import { replTest, searched, TRACKER, testName, trackingChecks } from "./shared.ts";

const alongOf = ({ commands, spacings: [, dense] }: HeadlineSettings) => [2 * commands, dense] as const;

/** Up to eight times the trained commands, with reveals up to four times as far apart as the widest that are trained. */
function pairsOf({ commands, spacings }: HeadlineSettings) {
  const [dense, widest] = spacings.slice(-2);
  const lengths = [1, 2, 4, 8].map((times) => times * commands);
  return crossed(lengths, [dense, widest, 2 * widest, 4 * widest]).filter(
    ([length, spacing]) => spacing <= length,
  );
}

const ofPairs = (rows: readonly ResultRow[], setup: HeadlineSettings) => {
  const names = pairsOf(setup).map(([length, spacing]) => testName(length, spacing));
  return rows.filter(({ tested }) => names.includes(tested.name));
};

type Rows = Parameters<typeof lines>[0];

/** Scaled accuracy by the commands that ran before a reveal. */
export function alongSession(result: Rows, setup: HeadlineSettings) {
  const [length, spacing] = alongOf(setup);
  return lines(result, {
    title: `${length} commands, a reveal every ${spacing}`,
    xLabel: "commands run before the reveal (scaled accuracy)",
    scale: "linear",
    chance: 0,
    setting: "",
    points: byPosition(testName(length, spacing), spacing),
  });
}

const pairsTable = (title: string, rows: readonly ResultRow[]) =>
  grid({ title, rows, down: ["spacing", "reveal every"], across: ["commands", "commands"] });

/** Accuracy of one model by commands and spacing. */
export const byPair = (result: Rows, model: (typeof searched)[number], setup: HeadlineSettings) =>
  pairsTable(architectures[model].label, ofPairs(measurementRows(result, { model }), setup));

export const replExtrapolation = defineExperiment<HeadlineSettings>({
  name: "repl-extrapolation",
  question: "How far beyond its training does a model track, along a session, in commands and in spacing?",
  about: "How far beyond the trained length and spacing do models track?",
  publishedIn: "A, Fig. 4",
  models: described(searched),
  settings,
  trainedBy: "headline",
  options: onlyModels,
  published: [
    {
      source: `${A}, Fig. 4 right`,
      statement: "Trained at spacing 8 with 64 commands, DeltaNet [-1,1] extrapolates on both axes",
      models: [TRACKER],
      here: "mean accuracy over all pairs longer or sparser than trained",
      unlike: "trained on 12 commands, there 64",
      agrees: (values) => Math.min(...values) >= tracks.least,
      measure: (result, setup) =>
        result.seeds.flatMap((seed) => {
          const own = ofPairs(measurementRows(result, { model: TRACKER, seed }), setup);
          const beyond = own.filter(({ tested }) => !tested.asTrained).map(readAccuracy);
          return beyond.length === 0 ? [] : [mean(beyond)];
        }),
    },
  ],

  plan(setup, seeds, { only }) {
    const { variables } = setup;
    const beyond = [alongOf(setup), ...pairsOf(setup)].map(([length, spacing]) =>
      replTest(variables, length, spacing, false),
    );
    const plan = headlinePlan(setup, seeds, only);
    return {
      ...plan,
      runs: plan.runs.map((run) => {
        const trained = run.tests.filter(({ asTrained }) => asTrained);
        const isNew = ({ name }: (typeof beyond)[number]) => trained.every((test) => test.name !== name);
        return { ...run, tests: [...trained, ...beyond.filter(isNew)] };
      }),
    };
  },

  checks: (result, setup) =>
    trackingChecks(
      result,
      measurementRows(result, { test: testName(...pairsOf(setup).slice(-1)[0]) }),
      tracks,
      SLIGHT,
    ),

  report(result, setup) {
    const windowed = ofPairs(measurementRows(result, { model: searched[0] }), setup);
    return {
      views: [
        {
          heading: "Accuracy along the session",
          text: `Models train on ${setup.commands} commands. Scaled: 0 is chance, 100 no mistake. Gray: the windowed filter.`,
          caption: "Strong line: mean over seeds; thin lines: seeds.",
          figures: [alongSession(result, setup)],
        },
        {
          heading: "Longer and sparser sessions",
          text: "Each cell is a number of commands and a spacing. A model that tracks is dark everywhere.",
          caption: "Accuracy in percent, mean over seeds. Framed: as trained.",
          figures: [
            ...searched.map((model) => byPair(result, model, setup)),
            pairsTable(
              `Windowed filter (last ${result.window} commands)`,
              windowed.flatMap((row) => asReference(row, "windowedBayes") ?? []),
            ),
          ],
        },
      ],
    };
  },
});

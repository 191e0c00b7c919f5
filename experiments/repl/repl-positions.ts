/**
 * @file Where along a session is the state lost? Accuracy by the position of the reveal.
 *
 *     trained   64 commands, a reveal every 8 (laptop: 16 commands)
 *     tested    128 commands, a reveal every 16
 *
 * Expected: DeltaNet [-1,1] is right to the end; DeltaNet [0,1] and the Transformer are near the windowed reference from
 * the first reveal on. Source: A, arXiv:2602.14814, Fig. 4 left . Its numbers were not available.
 */

import { mean, scaledAccuracy } from "../../src/core/statistics.ts";
import {
  architectures,
  atEnd,
  byPosition,
  type ClaimOf,
  defineExperiment,
  keeps,
  lines,
  measurementRows,
  OWN_QUESTION,
  type Reading,
  SLIGHT_AT_END,
  scaledAtEnd,
  settingsInResult,
} from "../runner/index.ts";
import {
  type BeyondSettings,
  bayesWindow,
  beyondPlan,
  models,
  replSearches,
  replTest,
  settings,
  testName,
  trackingChecks,
} from "./shared.ts";

/** Long sessions with reveals twice as far apart as the widest ever trained. */
const testOf = (setup: BeyondSettings) => testName(setup.followedCommands, bayesWindow(setup));

const scaledAtStart: Reading = ({ accuracyByReveal, tested }) =>
  scaledAccuracy(accuracyByReveal[0], tested.chance);

/** A number of the test's rows, for each seed its mean over settings. */
const meanBySeed =
  (model: string, value: Reading): NonNullable<ClaimOf<BeyondSettings>["measure"]> =>
  (result, setup) =>
    result.seeds.flatMap((seed) => {
      const rows = measurementRows(result, { model, seed, test: testOf(setup) });
      return rows.length === 0 ? [] : [mean(rows.map(value))];
    });

const { commands, spacings } = settings.laptop;

/** Of S_5; S_3 has the recipes of the headline. */
const searches = replSearches({
  task: { name: "repl", variables: 5, commandKind: "swap", commands, spacing: Math.max(...spacings) },
  spacings,
  farther: [
    [64, 8],
    [128, 16],
  ],
  programs: 200,
});

export const replPositions = defineExperiment<BeyondSettings>({
  name: "repl-positions",
  question: "Where along a Python session do models lose its state?",
  about: "At which command do models lose the state?",
  publishedIn: "A, Fig. 4 left",
  models,
  searches,
  settings,
  published: (["deltanet[-1,1]", "deltanet[0,1]", "transformer"] as const).flatMap((model) => {
    const claim = (place: string, value: Reading) => ({
      source: OWN_QUESTION,
      statement: `Scaled accuracy of ${architectures[model].label} at the ${place} reveal of sessions eight times as long as trained`,
      models: [model],
      here: "spacing twice that of training, mean over groups",
      measure: meanBySeed(model, value),
    });
    return [claim("first", scaledAtStart), claim("last", scaledAtEnd)];
  }),

  plan(setup, seeds) {
    const { commands, spacings, followedCommands } = setup;
    return beyondPlan(setup, seeds, (variables) => [
      ...spacings.map((spacing) => replTest(variables, commands, spacing, true)),
      replTest(variables, followedCommands, bayesWindow(setup), false),
    ]);
  },

  checks: (result, setup) =>
    trackingChecks(result, measurementRows(result, { test: testOf(setup) }), keeps, SLIGHT_AT_END, {
      value: atEnd,
      called: "last reveal",
    }),

  report(result, setup) {
    const test = testOf(setup);
    const [commands, spacing] = [setup.followedCommands, bayesWindow(setup)];
    return {
      views: [
        {
          heading: "Accuracy along the session",
          text: "Scaled: 0 is chance, 100 no mistake. Gray: the windowed filter.",
          caption: "Strong line: mean over seeds; thin lines: seeds.",
          figures: settingsInResult(result).map((setting) =>
            lines(result, {
              title: `${setting}, ${commands} commands, a reveal every ${spacing}`,
              xLabel: "commands run before the reveal (scaled accuracy)",
              scale: "linear",
              chance: 0,
              setting,
              points: byPosition(test, spacing),
            }),
          ),
        },
      ],
    };
  },
});

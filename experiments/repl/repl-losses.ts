/**
 * @file How much of the headline is its loss? DeltaNet [-1,1] on the headline's sessions, trained on every next token, as in A, and on the
 * revealed values alone.
 *
 *     next token        the headline's training
 *     revealed values   the training configuration of revealed-values.recipes.yaml, searched for this loss
 *     tested            as the headline
 *
 * Expected: with the loss on revealed values alone fewer sessions are needed. Source: own question.
 */

import { type HeadlineSettings, settings as headline, taskOf, testsOf } from "../headline/headline.ts";
import {
  by,
  crossed,
  defineExperiment,
  described,
  lines,
  type Recipe,
  readRecipes,
  runBy,
  type Scale,
} from "../runner/index.ts";
import { bayesWindow, TRACKER } from "./shared.ts";

interface LossSettings extends HeadlineSettings {
  /** For the loss on revealed values, and the programs that it is trained on. */
  readonly recipe: Recipe;
  readonly trainedOn: number;
}

const { [TRACKER]: searched } = readRecipes(new URL("./revealed-values.recipes.yaml", import.meta.url), [
  TRACKER,
]);
const valuesAlone = ({ recipes, ...setup }: HeadlineSettings): LossSettings => {
  const { train, ...recipe } = recipes[TRACKER];
  const loss = "revealed-values";
  return {
    ...setup,
    recipes,
    recipe: { ...recipe, train: { ...train, loss } },
    trainedOn: train.steps * train.batch,
  };
};
const settings: Record<Scale, LossSettings> = {
  smoke: valuesAlone(headline.smoke),
  laptop: { ...headline.laptop, recipe: searched, trainedOn: 12_000 },
  paper: valuesAlone(headline.paper),
};

export const replLosses = defineExperiment<LossSettings>({
  name: "repl-losses",
  question: "How much of the headline comes from the loss on every next token?",
  about: "Does DeltaNet [-1,1] learn faster from revealed values alone?",
  models: described([TRACKER]),
  settings,
  keepsRuns: true,
  published: [],

  plan(setup, seeds) {
    const trainings = [
      ["next token", setup.recipes[TRACKER], undefined],
      ["revealed values", setup.recipe, setup.trainedOn],
    ] as const;
    const runs = crossed(seeds, trainings).map(([seed, [setting, recipe, programs]]) => ({
      ...{ setting, model: TRACKER },
      ...runBy(recipe, taskOf(setup), { ...setup, seed }, testsOf(setup), programs),
    }));
    return { runs, window: bayesWindow(setup), sample: { spacing: 1, reveal: "full" } };
  },

  report(result, setup) {
    const { commands, variables } = setup;
    const results = result.results.filter(
      ({ tested: { change } }) => change.commands === commands && change.reveal === undefined,
    );
    const figures = ["next token", "revealed values"].map((setting) =>
      lines(
        { ...result, results },
        {
          ...{ title: setting, setting, xLabel: "commands per reveal", scale: "log2" },
          ...{ chance: 1 / variables, points: by("spacing") },
        },
      ),
    );
    return {
      views: [
        {
          heading: "Accuracy by spacing, at the length of training",
          text: "Sessions as long as those of the training, with rarer and rarer reveals.",
          caption: "Percent of revealed values predicted. Thin lines: seeds.",
          figures,
        },
      ],
    };
  },
});

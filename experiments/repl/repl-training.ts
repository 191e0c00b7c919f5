/**
 * @file What of the headline is its training: the same sessions and models, learned from another loss and by another curriculum.
 *
 *     repl-losses       DeltaNet [-1,1]: the loss on revealed values alone, the headline's; on every next token, A's; and that by its own recipe
 *     repl-curricula    the Transformer: sessions of 1, 2, 3, 5, 8 and 12 commands before reveals grow rarer
 *     tested            as the headline
 *
 * Expected: the headline's recipe was searched for its own loss, so that with A's it is worse. A Transformer that learns short
 * sessions first learns a reveal after every command of 12, and falls to what a window tells on longer ones.
 * Source: own question. No search was made for the recipes that are not the headline's.
 */

import { CurriculumConfig, TrainConfig } from "../../src/schemas/run-config.ts";
import {
  type HeadlineSettings,
  settings as headlineSettings,
  taskOf,
  testsOf,
} from "../headline/headline.ts";
import {
  type ArchitectureName,
  by,
  crossed,
  defineExperiment,
  described,
  type Experiment,
  lines,
  type Recipe,
  runBy,
  type Scale,
} from "../runner/index.ts";
import { bayesWindow } from "./shared.ts";

type Compared = "deltanet[-1,1]" | "transformer";
type Trainings = Readonly<Record<string, { readonly recipe: Recipe; readonly programs: number }>>;

interface Question extends Pick<Experiment, "name" | "question" | "about"> {
  readonly model: Compared & ArchitectureName;
  readonly trainings: (setup: HeadlineSettings) => Trainings;
}

const FULL = { spacing: 1, reveal: "full" } as const;

const withLoss = ({ train, ...recipe }: Recipe, loss: string): Recipe => ({
  ...recipe,
  train: { ...train, loss },
});

/** Reveals grow rarer one by one, the widest twice as often as all others. */
function widening(spacings: readonly number[]) {
  const stages = spacings.map((_, i) => spacings.slice(0, i + 1).map((spacing) => ({ spacing })));
  const last = stages[stages.length - 1];
  return [...stages.slice(1, -1), [...last, ...new Array(spacings.length - 1).fill(last[last.length - 1])]];
}

function lossTrainings({ recipes, trainedOn, spacings }: HeadlineSettings): Trainings {
  const recipe = recipes["deltanet[-1,1]"];
  const programs = trainedOn?.["deltanet[-1,1]"] ?? recipe.train.steps * recipe.train.batch;
  const own: Recipe = {
    model: recipe.model,
    train: TrainConfig.parse({
      ...{ steps: recipe.train.steps, batch: 16, padding: "bucket", loss: "next-token" },
      ...{ learningRate: 2e-3, schedule: "cosine", minLearningRateRatio: 0.05 },
    }),
    curriculum: CurriculumConfig.parse({ stages: [[FULL], ...widening(spacings)] }),
  };
  return {
    "revealed values": { recipe, programs },
    "next token": { recipe: withLoss(recipe, "next-token"), programs },
    // 1,100 steps where the headline has 12,000 programs.
    "next token, tuned by hand": { recipe: own, programs: Math.round((programs * 17_600) / 12_000) },
  };
}

/** Depth and initial values that fit the width, at the headline's number of parameters. */
const deep = {
  ...{ name: "transformer", layers: 6, width: 36, feedForward: 72, heads: 2, convolution: 4 },
  initialization: "width",
} as const;

function curriculumTrainings({ commands, spacings }: HeadlineSettings): Trainings {
  const lengths = [1, 2, 3, 5, 8].filter((length) => length < commands);
  const stages = [...lengths, commands].map((length) => [{ commands: length, spacing: 1 }]);
  const smoke = commands < 12;
  const train = TrainConfig.parse({
    ...{ steps: 14_000, batch: smoke ? 8 : 32, padding: "bucket", beta2: 0.98 },
    ...{
      learningRate: 2e-3,
      schedule: "wsd",
      warmupSteps: smoke ? 5 : 100,
      decaySteps: 800,
      minLearningRateRatio: 0.05,
    },
  });
  return {
    "by commands": {
      recipe: {
        model: deep,
        train,
        curriculum: CurriculumConfig.parse({ stages: [...stages, ...widening(spacings)], threshold: 0.97 }),
      },
      programs: smoke ? 80 : 288_000,
    },
  };
}

function askedOf({ model, trainings, ...about }: Question): Experiment {
  return defineExperiment<HeadlineSettings>({
    ...about,
    publishedIn: "own question",
    models: described([model]),
    settings: headlineSettings as Record<Scale, HeadlineSettings>,
    published: [],

    plan(setup, seeds) {
      const runs = crossed(seeds, Object.entries(trainings(setup))).map(
        ([seed, [setting, { recipe, programs }]]) => ({
          ...{ setting, model },
          ...runBy(recipe, taskOf(setup), { ...setup, seed }, testsOf(setup), programs),
        }),
      );
      return { runs, window: bayesWindow(setup), sample: FULL };
    },

    report(result, setup) {
      const isPartial = (change: Readonly<Record<string, unknown>>) =>
        change.commands === setup.commands && change.reveal === undefined;
      return {
        views: [
          {
            heading: "Accuracy by spacing, at the length of training",
            text: "Sessions as long as those of the training, with rarer and rarer reveals.",
            caption: "Percent of revealed values predicted. Thin lines: seeds.",
            figures: Object.keys(trainings(setup)).map((setting) =>
              lines(
                { ...result, results: result.results.filter(({ tested: { change } }) => isPartial(change)) },
                {
                  ...{ title: setting, setting, xLabel: "commands per reveal", scale: "log2" },
                  ...{ chance: 1 / setup.variables, points: by("spacing") },
                },
              ),
            ),
          },
        ],
      };
    },
  });
}

export const replLosses = askedOf({
  name: "repl-losses",
  question: "How much of the headline comes from its loss on revealed values alone?",
  about: "Does DeltaNet [-1,1] also track when trained on the next token?",
  model: "deltanet[-1,1]",
  trainings: lossTrainings,
});

export const replCurricula = askedOf({
  name: "repl-curricula",
  question: "Does a Transformer learn the headline's sessions when they grow by commands?",
  about: "Does a Transformer learn sessions that grow command by command?",
  model: "transformer",
  trainings: curriculumTrainings,
});

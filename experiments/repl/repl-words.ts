/**
 * @file How many examples does it take to learn the same permutations as group words and as Python sessions?
 *
 *     words      [213] [132] [321] ...        12 swaps of three values; the order after each word is asked
 *     sessions   >>> a, b = b, a ...          12 swaps of three variables, all printed after each one; every next token
 *     counted    examples until 99 % of the answers of the training batches are right, each batch of new examples
 *
 * No curriculum. A run ends when 500 held-out examples are all right. Expected: what needs few words needs few sessions.
 * Source: A, arXiv:2602.14814, Fig. 2, of which we had the caption.
 */

import { CurriculumConfig, TrainConfig } from "../../src/schemas/run-config.ts";
import { type HeadlineSettings, settings as headline, taskOf } from "../headline/headline.ts";
import {
  A,
  architectures,
  crossed,
  defineExperiment,
  described,
  type Recipe,
  runBy,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";
import { endingWhenPerfect, FULL, fullTest, replTest } from "./shared.ts";

const compared = ["deltanet[-1,1]", "gated-deltanet[-1,1]", "lstm", "transformer"] as const;
type Compared = (typeof compared)[number];
const formats = ["words", "sessions"] as const;
type Format = (typeof formats)[number];

/** The share of right answers that counts as learned. */
const LEARNED = 0.99;

interface Settings {
  readonly session: HeadlineSettings;
  readonly train: TrainConfig;
  /** Found by trials on another seed, in each format (evidence/repl-words/log.md). */
  readonly rates: Readonly<Record<Format, Readonly<Record<Compared, number>>>>;
}

const same = (rate: number) =>
  Object.fromEntries(compared.map((model) => [model, rate])) as Record<Compared, number>; // one a model
const train = (own: object) =>
  TrainConfig.parse({ loss: "next-token", schedule: "constant", weightDecay: 0, ...own });

const laptop: Settings = {
  session: headline.laptop,
  train: train({ steps: 4000, batch: 16, warmupSteps: 50, padding: "bucket" }),
  rates: {
    words: { ...same(2e-3), lstm: 5e-3, transformer: 5e-4 },
    sessions: { ...same(2e-3), lstm: 4e-3 },
  },
};
const settings: Record<Scale, Settings> = {
  smoke: {
    ...laptop,
    session: { ...headline.smoke, commands: 8 },
    train: train({ steps: 20, batch: 8, warmupSteps: 2 }),
  },
  laptop,
  paper: { ...laptop, session: headline.paper },
};

/** As in the headline, but the LSTM has no convolution, since its rates were chosen so; a word is read alone, without its neighbors. */
function modelOf({ recipes }: HeadlineSettings, format: Format, name: Compared) {
  const model =
    name === "gated-deltanet[-1,1]"
      ? { ...recipes["deltanet[-1,1]"].model, name: "gated-deltanet" }
      : recipes[name].model;
  return { ...model, ...((format === "words" || name === "lstm") && { convolution: 0 }) };
}

function runOf({ session, train, rates }: Settings, format: Format, name: Compared, seed: number) {
  const { variables, commands, programs, device } = session;
  const recipe: Recipe = endingWhenPerfect({
    model: modelOf(session, format, name),
    train: {
      ...train,
      learningRate: rates[format][name],
      ...(format === "words" && { loss: "revealed-values" as const }),
    },
    curriculum: CurriculumConfig.parse({ stages: [[{}]] }),
  });
  const words = { name: "group-words", group: `S_${variables}`, generators: "swaps", length: commands };
  const task = format === "words" ? { ...words, targets: "each" } : { ...taskOf(session), ...FULL };
  const test = replTest(variables, commands, 1, true);
  const tests = [
    format === "words" ? { ...test, name: `${commands} words`, change: {} } : fullTest(test, 1 / variables),
  ];
  const own = { seed, programs, device };
  return {
    ...{ setting: format, model: name },
    ...runBy(recipe, task, own, tests),
  };
}

/** Examples until it has learned, one number a seed; those of the whole training where it has not. */
const examplesOf = ({ training }: UnreadResult, setting: Format, model: Compared) =>
  training
    .filter((curve) => curve.setting === setting && curve.model === model)
    .map(({ points, steps, batch = 1 }) => {
      const learned = points.find(({ accuracy }) => accuracy >= LEARNED);
      return batch * (learned?.step ?? steps);
    });

export const replWords = defineExperiment<Settings>({
  name: "repl-words",
  question: "How many examples does a model need as group words, and as Python sessions?",
  about: "Are Python sessions harder to learn than group words?",
  publishedIn: "A, Fig. 2",
  models: described(compared),
  settings,
  published: crossed(compared, formats).map(([model, setting]) => ({
    source: `${A}, Fig. 2`,
    statement: `Examples until 99 %, ${architectures[model].label}, ${setting}`,
    ...{ models: [model], setting, unit: "number" as const },
    here: "examples until the running accuracy of the training batches is 99 %, or all of them",
    measure: (result) => examplesOf(result, setting, model),
  })),

  plan: (setup, seeds) => ({
    runs: crossed(seeds, crossed(formats, compared)).map(([seed, [format, model]]) =>
      runOf(setup, format, model, seed),
    ),
    sample: {},
  }),

  report: (result) => ({
    views: [
      {
        heading: "Accuracy by examples",
        text: "Running accuracy on the training batches, all of new examples. A run ends when 500 held-out examples are all right.",
        caption: "Strong line: mean over seeds, as long as all of them train.",
        figures: formats.map((setting) => ({
          kind: "lines" as const,
          title: setting,
          xLabel: "examples, thousands",
          scale: "linear" as const,
          chance: 1 / 3,
          lines: compared.map((model, index) => ({
            label: architectures[model].label,
            index,
            seeds: result.training
              .filter((curve) => curve.setting === setting && curve.model === model)
              .map(({ seed, points, batch = 1 }) => ({
                seed,
                points: points.map(({ step, accuracy }): [number, number] => [
                  (step * batch) / 1000,
                  accuracy,
                ]),
              })),
          })),
        })),
      },
    ],
  }),
});

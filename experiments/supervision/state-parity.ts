/**
 * @file Does state supervision teach a Transformer parity, which it does not learn from the answers alone?
 *
 *     linear head        programs of n lines; the hidden vector after every line predicts p
 *     curriculum         programs of 2 to n lines, no state supervision
 *     unsupervised       programs of n lines, no state supervision
 *
 * Expected: with supervision every held-out answer is right after a fraction of the curriculum's samples; without both
 * the model stays at chance. Source: Grounding Code Understanding in Step-by-Step Execution (2024), Fig. 5a: lengths 16,
 * 32 and 64, a Llama of 13.6 million parameters. Ours, below paper scale: a small Transformer, the loss on the answer
 * alone (the bits before it are random), the hidden vector of a middle layer, so that later layers can use it; of 32 and 64
 * lines with supervision only.
 */

import {
  aboutTraining,
  atLeast,
  atMost,
  defineExperiment,
  FAR_FEWER,
  measurementRows,
  readAccuracy,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";
import {
  describedMethods,
  LAPTOP,
  type MethodName,
  measureSamples,
  paperSamples,
  perfectIn,
  type Sized,
  SMALL_BATCHES,
  SMOKE,
  type SupervisedSetup,
  samplesToPerfect,
  supervisedReport,
  supervisedRuns,
  timesTheSamples,
} from "./shared.ts";

type Settings = Omit<SupervisedSetup, "task" | "chance"> & { readonly lengths: readonly Sized[] };

const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    lengths: [{ size: 3 }],
    train: { ...SMOKE.train, steps: 20, batch: 16 },
    programs: 8,
    every: 10,
  },
  laptop: {
    ...LAPTOP,
    // The curriculum has eight times the budget, and so a cosine eight times as long; the other baseline the same.
    lengths: [
      { size: 16, steps: 3000, curriculumSteps: 24_000 },
      { size: 32, steps: 8000, methods: ["linear"] },
      { size: 64, steps: 20_000, methods: ["linear"] },
    ],
    train: { ...SMALL_BATCHES, steps: 3000 },
  },
  paper: { ...paperSamples(2 ** 25), lengths: [{ size: 16 }, { size: 32 }, { size: 64 }] },
};

const compared = ["linear", "curriculum", "unsupervised"] as const satisfies readonly MethodName[];
const source = "B, Fig. 5a";
const CHANCE = 1 / 2;
const settingOf = (length: number) => `length ${length}`;

const accuracies = (result: UnreadResult, length: number, model: MethodName) =>
  measurementRows(result, { setting: settingOf(length), model }).map(readAccuracy);

export const stateParity = defineExperiment<Settings>({
  name: "state-parity",
  question: "Does state supervision teach a Transformer parity?",
  about: "Does state supervision teach a Transformer parity?",
  publishedIn: "B, Fig. 5a",
  models: describedMethods(compared),
  settings,
  published: [
    [16, 32, 64].map((length) => ({
      source,
      statement: `With linear state supervision, parity of length ${length} is solved`,
      ...{ models: ["linear"], setting: settingOf(length) },
      published: 1,
      here: "accuracy on ten times as many held-out programs as stop the training",
      unlike: "loss on the answer alone, there next token",
      measure: (result) => accuracies(result, length, "linear"),
    })),
    {
      source,
      statement: "The next token alone, without a curriculum, stays at chance at length 16",
      ...{ models: ["unsupervised"], setting: settingOf(16) },
      published: CHANCE,
      unlike: "loss on the answer alone, there next token; 48,000 samples",
      measure: (result) => accuracies(result, 16, "unsupervised"),
    },
    [16, 32].map((length) => ({
      source,
      statement: `State supervision takes a fraction of the samples of a curriculum at length ${length}`,
      ...{ models: ["linear", "curriculum"], setting: settingOf(length) },
      here: "samples of the curriculum over samples with supervision; a lower bound if its budget ended first",
      unlike: "the cosine of the curriculum is eight times as long",
      unit: "number",
      agrees: (values) => Math.min(...values) >= 1 / FAR_FEWER,
      measure: (result) => timesTheSamples(result, settingOf(length), "linear", "curriculum"),
    })),
  ],
  measurements: [samplesToPerfect],
  measureRun: measureSamples,

  plan({ lengths, ...setup }, seeds) {
    const runs = supervisedRuns(lengths, compared, seeds, (length) => ({
      setup: { ...setup, task: { name: "parity-program", length }, chance: CHANCE },
      setting: settingOf(length),
    }));
    return { runs, sample: { length: 6 } };
  },

  checks: (result, { lengths }) =>
    lengths.flatMap(({ size }) => {
      const setting = settingOf(size);
      return aboutTraining(
        ...atLeast(
          `${setting}, linear head: seeds that are perfect`,
          perfectIn(result, setting, "linear"),
          1,
          "number",
        ),
        ...atMost(
          `${setting}, unsupervised: seeds that are perfect`,
          perfectIn(result, setting, "unsupervised"),
          0,
          "number",
        ),
      );
    }),

  report: (result, { lengths, train }) =>
    supervisedReport(result, {
      settings: lengths.map(({ size }) => settingOf(size)),
      ...{ compared, batch: train.batch, chance: CHANCE },
    }),
});

/**
 * @file Is the next token easier for a model that is made to hold the state?
 *
 *     the loss on every next token of the training batches, with the linear head and without, at the same step
 *
 * Expected: the supervised run's is lower, though its gradient is of two losses. Most of it is the entropy of the bits,
 * which no model can predict: ln 2 on every bit but the last, and 0 for what is left.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024).
 */

import { mean, median } from "../../src/core/statistics.ts";
import type { TrainingCurve } from "../../src/schemas/experiment-result.ts";
import {
  aboutTraining,
  above,
  crossed,
  defineExperiment,
  modelLabel,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";
import {
  describedMethods,
  LAPTOP,
  type MethodName,
  measureSamples,
  paperSamples,
  SMALL_BATCHES,
  SMOKE,
  type SupervisedSetup,
  samplesToPerfect,
  supervisedRun,
} from "./shared.ts";

type Settings = Omit<SupervisedSetup, "task" | "chance"> & { readonly length: number };

const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    length: 3,
    train: { ...SMOKE.train, loss: "next-token", steps: 12, batch: 16 },
    programs: 8,
    every: 12,
  },
  laptop: { ...LAPTOP, length: 16, train: { ...SMALL_BATCHES, loss: "next-token", steps: 4000 } },
  paper: { ...paperSamples(2 ** 23), length: 16 },
};

const compared = ["linear", "unsupervised"] as const satisfies readonly MethodName[];

/** Tokens of a program that are predicted: 3 a line, without the very first. */
const predicted = (length: number) => 3 * (length + 2) - 1;
/** What a perfect model pays for a token: n + 1 fair bits. */
const floor = (length: number) => ((length + 1) * Math.LN2) / predicted(length);

/** The loss of the training batches, over the last tenth of what both runs of a seed did: [supervised, alone] a seed. */
function lossesOf({ seeds, training }: UnreadResult): [number, number][] {
  return seeds.flatMap((seed): [number, number][] => {
    const curves = compared.map((method) =>
      training.find((curve) => curve.model === method && curve.seed === seed),
    );
    const end = Math.min(...curves.map((curve) => curve?.points.at(-1)?.step ?? 0));
    const [supervised, alone] = curves.map((curve) =>
      (curve?.points ?? []).filter(({ step }) => step > 0.9 * end && step <= end).map(({ loss }) => loss),
    );
    return supervised.length === 0 || alone.length === 0 ? [] : [[mean(supervised), mean(alone)]];
  });
}

const WINDOWS = 20;
/** [last step, median loss] of every twentieth of the configured steps, without the first two: they are far above. */
function medians({ steps, points }: TrainingCurve): [number, number][] {
  const size = Math.max(1, Math.floor(steps / WINDOWS));
  const ends = Array.from({ length: WINDOWS - 2 }, (_, i) => (i + 3) * size);
  return ends.flatMap((end): [number, number][] => {
    const within = points.filter(({ step }) => step > end - size && step <= end);
    return within.length === 0 ? [] : [[within.at(-1)!.step, median(within.map(({ loss }) => loss))]];
  });
}

export const stateLoss = defineExperiment<Settings>({
  name: "state-loss",
  question: "Does state supervision lower the next-token loss?",
  about: "Does state supervision lower the next-token loss?",
  publishedIn: "B, in words",
  models: describedMethods(compared),
  settings,
  published: [
    {
      source: "B",
      statement: "Supervised runs have a lower next-token training loss",
      models: [...compared],
      here: "nats per token that it gains, over the last tenth of the common steps",
      unit: "nats",
      agrees: (values) => values.every((nats) => nats > 0),
      measure: (result) => lossesOf(result).map(([supervised, alone]) => alone - supervised),
    },
  ],
  measurements: [samplesToPerfect],
  measureRun: measureSamples,

  plan({ length, ...setup }, seeds) {
    const task = { name: "parity-program", length };
    return {
      runs: crossed(seeds, compared).map(([seed, method]) =>
        supervisedRun({ ...setup, task, chance: 1 / 2 }, method, seed, ""),
      ),
      sample: { length: 6 },
    };
  },

  checks: (result) =>
    aboutTraining(
      ...above(
        "nats per token more without supervision",
        lossesOf(result).map(([supervised, alone]) => alone - supervised),
        0,
        "nats",
      ),
    ),

  report: (result, { length, train }) => ({
    views: [
      {
        heading: "Next-token loss in training",
        text: "The loss of the model on every next token, without the head's.",
        caption:
          "Median of each twentieth of the steps, from the third on. A run ends when each held-out answer is right.",
        figures: [
          {
            kind: "numbers",
            title: "next-token loss above the entropy of the bits",
            yLabel: "nats per token",
            xLabel: "samples, thousands",
            levels: [
              { y: 0, label: "the bits alone" },
              { y: Math.LN2 / predicted(length), label: "answer guessed" },
            ],
            lines: compared.map((method, index) => ({
              label: modelLabel(result, method),
              index,
              seeds: result.training
                .filter(({ model }) => model === method)
                .map((curve) => ({
                  seed: curve.seed,
                  points: medians(curve).map(([step, loss]): [number, number] => [
                    (step * train.batch) / 1000,
                    loss - floor(length),
                  ]),
                })),
            })),
          },
        ],
      },
    ],
  }),
});

/**
 * @file Is the next token easier for a model that is made to hold the state?
 *
 *     the loss on every next token of the training batches, with the linear head and without, at the same step
 *
 * Expected: the supervised run's is lower, though its gradient is of two losses. Most of it is the entropy of the bits,
 * which nobody can predict: ln 2 on every bit but the last, and 0 for what is left.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024).
 */

import { median } from "../../src/math/statistics.ts";
import type { TrainingCurve } from "../../src/records/result.ts";
import { experimentReport, listed } from "../../src/report/index.ts";
import type { Experiment, Scale } from "../engine/experiment.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  describedMethods,
  lossesOf,
  type MethodName,
  measureSamples,
  SMALL_BATCHES,
  type SupervisedSetup,
  supervisedRun,
} from "./methods.ts";

const setups: Record<Scale, Omit<SupervisedSetup, "task"> & { readonly length: number }> = {
  smoke: {
    length: 3,
    model: { name: "transformer", layers: 2, width: 16, heads: 2 },
    supervision: { layer: 0 },
    train: { loss: "next-token", steps: 12, batch: 16, learningRate: 3e-3, warmupSteps: 5 },
    programs: 8,
    every: 12,
    tested: 40,
    chance: 1 / 2,
    device: "cpu",
  },
  laptop: {
    length: 16,
    model: { name: "transformer", layers: 4, width: 64, heads: 4 },
    supervision: { layer: 2 },
    train: { ...SMALL_BATCHES, loss: "next-token", steps: 4000 },
    programs: 200,
    every: 100,
    tested: 2000,
    chance: 1 / 2,
    device: "cpu",
  },
  paper: {
    length: 16,
    model: LLAMA_13M,
    train: { ...LLAMA_TRAIN, steps: 2 ** 23 / 256, batch: 256 },
    programs: 1000,
    every: 64,
    tested: 10_000,
    chance: 1 / 2,
    device: "cuda",
  },
};

const compared = ["linear", "unsupervised"] as const satisfies readonly MethodName[];

/** Tokens of a program that are predicted: 3 a line, of which nobody predicts the first. */
const predicted = (length: number) => 3 * (length + 2) - 1;
/** What a perfect model pays for a token: n + 1 fair bits. */
const floor = (length: number) => ((length + 1) * Math.LN2) / predicted(length);

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

export const stateLoss: Experiment = {
  name: "state-loss",
  question: "Is the next token easier for a model that is made to hold the state?",
  about: "is the loss on the next token lower where the state is supervised",
  publishedIn: "B, in words",
  models: describedMethods(compared),
  published: [
    {
      source: "B",
      statement: "Supervised runs have a lower next-token training loss",
      here: "nats a token more without supervision, over the last tenth of the steps that both runs did",
      unit: "nats",
      measure: (result) =>
        lossesOf(result, "", "linear", "unsupervised").map(([supervised, alone]) => alone - supervised),
    },
  ],
  measureRun: measureSamples,

  plan(scale, seeds) {
    const { length, ...setup } = setups[scale];
    const task = { name: "parity-program", length };
    return {
      runs: seeds.flatMap((seed) =>
        compared.map((method) => supervisedRun({ ...setup, task }, method, seed, "")),
      ),
      sample: { length: 6 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the methods."];
    return lossesOf(result, "", "linear", "unsupervised").flatMap(([supervised, alone], i) =>
      supervised < alone
        ? []
        : [
            `Seed ${result.seeds[i]}: ${supervised.toFixed(4)} nats with supervision, ${alone.toFixed(4)} without.`,
          ],
    );
  },

  report(result) {
    const { length, train } = setups[result.scale];
    const losses = lossesOf(result, "", "linear", "unsupervised");
    const lower = losses.filter(([supervised, alone]) => supervised < alone).length;
    return experimentReport(result, {
      title: `The next token is easier with supervision in ${lower} of ${losses.length} seeds`,
      lead: `Nats a token over the last tenth of the steps that both did, with supervision against without: ${listed(
        losses.map(([supervised, alone]) => `${supervised.toFixed(4)} against ${alone.toFixed(4)}`),
      )}. The bits alone cost ${floor(length).toFixed(4)}.`,
      views: [
        {
          heading: "The loss while they train",
          text: "Of the model itself, on every next token; the head's loss is not in it.",
          caption:
            "Medians of every twentieth of the steps, from the third on. A run that finds every held-out answer ends there.",
          figures: [
            {
              kind: "numbers" as const,
              title: "next-token loss above the entropy of the bits",
              yLabel: "nats a token",
              xLabel: "samples, thousands",
              levels: [
                { y: 0, label: "the bits alone" },
                { y: Math.LN2 / predicted(length), label: "answer guessed" },
              ],
              lines: compared.map((method, index) => ({
                label: result.models[method]!.label,
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
    });
  },
};

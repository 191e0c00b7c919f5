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

import { experimentReport, listed } from "../src/report/index.ts";
import type { Experiment, Scale } from "./experiment.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  describedMethods,
  lossesOf,
  type MethodName,
  measureSamples,
  SMALL_BATCHES,
  type SupervisedSetup,
  supervisedRun,
} from "./supervised.ts";

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

/** What a perfect model pays for a token: n + 1 fair bits, 3 tokens a line, the first of which nobody predicts. */
const floor = (length: number) => ((length + 1) * Math.LN2) / (3 * (length + 2) - 1);

export const stateLoss: Experiment = {
  name: "state-loss",
  question: "Is the next token easier for a model that is made to hold the state?",
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
      lead: `Nats a token over the last tenth of the steps that both did, with and without: ${listed(
        losses.map(([supervised, alone]) => `${supervised.toFixed(4)} and ${alone.toFixed(4)}`),
      )}. The bits alone cost ${floor(length).toFixed(4)}.`,
      views: [
        {
          heading: "The loss while they train",
          text: "Of the model itself, on every next token; the head's loss is not in it.",
          caption: "A run that finds every held-out answer ends there.",
          figures: [
            {
              kind: "numbers" as const,
              title: "next-token loss above the entropy of the bits",
              yLabel: "nats a token",
              xLabel: "samples, thousands",
              levels: [{ y: 0, label: "the bits alone" }],
              lines: compared.map((method, index) => ({
                label: result.models[method]!.label,
                index,
                seeds: result.training
                  .filter(({ model }) => model === method)
                  .map(({ seed, points }) => ({
                    seed,
                    points: points.map(({ step, loss }): [number, number] => [
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

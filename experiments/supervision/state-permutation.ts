/**
 * @file Swaps in a list of four: do the heads teach it that can say a state of several numbers?
 *
 *     decoder            a small Transformer spells the list from the hidden vector after each line
 *     contrastive        a loss pulls the hidden vector to the list, as the same model encodes it; weight 0.1 and 1
 *     unsupervised       no state supervision
 *
 * Expected, as B has it: the decoder and the contrastive loss both work; with weight 1 the latter is slower than with 0.1. Source:
 * Grounding Code Understanding in Step-by-Step Execution (2024), Fig. 5b: lists of 4, 4 to 16 swaps. Ours, below paper
 * scale: a small Transformer with a short convolution on queries, keys and values.
 */

import { chanceInARow, mean } from "../../src/core/statistics.ts";
import {
  about,
  aboutTraining,
  atLeast,
  type ClaimOf,
  check,
  defineExperiment,
  learned,
  measurementRows,
  readAccuracy,
  type Scale,
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

type Settings = Omit<SupervisedSetup, "task" | "chance"> & { readonly swaps: readonly Sized[] };

const SIZE = 4;
const CHANCE = chanceInARow(SIZE);
const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    swaps: [{ size: 2, methods: ["decoder", "contrastive 0.1"] }],
    programs: 20,
    every: 10,
  },
  laptop: {
    ...LAPTOP,
    swaps: [{ size: 4 }],
    // The convolution lets a newline see both places of its line at once, in place of a first layer.
    model: { ...LAPTOP.model, width: 128, heads: 8, convolution: 4 },
    train: { ...SMALL_BATCHES, steps: 3000 },
  },
  paper: { ...paperSamples(2 ** 23), swaps: [{ size: 4 }, { size: 8 }, { size: 16 }] },
};

const compared = [
  "decoder",
  "contrastive 0.1",
  "contrastive 1",
  "unsupervised",
] as const satisfies readonly MethodName[];
/** What is published to work, and how it is called there. */
const working = { decoder: "Transformer head", "contrastive 0.1": "contrastive loss" } as const;
const workingNames = Object.keys(working) as (keyof typeof working)[];
const source = "B, Fig. 5b";
const settingOf = (swaps: number) => `${swaps} swaps`;

const claimsAt = (swaps: number): ClaimOf<Settings>[] => [
  ...workingNames.map(
    (model): ClaimOf<Settings> => ({
      source,
      statement: `A list of 4 after ${swaps} swaps is learned with the ${working[model]}`,
      ...{ models: [model], setting: settingOf(swaps) },
      here: "share of correct list entries, on held-out programs",
      unlike: "loss on the answer alone, there next token",
      agrees: (values) => mean(values) >= learned.least,
      measure: (result) => measurementRows(result, { setting: settingOf(swaps), model }).map(readAccuracy),
    }),
  ),
  {
    source,
    statement: `The contrastive loss with weight 1 is slower than with 0.1 (${swaps} swaps)`,
    ...{ models: ["contrastive 0.1", "contrastive 1"], setting: settingOf(swaps) },
    here: "ratio of samples until perfect; an upper bound if the budget of 0.1 ended first",
    unlike: "loss on the answer alone, there next token; temperature 0.07, our choice",
    unit: "number",
    agrees: (values) => Math.min(...values) > 1 || (Math.max(...values) > 1 ? "inconclusive" : false),
    measure: (result) => timesTheSamples(result, settingOf(swaps), "contrastive 0.1", "contrastive 1"),
  },
];

export const statePermutation = defineExperiment<Settings>({
  name: "state-permutation",
  question: "Does state supervision teach a Transformer to permute a list?",
  about: "Does state supervision teach a Transformer to permute a list?",
  publishedIn: "B, Fig. 5b",
  models: describedMethods(compared),
  settings,
  published: [4, 8, 16].flatMap(claimsAt),
  measurements: [samplesToPerfect],
  measureRun: measureSamples,

  plan({ swaps, ...setup }, seeds) {
    const runs = supervisedRuns(swaps, compared, seeds, (length) => ({
      setup: { ...setup, task: { name: "list-permutation", size: SIZE, length }, chance: CHANCE },
      setting: settingOf(length),
    }));
    return { runs, sample: { length: 3 } };
  },

  checks: (result, { swaps }) =>
    swaps.flatMap(({ size }) => {
      const setting = settingOf(size);
      const times = timesTheSamples(result, setting, "contrastive 0.1", "contrastive 1");
      return [
        ...workingNames.flatMap((method) => {
          const name = `${setting}, ${method}: seeds that are perfect`;
          return aboutTraining(...atLeast(name, perfectIn(result, setting, method), 1, "number"));
        }),
        ...about(
          ["contrastive 0.1", "contrastive 1"],
          check(
            `${setting}: samples of contrastive 1 over those of 0.1`,
            "mean above 1",
            times,
            mean(times) > 1,
            "number",
          ),
          setting,
        ),
      ];
    }),

  report: (result, { swaps, train }) =>
    supervisedReport(result, {
      settings: swaps.map(({ size }) => settingOf(size)),
      ...{ compared, batch: train.batch, chance: CHANCE },
    }),
});

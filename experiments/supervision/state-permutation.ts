/**
 * @file Swaps in a list of four: do the heads teach it that can say a state of several numbers?
 *
 *     decoder            a small Transformer spells the list from the hidden vector after each line
 *     contrastive        the hidden vector is told to be near the list, as the same model reads it; weight 0.1 and 1
 *     unsupervised       no state supervision
 *
 * Expected: the decoder and the contrastive loss both work; with weight 1 the latter is slower than with 0.1. Source:
 * Grounding Code Understanding in Step-by-Step Execution (2024), Fig. 5b: lists of 4, 4 to 16 swaps. Ours, below paper
 * scale: a small Transformer with a short convolution on queries, keys and values.
 */

import { chanceInARow, mean } from "../../src/math/statistics.ts";
import { listed, percentSign } from "../../src/report/index.ts";
import type { Experiment, PublishedClaim, Scale } from "../engine/experiment.ts";
import { rowsOf } from "../engine/views.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  alwaysPerfect,
  describedMethods,
  type MethodName,
  measureSamples,
  notEnough,
  type Sized,
  SMALL_BATCHES,
  type SupervisedSetup,
  supervisedRuns,
  timesTheSamples,
} from "./methods.ts";
import { supervisedReport } from "./report.ts";

type Setup = Omit<SupervisedSetup, "task"> & {
  readonly swaps: readonly Sized[];
};

const SIZE = 4;
const CHANCE = chanceInARow(SIZE);
/** With that, where all even permutations of the first list are equally likely: the last but one follows from those before it. */
const EVEN = CHANCE + (1 - 1 / 2) / SIZE;

const setups: Record<Scale, Setup> = {
  smoke: {
    swaps: [{ size: 2, methods: ["decoder", "contrastive 0.1"] }],
    model: { name: "transformer", layers: 2, width: 16, heads: 2 },
    supervision: { layer: 0 },
    train: { steps: 10, batch: 8, learningRate: 3e-3, warmupSteps: 5 },
    programs: 20,
    every: 10,
    tested: 40,
    chance: CHANCE,
    device: "cpu",
  },
  laptop: {
    swaps: [
      { size: 4, steps: 3000 },
      { size: 8, steps: 12_000, methods: ["decoder", "contrastive 0.1", "contrastive 1"], seeds: 1 },
    ],
    // The convolution lets a newline see both places of its line at once, in place of a first layer.
    model: { name: "transformer", layers: 4, width: 128, heads: 8, convolution: 4 },
    supervision: { layer: 2 },
    train: { ...SMALL_BATCHES, steps: 3000 },
    programs: 200,
    every: 100,
    tested: 2000,
    chance: CHANCE,
    device: "cpu",
  },
  paper: {
    swaps: [{ size: 4 }, { size: 8 }, { size: 16 }],
    model: LLAMA_13M,
    train: { ...LLAMA_TRAIN, steps: 2 ** 23 / 256, batch: 256 },
    programs: 1000,
    every: 64,
    tested: 10_000,
    chance: CHANCE,
    device: "cuda",
  },
};

const compared = [
  "decoder",
  "contrastive 0.1",
  "contrastive 1",
  "unsupervised",
] as const satisfies readonly MethodName[];
const source = "B, Fig. 5b";
const settingOf = (swaps: number) => `${swaps} swaps`;

const claims: PublishedClaim[] = [4, 8, 16].flatMap((swaps): PublishedClaim[] => [
  ...(["decoder", "contrastive 0.1"] as const).map(
    (method): PublishedClaim => ({
      source,
      statement: `A list of 4 after ${swaps} swaps is learned with the ${method === "decoder" ? "Transformer head" : "contrastive loss"}`,
      here: "share of the list's numbers that are right, on held-out programs",
      measure: (result) =>
        rowsOf(result, { setting: settingOf(swaps), model: method }).map(({ accuracy }) => accuracy),
    }),
  ),
  {
    source,
    statement: `The contrastive loss with weight 1 is slower than with 0.1 (${swaps} swaps)`,
    here: "how many times the samples it saw, each until it was perfect or its budget ended",
    unit: "number",
    measure: (result) => timesTheSamples(result, settingOf(swaps), "contrastive 0.1", "contrastive 1"),
  },
]);

export const statePermutation: Experiment = {
  name: "state-permutation",
  question: "Do a decoder and a contrastive loss on its states teach a Transformer to permute a list?",
  about: "the same of a list of four that is swapped",
  publishedIn: "B, Fig. 5b",
  models: describedMethods(compared),
  published: claims,
  measureRun: measureSamples,

  plan(scale, seeds) {
    const { swaps, ...setup } = setups[scale];
    const runs = supervisedRuns(swaps, compared, seeds, (length) => ({
      setup: { ...setup, task: { name: "list-permutation", size: SIZE, length } },
      setting: settingOf(length),
    }));
    return { runs, sample: { length: 3 } };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the methods."];
    return setups[result.scale].swaps.flatMap(({ size: swaps }) => {
      const setting = settingOf(swaps);
      const times = timesTheSamples(result, setting, "contrastive 0.1", "contrastive 1");
      return [
        ...(["decoder", "contrastive 0.1"] as const).flatMap((method) =>
          notEnough(result, setting, method).map((text) => `${swaps} swaps, ${method}: ${text}`),
        ),
        ...(times.length > 0 && mean(times) <= 1
          ? [
              `${swaps} swaps: the contrastive loss with weight 1 takes ${mean(times).toFixed(2)} times the samples of 0.1, where more is published.`,
            ]
          : []),
      ];
    });
  },

  report(result) {
    const { swaps, train, chance } = setups[result.scale];
    const sizes = swaps.map(({ size }) => size);
    const solved = sizes.filter((each) => alwaysPerfect(result, settingOf(each), "decoder"));
    return supervisedReport(result, {
      title:
        solved.length === 0
          ? "The decoder head solves no number of swaps that was tried"
          : `The decoder head solves ${listed(solved.map(String))} swaps`,
      settings: sizes.map(settingOf),
      compared,
      batch: train.batch,
      chance,
      guess: `A guess has ${percentSign(chance)}, since the last of four numbers is what is left; who also knows that an even number of swaps leaves an even permutation, ${percentSign(EVEN)}.`,
    });
  },
};

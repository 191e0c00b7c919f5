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

import { listed } from "../../src/report/index.ts";
import type { Experiment, PublishedClaim, Scale, UnreadResult } from "../engine/experiment.ts";
import { rowsOf } from "../engine/views.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  alwaysPerfect,
  describedMethods,
  inWords,
  type MethodName,
  measureSamples,
  notEnough,
  type Sized,
  SMALL_BATCHES,
  type SupervisedSetup,
  samplesOf,
  supervisedRuns,
  timesTheSamples,
} from "./methods.ts";
import { supervisedReport } from "./report.ts";

type Setup = Omit<SupervisedSetup, "task"> & { readonly lengths: readonly Sized[] };

const setups: Record<Scale, Setup> = {
  smoke: {
    lengths: [{ size: 3 }],
    model: { name: "transformer", layers: 2, width: 16, heads: 2 },
    supervision: { layer: 0 },
    train: { steps: 20, batch: 16, learningRate: 3e-3, warmupSteps: 5 },
    programs: 8,
    every: 10,
    tested: 40,
    chance: 1 / 2,
    device: "cpu",
  },
  laptop: {
    // The baselines have eight times the budget, or the same, where that is affordable.
    lengths: [
      { size: 16, steps: 3000, curriculumSteps: 24_000 },
      { size: 32, steps: 8000, methods: ["linear"] },
      { size: 64, steps: 20_000, methods: ["linear"] },
    ],
    model: { name: "transformer", layers: 4, width: 64, heads: 4 },
    supervision: { layer: 2 },
    train: { ...SMALL_BATCHES, steps: 3000 },
    programs: 200,
    every: 100,
    tested: 2000,
    chance: 1 / 2,
    device: "cpu",
  },
  paper: {
    lengths: [{ size: 16 }, { size: 32 }, { size: 64 }],
    model: LLAMA_13M,
    train: { ...LLAMA_TRAIN, steps: 2 ** 25 / 256, batch: 256 },
    programs: 1000,
    every: 64,
    tested: 10_000,
    chance: 1 / 2,
    device: "cuda",
  },
};

const compared = ["linear", "curriculum", "unsupervised"] as const satisfies readonly MethodName[];
const source = "B, Fig. 5a";
const settingOf = (length: number) => `length ${length}`;

const accuracies = (result: UnreadResult, length: number, model: MethodName) =>
  rowsOf(result, { setting: settingOf(length), model }).map(({ accuracy }) => accuracy);

const claims: PublishedClaim[] = [
  ...[16, 32, 64].map(
    (length): PublishedClaim => ({
      source,
      statement: `With linear state supervision every held-out answer is right at length ${length}`,
      published: 1,
      here: "of ten times as many held-out programs as stop the training when all are right",
      measure: (result) => accuracies(result, length, "linear"),
    }),
  ),
  {
    source,
    statement: "The next token alone, without a curriculum, stays at chance at length 16",
    published: 1 / 2,
    measure: (result) => accuracies(result, 16, "unsupervised"),
  },
  ...[16, 32].map(
    (length): PublishedClaim => ({
      source,
      statement: `State supervision takes a fraction of the samples of a curriculum at length ${length}`,
      here: "how many times as many samples the curriculum saw, until it was perfect or its budget ended",
      unit: "number",
      measure: (result) => timesTheSamples(result, settingOf(length), "linear", "curriculum"),
    }),
  ),
];

export const stateParity: Experiment = {
  name: "state-parity",
  question: "Does state supervision teach a Transformer parity, which it does not learn from answers alone?",
  about: "does supervision of the state teach parity, which answers alone do not",
  publishedIn: "B, Fig. 5a",
  models: describedMethods(compared),
  published: claims,
  measureRun: measureSamples,

  plan(scale, seeds) {
    const { lengths, ...setup } = setups[scale];
    const runs = supervisedRuns(lengths, compared, seeds, (length) => ({
      setup: { ...setup, task: { name: "parity-program", length } },
      setting: settingOf(length),
    }));
    return { runs, sample: { length: 6 } };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the methods."];
    return setups[result.scale].lengths.flatMap(({ size: length }) => {
      const learned = samplesOf(result, settingOf(length), "unsupervised").filter(({ perfect }) => perfect);
      return [
        ...notEnough(result, settingOf(length), "linear").map(
          (text) => `Length ${length}: with linear supervision ${text}`,
        ),
        ...(learned.length === 0
          ? []
          : [
              `Length ${length}: without supervision ${inWords(learned)} samples were enough, where chance is published.`,
            ]),
      ];
    });
  },

  report(result) {
    const { lengths } = setups[result.scale];
    const sizes = lengths.map(({ size }) => size);
    const solved = sizes.filter((length) => alwaysPerfect(result, settingOf(length), "linear"));
    return supervisedReport(result, {
      title:
        solved.length === 0
          ? "State supervision solves parity at no length that was tried"
          : `State supervision solves parity of ${listed(solved.map(String))} lines`,
      settings: sizes.map(settingOf),
      compared,
      batch: setups[result.scale].train.batch,
      chance: 1 / 2,
      guess: "A guess has 50 %.",
    });
  },
};

/**
 * @file Can one layer of DeltaNet do any permutation of five, one swap a token, far beyond its training length?
 *
 *     trained   words of 32 swaps in S_5, the product asked after every one
 *     tested    words of 500, accuracy by position
 *
 * Expected: [-1,1] with one layer and no convolution is right to 500; [0,1], even with more layers, goes just past 32.
 * Source: Grazzi et al. 2025, arXiv:2411.12537 (1.6 million examples, 100 epochs, 4 heads).
 */

import { mean } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { described } from "../engine/architectures.ts";
import type { Experiment, Scale } from "../engine/experiment.ts";
import { byPosition, lines, rowsOf } from "../engine/views.ts";
import { type WordsSetup, wordsRun } from "./setup.ts";

interface ScaleSettings extends Omit<WordsSetup, "stages" | "task"> {
  readonly group: string;
  readonly lengths: readonly number[];
  readonly tested: number;
  /** Layers of the model in [0,1], which one layer would not do justice to. */
  readonly positiveLayers: number;
}

const settings: Record<Scale, ScaleSettings> = {
  smoke: {
    group: "S_3",
    lengths: [2, 4],
    tested: 16,
    positiveLayers: 2,
    model: { width: 16, feedForward: 32 },
    heads: 2,
    train: { steps: 15, batch: 16, warmupSteps: 5 },
    memory: 100,
    programs: 30,
    device: "cpu",
  },
  laptop: {
    group: "S_5",
    lengths: [2, 4, 8, 16, 32],
    tested: 500,
    positiveLayers: 5,
    model: { width: 128, feedForward: 256 },
    heads: 4,
    // Not more: after 1,500 steps it is as right at 32 and lost at 500 (evidence/s5-swaps/log.md).
    train: { steps: 600, batch: 64, warmupSteps: 100, schedule: "constant" },
    memory: 2000,
    programs: 200,
    device: "cpu",
  },
  paper: {
    group: "S_5",
    lengths: [2, 4, 8, 16, 32],
    tested: 500,
    positiveLayers: 5,
    model: { width: 128, feedForward: 512 },
    heads: 4,
    train: { steps: 100_000, batch: 512, warmupSteps: 1000, schedule: "cosine" },
    memory: 10_000,
    programs: 1000,
    device: "cuda",
  },
};

const learningRates = { "deltanet[-1,1]": 1e-3, "deltanet[0,1]": 1e-3 } as const;
const compared = Object.keys(learningRates) as (keyof typeof learningRates)[];
const labels = { "deltanet[-1,1]": "DeltaNet [-1,1], 1 layer", "deltanet[0,1]": "DeltaNet [0,1]" } as const;

const lengthName = (length: number) => `length ${length}`;
const atEnd = ({ accuracyLast }: ResultRow) => accuracyLast;

export const s5Swaps: Experiment = {
  name: "s5-swaps",
  question:
    "Does one layer with eigenvalues in [-1,1] follow swaps of five things to fifteen times its training length?",
  about: "one layer, swaps of five things, trained at 32, tested to 500",
  publishedIn: "G",
  models: Object.fromEntries(
    Object.entries(described(compared)).map(([name, about]) => [
      name,
      { ...about, label: labels[name as keyof typeof labels] }, // described keeps the names it is given
    ]),
  ),
  published: [
    {
      source: "Grazzi et al. 2025, arXiv:2411.12537",
      statement: "DeltaNet [-1,1] with 1 layer and no convolution, trained at 32, is right at length 500",
      published: 1,
      here: "accuracy at the last position of the longest test",
      over: "best",
      measure: (result) =>
        rowsOf(result, { model: "deltanet[-1,1]", test: lengthName(settings[result.scale].tested) }).map(
          atEnd,
        ),
    },
    {
      source: "Grazzi et al. 2025, arXiv:2411.12537",
      statement: "DeltaNet [0,1] with 5 layers goes just past 32",
      here: "accuracy at the last position of the longest test",
      over: "best",
      measure: (result) =>
        rowsOf(result, { model: "deltanet[0,1]", test: lengthName(settings[result.scale].tested) }).map(
          atEnd,
        ),
    },
  ],

  plan(scale, seeds) {
    const { group, lengths, tested, positiveLayers, ...setup } = settings[scale];
    const trained = Math.max(...lengths);
    const order = group === "S_5" ? 120 : 6;
    const stages = lengths.map((length) => [{ length }]);
    const task = { name: "group-words", group, generators: "swaps", length: trained };
    const layers = { "deltanet[-1,1]": 1, "deltanet[0,1]": positiveLayers };
    return {
      runs: seeds.flatMap((seed) =>
        compared.map((model) => {
          const own = { ...setup.model, layers: layers[model], convolution: 0 };
          return {
            setting: "",
            model,
            config: wordsRun({ ...setup, task, stages, model: own }, model, seed, learningRates[model]),
            tests: [trained, tested].map((length) => ({
              name: lengthName(length),
              change: { length },
              asTrained: length === trained,
              chance: 1 / order,
            })),
          };
        }),
      ),
      sample: { length: Math.min(8, trained) },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const test = lengthName(settings[result.scale].tested);
    const best = Math.max(...rowsOf(result, { model: "deltanet[-1,1]", test }).map(atEnd));
    const short =
      best < 0.99
        ? [`The best seed of DeltaNet [-1,1] ends at ${percentSign(best)}, below the expected 99 %.`]
        : [];
    const long = rowsOf(result, { model: "deltanet[0,1]", test })
      .filter((row) => atEnd(row) > 0.5)
      .map(
        ({ seed, ...row }) =>
          `DeltaNet [0,1] (seed ${seed}) still has ${percentSign(row.accuracyLast)} at ${test}.`,
      );
    const stuck = result.training.flatMap(({ model, seed, points }) =>
      points.at(-1)?.stage === String(Math.max(...settings[result.scale].lengths))
        ? []
        : [`${model} (seed ${seed}): its curriculum ended at length ${points.at(-1)?.stage}.`],
    );
    return [...short, ...long, ...stuck];
  },

  report(result) {
    const { tested, lengths, group } = settings[result.scale];
    const trained = Math.max(...lengths);
    const test = lengthName(tested);
    const ends = compared.flatMap((model) => {
      const own = rowsOf(result, { model, test }).map(atEnd);
      if (own.length === 0) return [];
      return [`${labels[model]} ${own.map((share) => percentSign(share)).join(", ")}`];
    });
    const own = rowsOf(result, { model: "deltanet[-1,1]", test }).map(atEnd);
    const right = own.filter((share) => share >= 0.99).length;
    const over = `of ${own.length} ${own.length === 1 ? "seed" : "seeds"}`;
    return experimentReport(result, {
      title: `One layer in [-1,1] is right at length ${tested} in ${right} ${over}`,
      lead: `Trained to length ${trained} on ${group}. Accuracy at position ${tested}, by seed: ${listed(ends)}. Mean over all positions: ${listed(
        compared.map((model) => {
          const rows = rowsOf(result, { model, test });
          return `${labels[model]} ${rows.length === 0 ? "not tested" : percentSign(mean(rows.map(({ accuracy }) => accuracy)))}`;
        }),
      )}.`,
      views: [
        {
          heading: "Accuracy by position",
          text: "The product of all swaps so far, asked after every swap. Beyond the rule nothing was trained.",
          caption: "Scaled accuracy: 0 is a uniform guess over the group. Thin lines: seeds.",
          figures: [
            lines(result, {
              title: `${group}, one swap a token`,
              xLabel: "swaps so far (scaled accuracy)",
              scale: "linear",
              chance: 0,
              setting: "",
              points: byPosition(test, 1),
              mark: { x: trained, label: `trained to ${trained}` },
              reference: "none",
            }),
          ],
        },
      ],
    });
  },
};

/**
 * @file Which recurrences can count modulo two, and compute modulo five? The two halves of G's table, an experiment each.
 *
 *     parity-table       parity of 3 to 40 bits, tested at 40 to 256
 *     arithmetic-table   expressions of 3 to 40 numbers and operators modulo 5, no brackets, tested at 40 to 256
 *
 * Expected: scaled accuracy 1 on parity for sLSTM, Mamba [-1,1] and DeltaNet [-1,1], 0 for the others; on arithmetic
 * DeltaNet [-1,1] before sLSTM, and both before the rest. Source: Grazzi et al. 2025, arXiv:2411.12537: 2 layers (3 for
 * arithmetic), d = 128, 4 heads, 20 million strings with one target each, best of 3 seeds and of four learning rates.
 * Ours at laptop scale: the state is a target after every bit or number in training (one at the end in tests), so that a
 * thousandth of the strings is enough; arithmetic in shorter expressions, 3 to 15 and 15 to 96, by the adaptive curriculum.
 */

import { scaledAccuracy } from "../../src/math/statistics.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { type ArchitectureName, architectures, described } from "../engine/architectures.ts";
import type { Experiment, PlannedRun, PublishedClaim, Scale, UnreadResult } from "../engine/experiment.ts";
import { rowsOf, scaled } from "../engine/views.ts";
import { type WordsSetup, wordsRun } from "./setup.ts";

interface Settings extends Omit<WordsSetup, "task"> {
  readonly tested: readonly [least: number, most: number];
  /** What else is different in the task that is trained. */
  readonly training?: Readonly<Record<string, unknown>>;
}

/** Half of G's table. */
interface Half {
  readonly name: string;
  readonly question: string;
  readonly about: string;
  readonly problem: string;
  readonly task: string;
  readonly chance: number;
  /** What else is different in the task that is asked about. */
  readonly asked?: Readonly<Record<string, unknown>>;
  /** What is not as in G where it runs on a laptop. */
  readonly here: string;
  /** Scaled accuracy, best of three. */
  readonly published: Readonly<Record<ComparedName, number>>;
  readonly settings: Record<Scale, Settings>;
}

const compared = [
  "transformer",
  "mlstm",
  "slstm",
  "mamba[0,1]",
  "mamba[-1,1]",
  "deltanet[0,1]",
  "deltanet[-1,1]",
] as const satisfies readonly ArchitectureName[];
type ComparedName = (typeof compared)[number];

/** Of 1e-3, 3e-3 and 1e-2 on a seed that no result uses. */
const learningRates: Readonly<Partial<Record<ComparedName, number>>> = {
  "mamba[0,1]": 1e-2,
  "mamba[-1,1]": 1e-2,
};
const learningRate = 3e-3;

const lengths = (...longest: number[]) => longest.map((most) => [{ length: [3, most] }]);

const laptop = {
  model: { layers: 2, width: 64, feedForward: 128 },
  heads: 4,
  memory: 600,
  programs: 1000,
  device: "cpu",
} as const;
const smoke = {
  ...laptop,
  model: { layers: 1, width: 16, feedForward: 16 },
  train: { steps: 10, batch: 16, warmupSteps: 5 },
  programs: 30,
} as const;
const paper = {
  ...laptop,
  stages: lengths(40),
  tested: [40, 256],
  train: { steps: 20_000, batch: 1024, warmupSteps: 2000, schedule: "cosine", weightDecay: 0.1 },
  device: "cuda",
} as const;

const parity: Half = {
  name: "parity-table",
  question: "Which recurrences follow parity beyond their training length?",
  about: "parity beyond the training length",
  problem: "parity",
  task: "parity",
  chance: 1 / 2,
  asked: { targets: "last" },
  here: "at laptop scale a target after every bit in training",
  published: {
    transformer: 0.022,
    mlstm: 0.087,
    slstm: 1,
    "mamba[0,1]": 0,
    "mamba[-1,1]": 1,
    "deltanet[0,1]": 0.017,
    "deltanet[-1,1]": 1,
  },
  settings: {
    smoke: { ...smoke, stages: lengths(4, 6), tested: [6, 12] },
    laptop: {
      ...laptop,
      stages: lengths(40),
      tested: [40, 256],
      training: { targets: "each" },
      train: { steps: 500, batch: 32, warmupSteps: 50, schedule: "cosine", finalShare: 0.02 },
    },
    paper: { ...paper, model: { layers: 2, width: 128, feedForward: 512 } },
  },
};

const arithmetic: Half = {
  name: "arithmetic-table",
  question: "Which recurrences compute modulo five beyond their training length?",
  about: "arithmetic modulo five beyond the training length",
  problem: "modular arithmetic",
  task: "modular-arithmetic",
  chance: 1 / 5,
  here: "at laptop scale lengths 15 to 96, trained to 15, with state supervision after every number",
  published: {
    transformer: 0.031,
    mlstm: 0.04,
    slstm: 0.787,
    "mamba[0,1]": 0.095,
    "mamba[-1,1]": 0.241,
    "deltanet[0,1]": 0.314,
    "deltanet[-1,1]": 0.971,
  },
  settings: {
    smoke: { ...smoke, stages: lengths(3, 5), tested: [5, 11] },
    laptop: {
      ...laptop,
      stages: lengths(3, 5, 9, 15),
      tested: [15, 96],
      stateSupervision: { head: "linear" },
      model: { ...laptop.model, layers: 3 },
      train: { steps: 2000, batch: 128, warmupSteps: 50, schedule: "cosine", finalShare: 0.02 },
    },
    paper: { ...paper, model: { layers: 3, width: 128, feedForward: 512 } },
  },
};

const testName = ({ settings }: Half, scale: Scale) => `length ${settings[scale].tested.join("–")}`;

/** Scaled accuracy beyond training, one a seed. */
function beyond(result: UnreadResult, half: Half, model: string): number[] {
  return rowsOf(result, { model, test: testName(half, result.scale) }).map(scaled);
}

function runsOf({ problem, task, chance, asked, settings }: Half, scale: Scale, seed: number): PlannedRun[] {
  const { tested, training, ...setup } = settings[scale];
  const [longest] = setup.stages.at(-1)!;
  const test = (length: unknown, asTrained: boolean) => ({
    name: `length ${[length].flat().join("–")}`,
    change: { length, ...asked },
    asTrained,
    chance,
  });
  return compared.map((model) => ({
    setting: problem,
    model,
    config: wordsRun(
      { ...setup, task: { name: task, ...training, ...longest } },
      model,
      seed,
      learningRates[model] ?? learningRate,
    ),
    tests: [test(longest.length, true), test(tested, false)],
  }));
}

function experimentOn(half: Half): Experiment {
  const { name, question, about, problem, chance, here, published } = half;
  const bestOf = (result: UnreadResult, model: ComparedName) => {
    const values = beyond(result, half, model);
    return values.length === 0 ? [] : [{ model, best: Math.max(...values) }];
  };
  return {
    name,
    question,
    about,
    publishedIn: "G",
    models: described(compared),
    published: compared.map(
      (model): PublishedClaim => ({
        source: "Grazzi et al. 2025, arXiv:2411.12537",
        statement: `Scaled accuracy of ${architectures[model].label} on ${problem}, lengths 40 to 256`,
        here,
        published: published[model],
        over: "best",
        measure: (result) => beyond(result, half, model),
      }),
    ),

    plan: (scale, seeds) => ({
      runs: seeds.flatMap((seed) => runsOf(half, scale, seed)),
      sample: { length: 8 },
    }),

    findings(result) {
      if (result.scale === "smoke")
        return ["Smoke scale only shows that everything runs; it says nothing about the models."];
      return compared
        .flatMap((model) => bestOf(result, model))
        .filter(({ model, best }) => Math.abs(best - published[model]) > 0.1)
        .map(
          ({ model, best }) =>
            `${architectures[model].label} on ${problem}: best ${best.toFixed(3)} where ${published[model]} is published.`,
        );
    },

    report(result) {
      const bests = compared.flatMap((model) => bestOf(result, model));
      const solved = bests.filter(({ best }) => best >= 0.9).map(({ model }) => architectures[model].label);
      const seeds = result.seeds.length === 1 ? "one seed" : `${result.seeds.length} seeds`;
      const scores = listed(
        bests.map(({ model, best }) => `${architectures[model].label} ${best.toFixed(3)}`),
      );
      const longest = (change: Readonly<Record<string, unknown>>) =>
        Math.max(...[change.length].flat().map(Number));
      return experimentReport(result, {
        title: `${problem[0].toUpperCase()}${problem.slice(1)} beyond training is solved by ${solved.length === 0 ? "no model" : listed(solved)}`,
        lead: `Best of ${seeds}, scaled accuracy on longer strings than trained (above 0.9 counts as solved): ${scores}. Chance is ${percentSign(chance)} of answers, 0 scaled.`,
        views: [
          {
            heading: "Trained lengths, and longer ones",
            text: "Scaled accuracy by the longest length of the test: left as trained, right beyond.",
            caption: "0 is a uniform guess, 100 no mistake. Strong line: mean over seeds.",
            figures: [
              {
                kind: "lines",
                title: problem,
                xLabel: "longest length of the test (scaled accuracy)",
                scale: "log2",
                chance: 0,
                lines: bests.map(({ model }) => ({
                  label: architectures[model].label,
                  index: compared.indexOf(model),
                  seeds: result.seeds.map((seed) => ({
                    seed,
                    points: rowsOf(result, { model })
                      .filter((row) => row.seed === seed)
                      .map((row): [number, number] => [
                        longest(row.tested.change),
                        scaledAccuracy(row.accuracy, row.tested.chance),
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
}

export const parityTable = experimentOn(parity);
export const arithmeticTable = experimentOn(arithmetic);

/**
 * @file Which recurrences can count modulo two, and compute modulo five? G's table.
 *
 *     trained   parity of 3 to 40 bits; expressions of 3 to 40 numbers and operators modulo 5, no brackets
 *     tested    lengths 40 to 256
 *
 * Expected: scaled accuracy 1 on parity for sLSTM, Mamba [-1,1] and DeltaNet [-1,1], 0 for the others; on arithmetic
 * DeltaNet [-1,1] before sLSTM, and both before the rest. Source: Grazzi et al. 2025, arXiv:2411.12537: 2 layers (3 for
 * arithmetic), d = 128, 4 heads, 20 million strings with one target each, best of 3 seeds and of four learning rates.
 * Ours at laptop scale: the state is a target after every bit or number in training (one at the end in tests), so that a
 * thousandth of the strings is enough; arithmetic in shorter expressions, 3 to 15 and 15 to 96, by the adaptive curriculum.
 */

import { scaledAccuracy } from "../src/math/statistics.ts";
import { experimentReport, listed, percentSign } from "../src/report/index.ts";
import { type ArchitectureName, architectures, described } from "./architectures.ts";
import type { Experiment, Measured, PlannedRun, PublishedClaim, Scale } from "./experiment.ts";
import { rowsOf, scaled } from "./views.ts";
import { type WordsSetup, wordsRun } from "./words.ts";

type Problem = "parity" | "modular arithmetic";

interface ProblemSettings extends Omit<WordsSetup, "task"> {
  readonly tested: readonly [least: number, most: number];
  /** What else is different in the task that is trained. */
  readonly training?: Readonly<Record<string, unknown>>;
}

const problems: Record<Problem, { readonly task: string; readonly chance: number; readonly asked?: object }> =
  {
    parity: { task: "parity", chance: 1 / 2, asked: { targets: "last" } },
    "modular arithmetic": { task: "modular-arithmetic", chance: 1 / 5 },
  };

const lengths = (...longest: number[]) => longest.map((most) => [{ length: [3, most] }]);

const laptop = {
  model: { layers: 2, width: 64, feedForward: 128 },
  heads: 4,
  memory: 600,
  programs: 1000,
  device: "cpu",
} as const;

const settings: Record<Scale, Record<Problem, ProblemSettings>> = {
  smoke: {
    parity: {
      stages: lengths(4, 6),
      tested: [6, 12],
      ...laptop,
      model: { layers: 1, width: 16, feedForward: 16 },
      train: { steps: 10, batch: 16, warmupSteps: 5 },
      programs: 30,
    },
    "modular arithmetic": {
      stages: lengths(3, 5),
      tested: [5, 11],
      ...laptop,
      model: { layers: 1, width: 16, feedForward: 16 },
      train: { steps: 10, batch: 16, warmupSteps: 5 },
      programs: 30,
    },
  },
  laptop: {
    parity: {
      stages: lengths(40),
      tested: [40, 256],
      training: { targets: "each" },
      ...laptop,
      train: { steps: 500, batch: 32, warmupSteps: 50, schedule: "cosine", finalShare: 0.02 },
    },
    "modular arithmetic": {
      stages: lengths(3, 5, 9, 15),
      tested: [15, 96],
      stateSupervision: { head: "linear" },
      ...laptop,
      model: { ...laptop.model, layers: 3 },
      train: { steps: 2000, batch: 128, warmupSteps: 50, schedule: "cosine", finalShare: 0.02 },
    },
  },
  paper: {
    parity: {
      stages: lengths(40),
      tested: [40, 256],
      ...laptop,
      model: { layers: 2, width: 128, feedForward: 512 },
      train: { steps: 20_000, batch: 1024, warmupSteps: 2000, schedule: "cosine", weightDecay: 0.1 },
      device: "cuda",
    },
    "modular arithmetic": {
      stages: lengths(40),
      tested: [40, 256],
      ...laptop,
      model: { layers: 3, width: 128, feedForward: 512 },
      train: { steps: 20_000, batch: 1024, warmupSteps: 2000, schedule: "cosine", weightDecay: 0.1 },
      device: "cuda",
    },
  },
};

/** G's table: scaled accuracy, best of three. */
const published = {
  transformer: { parity: 0.022, "modular arithmetic": 0.031 },
  mlstm: { parity: 0.087, "modular arithmetic": 0.04 },
  slstm: { parity: 1, "modular arithmetic": 0.787 },
  "mamba[0,1]": { parity: 0, "modular arithmetic": 0.095 },
  "mamba[-1,1]": { parity: 1, "modular arithmetic": 0.241 },
  "deltanet[0,1]": { parity: 0.017, "modular arithmetic": 0.314 },
  "deltanet[-1,1]": { parity: 1, "modular arithmetic": 0.971 },
} as const satisfies Partial<Record<ArchitectureName, Record<Problem, number>>>;

const hereOf: Record<Problem, string> = {
  parity: "at laptop scale a target after every bit in training",
  "modular arithmetic":
    "at laptop scale lengths 15 to 96, trained to 15, with state supervision after every number",
};

const compared = Object.keys(published) as (keyof typeof published)[];
const problemNames = Object.keys(problems) as Problem[];
/** Of 1e-3, 3e-3 and 1e-2 on a seed that no result uses. */
const learningRates: Readonly<Partial<Record<string, number>>> = { "mamba[0,1]": 1e-2, "mamba[-1,1]": 1e-2 };
const learningRate = 3e-3;

const testName = (scale: Scale, problem: Problem) => `length ${settings[scale][problem].tested.join("–")}`;

/** Scaled accuracy beyond training, one a seed. */
function beyond(result: Measured, problem: Problem, model: string): number[] {
  return rowsOf(result, { setting: problem, model, test: testName(result.scale, problem) }).map(scaled);
}

function runsOf(scale: Scale, seed: number, problem: Problem): PlannedRun[] {
  const { tested, training, ...setup } = settings[scale][problem];
  const { task, chance, asked } = problems[problem];
  const [longest] = setup.stages.at(-1)!;
  const condition = (length: unknown, asTrained: boolean) => ({
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
    conditions: [condition(longest.length, true), condition(tested, false)],
  }));
}

export const parityTable: Experiment = {
  name: "parity-table",
  question: "Which recurrences follow parity and arithmetic modulo five beyond their training length?",
  models: described(compared),
  published: problemNames.flatMap((problem) =>
    compared.map(
      (model): PublishedClaim => ({
        source: "Grazzi et al. 2025, arXiv:2411.12537",
        statement: `Scaled accuracy of ${architectures[model].label} on ${problem}, lengths 40 to 256`,
        here: hereOf[problem],
        published: published[model][problem],
        over: "best",
        measure: (result) => beyond(result, problem, model),
      }),
    ),
  ),

  plan(scale, seeds) {
    return {
      runs: seeds.flatMap((seed) => problemNames.flatMap((problem) => runsOf(scale, seed, problem))),
      sample: { length: 8 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    return problemNames.flatMap((problem) =>
      compared.flatMap((model) => {
        const values = beyond(result, problem, model);
        if (values.length === 0) return [];
        const [best, theirs] = [Math.max(...values), published[model][problem]];
        const text = `${architectures[model].label} on ${problem}: best ${best.toFixed(3)} where ${theirs} is published.`;
        return Math.abs(best - theirs) > 0.1 ? [text] : [];
      }),
    );
  },

  report(result) {
    const solved = (problem: Problem) =>
      compared.filter((model) => Math.max(0, ...beyond(result, problem, model)) >= 0.95);
    const names = (models: readonly ArchitectureName[]) =>
      models.length === 0 ? "no model" : listed(models.map((model) => architectures[model].label));
    const title = `Parity beyond training is solved by ${names(solved("parity"))}`;
    return experimentReport(result, {
      title,
      lead: `Best of ${result.seeds.length === 1 ? "one seed" : `${result.seeds.length} seeds`}, scaled accuracy on longer strings than trained. ${problemNames
        .map(
          (problem) =>
            `${problem[0].toUpperCase()}${problem.slice(1)}: ${listed(
              compared.flatMap((model) => {
                const values = beyond(result, problem, model);
                return values.length === 0
                  ? []
                  : [`${architectures[model].label} ${Math.max(...values).toFixed(3)}`];
              }),
            )}.`,
        )
        .join(" ")} Chance is ${percentSign(1 / 2)} and ${percentSign(1 / 5)}.`,
      views: [
        {
          heading: "Trained lengths, and longer ones",
          text: "Scaled accuracy by the longest length of the test: left as trained, right beyond.",
          caption: "0 is a uniform guess, 100 no mistake. Strong line: mean over seeds.",
          figures: problemNames.map((problem) => {
            const order = compared.filter((model) => rowsOf(result, { setting: problem, model }).length > 0);
            const longest = (change: Readonly<Record<string, unknown>>) =>
              Math.max(...[change.length].flat().map(Number));
            return {
              kind: "lines" as const,
              title: problem,
              xLabel: "longest length of the test (scaled accuracy)",
              scale: "log2" as const,
              chance: 0,
              lines: order.map((model) => ({
                label: architectures[model].label,
                index: compared.indexOf(model),
                seeds: result.seeds.map((seed) => ({
                  seed,
                  points: rowsOf(result, { setting: problem, model })
                    .filter((row) => row.seed === seed)
                    .map((row): [number, number] => [
                      longest(row.tested.change),
                      scaledAccuracy(row.accuracy, row.tested.chance),
                    ]),
                })),
              })),
            };
          }),
        },
      ],
    });
  },
};

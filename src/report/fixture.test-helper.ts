/** @file Made-up results of the headline experiment, for the tests of this folder: plausible in form and size, not measured. */

import type { Point } from "../analysis/figures.ts";
import { rngFrom } from "../core/rng.ts";
import type { ExperimentResult, ResultRow, Sample, TrainingCurve } from "../schemas/experiment-result.ts";

/** `points(1, 0.5, 4, 0.7)` is [[1, 0.5], [4, 0.7]]. */
export const points = (...numbers: readonly number[]): Point[] =>
  Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!] as const);

interface FixtureOptions {
  readonly seeds?: readonly number[];
  /** [commands, spacing] */
  readonly conditions?: readonly (readonly [number, number])[];
  /** Accuracy of a model in a condition; default: only deltanet[-1,1] tracks. */
  readonly accuracy?: (model: string, commands: number, spacing: number, seed: number) => number;
}

export const MODELS = ["deltanet[-1,1]", "deltanet[0,1]", "transformer", "lstm"] as const;

const CONDITIONS = [
  ...([1, 2, 4, 12] as const).map((spacing) => [12, spacing] as const),
  ...([4, 8, 24] as const).map((spacing) => [48, spacing] as const),
];

const clamp = (share: number) => Math.min(1, Math.max(0, share));

function plausible(model: string, commands: number, spacing: number, seed: number): number {
  const wobble = (rngFrom(seed).fork(`${model} ${commands} ${spacing}`).next() - 0.5) * 0.06;
  if (model === "deltanet[-1,1]") return commands === 12 ? 1 : clamp(0.995 + wobble / 8);
  return clamp(0.4 + 0.6 / spacing + (model === "lstm" ? 0.1 : 0) + wobble);
}

const solver = (accuracy: number, accuracyByReveal: number[]) => ({
  ...{ accuracy, accuracyByReveal, accuracyLast: accuracyByReveal.at(-1) ?? accuracy },
});

function row(model: string, seed: number, commands: number, spacing: number, accuracy: number): ResultRow {
  const count = Math.floor(commands / spacing);
  const windowed = commands === 12 ? 1 : 1 - spacing / 144;
  const falling = (from: number) => Array.from({ length: count }, (_, i) => clamp(from - (0.1 * i) / count));
  return {
    ...{ setting: "", model, seed, ...solver(accuracy, falling(accuracy)) },
    tested: {
      ...{ name: `${commands}/${spacing}`, change: { commands, spacing }, asTrained: commands === 12 },
      ...{ programs: 1000, reveals: 1000 * count, chance: 1 / 3 },
    },
    references: {
      exactBayes: solver(1, new Array(count).fill(1)),
      windowedBayes: solver(windowed, falling(windowed)),
      windowedBayesWithoutBoundary: solver(windowed, []),
    },
  };
}

const curve = (model: string, seed: number): TrainingCurve => ({
  ...{ setting: "", model, seed, parameters: 86_412, learningRate: 0.005, steps: 600, seconds: 148 + seed },
  points: Array.from({ length: 61 }, (_, i) => {
    const accuracy = clamp(0.5 + i / 60);
    return { step: 10 * i, loss: 1.6 * (1 - accuracy), accuracy, stage: ["1", "2", "4", "12"][i >> 4]! };
  }),
});

/** A session that prints its variable after each of three assignments. */
function sample(): Sample {
  let text = "";
  const reveals = ["2", "3", "1"].map((answer) => {
    text += `>>> a = ${answer}\n>>> print('a', a)\na ${answer}\n`;
    return { start: text.length - 2, end: text.length - 1, answer };
  });
  return { text, reveals };
}

const source = "Siems et al. 2026, arXiv:2602.14814, teaser figure";

export function fixture({
  seeds = [0],
  conditions = CONDITIONS,
  accuracy = plausible,
}: FixtureOptions = {}): ExperimentResult & { readonly sample: Sample } {
  return {
    ...{ version: 2, experiment: "headline", question: "Which models follow the hidden state of a session?" },
    ...{ command: "statelab reproduce headline --scale laptop", date: "2026-03-01", scale: "laptop" },
    ...{ seeds: [...seeds], device: "cpu", seconds: 341.7, window: 24, sample: sample() },
    models: {
      "deltanet[-1,1]": { label: "DeltaNet [-1,1]", summary: "its transition can reflect (beta up to 2)" },
      "deltanet[0,1]": { label: "DeltaNet [0,1]", summary: "beta up to 1: it can only shrink" },
      transformer: { label: "Transformer", summary: "softmax attention with rotary positions" },
      lstm: { label: "LSTM", summary: "nonlinear recurrence" },
    },
    results: seeds.flatMap((seed) =>
      MODELS.flatMap((model) =>
        conditions.map(([commands, spacing]) =>
          row(model, seed, commands, spacing, accuracy(model, commands, spacing, seed)),
        ),
      ),
    ),
    ...{ measurements: [], labels: {} },
    training: seeds.flatMap((seed) => MODELS.map((model) => curve(model, seed))),
    claims: [
      { source, statement: "Only DeltaNet [-1,1] learns reliably.", unit: "share", over: "mean", values: [] },
      { source, statement: "At command 112.", published: 0.9, unit: "share", over: "mean", values: [] },
    ],
    findings: ["The LSTM solves spacing 1 and 2 but not 12."],
    report: "runs/headline/report.html",
  };
}

/**
 * @file Made-up results of the headline experiment, for the tests of this folder: plausible in shape and size, not measured.
 *
 * The programs of the sample are real: their reveals follow from the swaps.
 */

import type { Point } from "../analysis/figures.ts";
import type { ExperimentResult, ResultRow, Sample, TrainingCurve } from "../schemas/experiment-result.ts";

/** `points(1, 0.5, 4, 0.7)` is [[1, 0.5], [4, 0.7]]. */
export const points = (...numbers: readonly number[]): Point[] =>
  Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i]!, numbers[2 * i + 1]!] as const);

export interface FixtureOptions {
  readonly seeds?: readonly number[];
  /** [commands, spacing] */
  readonly conditions?: readonly (readonly [number, number])[];
  /** Accuracy of a model in a condition; default: only deltanet[-1,1] tracks. */
  readonly accuracy?: (model: string, commands: number, spacing: number, seed: number) => number;
}

export const MODELS = ["deltanet[-1,1]", "deltanet[0,1]", "transformer", "lstm"] as const;

const CONDITIONS = [
  [12, 1],
  [12, 2],
  [12, 4],
  [12, 12],
  [48, 4],
  [48, 8],
  [48, 24],
] as const;

/** Uniform numbers in [0, 1) that depend on the labels alone (mulberry32 over their characters). */
export function noise(...labels: readonly (string | number)[]): number {
  let state = 0x9e3779b9;
  for (const character of labels.join("|"))
    state = Math.imul(state ^ character.charCodeAt(0), 0x85ebca6b) ^ (state >>> 13);
  state = Math.imul(state ^ (state >>> 15), 1 | state);
  state ^= state + Math.imul(state ^ (state >>> 7), 61 | state);
  return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));

function plausible(model: string, commands: number, spacing: number, seed: number): number {
  const wobble = (noise(model, commands, spacing, seed) - 0.5) * 0.06;
  if (model === "deltanet[-1,1]") return commands === 12 ? 1 : clamp(0.995 + wobble / 8);
  const ease = { 1: 0.97, 2: 0.78, 4: 0.62, 8: 0.52, 12: 0.45, 24: 0.41 }[spacing] ?? 0.4;
  const lift = model === "lstm" ? 0.2 : model === "deltanet[0,1]" ? 0.08 : 0;
  return clamp(ease + lift * (commands === 12 ? 1 : 0.4) + wobble);
}

const solver = (accuracy: number, accuracyByReveal: number[]) => ({
  accuracy,
  accuracyLast: accuracyByReveal.at(-1) ?? accuracy,
  accuracyByReveal,
});

function row(model: string, seed: number, commands: number, spacing: number, accuracy: number): ResultRow {
  const count = Math.floor(commands / spacing);
  const position = (i: number) =>
    clamp(accuracy + (accuracy < 0.9 ? (0.5 - i / Math.max(1, count - 1)) * 0.24 : 0));
  const reference = commands === 12 ? 1 : ({ 4: 0.985, 8: 0.93, 24: 0.834 }[spacing] ?? 0.9);
  const byReveal = Array.from({ length: count }, (_, i) => position(i));
  return {
    setting: "",
    model,
    seed,
    tested: {
      name: `${commands}/${spacing}`,
      change: { commands, spacing },
      programs: 1000,
      reveals: 1000 * count,
      asTrained: commands === 12,
      chance: 1 / 3,
    },
    accuracy,
    accuracyLast: byReveal.at(-1)!,
    accuracyByReveal: byReveal,
    references: {
      exactBayes: solver(
        1,
        byReveal.map(() => 1),
      ),
      windowedBayes: solver(
        reference,
        byReveal.map((_, i) =>
          (i + 1) * spacing <= 24
            ? 1
            : clamp(1 - (1 - reference) * (count / Math.max(1, count - 24 / spacing))),
        ),
      ),
      windowedBayesWithoutBoundary: solver(reference === 1 ? 1 : reference - 0.09, []),
    },
  };
}

function curve(model: string, seed: number): TrainingCurve {
  const learns = model === "deltanet[-1,1]" ? 1 : model === "lstm" ? 0.45 : 0.25;
  let [spacing, accuracy] = [1, 1 / 3];
  const points = Array.from({ length: 61 }, (_, i) => {
    const step = i * 10;
    const ceiling = model === "deltanet[-1,1]" || spacing < 4 ? 1 : 0.62;
    accuracy = clamp(accuracy + (ceiling - accuracy) * learns * (0.25 + 0.25 * noise(model, seed, i)));
    const point = { step, loss: (1 - accuracy) * 1.6 + 0.01, accuracy, stage: String(spacing) };
    if (accuracy > 0.95 && spacing < 12) {
      spacing = { 1: 2, 2: 4, 4: 12 }[spacing] ?? 12;
      accuracy *= 0.7;
    }
    return point;
  });
  return {
    setting: "",
    model,
    seed,
    parameters: 86_412,
    learningRate: 0.005,
    steps: 600,
    seconds: 148 + 20 * noise(model, seed),
    points,
  };
}

/** A session of S_3 swaps, every value that it prints computed by doing the swaps. */
function sample(commands: number, spacing: number): Sample {
  const names = ["a", "b", "c"];
  const state = [2, 3, 1];
  let text = names.map((name, i) => `>>> ${name} = ${state[i]}\n`).join("");
  const reveals: Sample["reveals"] = [];
  for (let command = 1; command <= commands; command++) {
    const i = Math.floor(noise("first", command) * 3);
    const j = (i + 1 + Math.floor(noise("second", command) * 2)) % 3;
    text += `>>> ${names[i]}, ${names[j]} = ${names[j]}, ${names[i]}\n`;
    [state[i], state[j]] = [state[j]!, state[i]!];
    if (command % spacing !== 0) continue;
    const shown = Math.floor(noise("shown", command) * 3);
    text += `>>> print('${names[shown]}', ${names[shown]})\n${names[shown]} `;
    reveals.push({ start: text.length, end: text.length + 1, answer: String(state[shown]) });
    text += `${state[shown]}\n`;
  }
  return { text, reveals };
}

export function fixture({
  seeds = [0],
  conditions = CONDITIONS,
  accuracy = plausible,
}: FixtureOptions = {}): ExperimentResult & { readonly sample: Sample } {
  return {
    version: 2,
    experiment: "headline",
    question:
      "Which sequence models follow the hidden state of a REPL session, and do they still on longer programs with rarer reveals?",
    command: "statelab reproduce headline --scale laptop",
    date: "2026-03-01",
    scale: "laptop",
    seeds: [...seeds],
    device: "cpu",
    seconds: 341.7,
    window: 24,
    sample: sample(12, 4),
    models: {
      "deltanet[-1,1]": {
        label: "DeltaNet [-1,1]",
        summary: "linear recurrence whose transition can reflect (beta up to 2)",
      },
      "deltanet[0,1]": { label: "DeltaNet [0,1]", summary: "the same with beta up to 1: it can only shrink" },
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
    measurements: [],
    labels: {},
    training: seeds.flatMap((seed) => MODELS.map((model) => curve(model, seed))),
    claims: [
      {
        source: "Siems et al. 2026, arXiv:2602.14814, teaser figure",
        statement: "At spacing 16 and 128 commands, 5 seeds, only DeltaNet [-1,1] learns reliably.",
        unit: "share",
        over: "mean",
        values: [],
      },
      {
        source: "Siems et al. 2026, arXiv:2602.14814, teaser figure, read by eye",
        statement: "Scaled accuracy of DeltaNet [-1,1] at command 112.",
        published: 0.9,
        unit: "share",
        over: "mean",
        values: [],
      },
    ],
    findings: [
      "The LSTM solves spacing 1 and 2 but not 12, although a single layer can represent S_3; its curriculum stalled at spacing 4.",
    ],
    report: "runs/headline/report.html",
  };
}

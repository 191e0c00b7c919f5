/**
 * @file Does a state-space layer stay right if each symbol is held k times as long and its step is divided by k?
 *
 *     task        parity of 1 to 8 bits, asked after each
 *     held        1 0 1 becomes 1 1 1 1  0 0 0 0  1 1 1 1: the same three bits, sampled four times as often
 *     scaled      the trained step D is divided by 4: e^(D A / 4), in each layer, and nothing else is changed
 *
 * With an input that is held, k steps of D / k are one step of D, exactly:
 *
 *     sum_{j<k} e^(j D A / k) (e^(D A / k) - 1) / A = (e^(D A) - 1) / A
 *
 * So one layer is as right as before, which tests the arithmetic. A second layer reads what the first had not finished. Predicted before the
 * run: scaled within 2 points of the trained rate, unscaled at a guess, of both layers.
 *
 * Source: FlowState 2025, arXiv:2508.05287, which scales the step of S5 for time series of other sampling rates.
 */

import { mean } from "../../src/core/statistics.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import type { Prepared } from "../../src/tasks/index.ts";
import {
  aboutTraining,
  atLeast,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measuring,
  measuredLine,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson, type Weights } from "./shared.ts";

const settings = {
  smoke: {
    ...{ width: 8, programs: 20, device: "cpu" },
    train: { steps: 4, batch: 8, learningRate: 1e-2 },
  },
  laptop: {
    ...{ width: 32, programs: 500, device: "cpu" },
    train: { steps: 2000, batch: 24, learningRate: 5e-3 },
  },
  paper: {
    ...{ width: 128, programs: 1000, device: "cuda" },
    train: { steps: 10_000, batch: 64, learningRate: 1e-3 },
  },
};
type Settings = (typeof settings)["laptop"];

const models = {
  s4d: { label: "S4D", summary: "a diagonal state a channel" },
  s5: { label: "S5", summary: "one diagonal state for all channels" },
} as const;
const names = Object.keys(models) as (keyof typeof models)[];
const depths = { "one layer": 1, "two layers": 2 } as const;
type Depth = keyof typeof depths;
const depthNames = Object.keys(depths) as Depth[];
const LONGEST = 8;
/** Tokens per symbol. */
const holds = [1, 2, 4, 8] as const;
const MOST = Math.max(...holds);

const accuracyHeld = defineMeasurement({
  id: "accuracyHeld",
  label: "Accuracy by tokens per symbol",
  at: { held: "tokens per symbol" },
  values: { unscaled: "step as trained", scaled: "step divided" },
});

/** The same examples, each word written `times` times. */
export function holdWords(prepared: Prepared, times: number): Prepared {
  return {
    ...prepared,
    maximumWords: times * prepared.maximumWords,
    maximumCharacters: times * (prepared.maximumCharacters ?? 0),
    write: (rng, sink) =>
      prepared.write(rng, {
        reveal: (...marked) => sink.reveal(...marked),
        target: (variable, value) => sink.target(variable, value),
        state: (values) => sink.state(values),
        word(index) {
          for (let i = 0; i < times; i++) sink.word(index);
        },
      }),
  };
}

/** The weights with each step D divided; they hold ln D. */
export const divideSteps = (weights: Weights, by: number): Weights =>
  Object.fromEntries(
    Object.entries(weights).map(([path, data]) => [
      path,
      path.endsWith("logStep") ? data.map((each) => each - Math.log(by)) : data,
    ]),
  );

async function* measureWork({ setting, model, seed, options }: PlannedWork<Settings>): Measuring {
  const { width, train, programs, device } = options;
  const lesson = openLesson(
    RunConfig.parse({
      ...{ seed, device, train },
      task: { name: "parity", length: [1, LONGEST], targets: "each" },
      model: { name: model, width, layers: depths[setting as Depth] },
    }),
  );
  try {
    for await (const { step } of lesson.steps()) yield { done: step, of: train.steps };
    // Of short words all are in training.
    const { exclude: _, ...test } = lesson.test({ length: LONGEST }, programs);
    const ask = async (held: number, data: Weights) => {
      const asked = { ...test, prepared: holdWords(test.prepared, held) };
      return (await lesson.evaluate(asked, data)).accuracyLast;
    };
    const rows = [];
    for (const held of holds) {
      const [unscaled, scaled] = [
        await ask(held, lesson.weights()),
        await ask(held, divideSteps(lesson.weights(), held)),
      ];
      rows.push(accuracyHeld.row({ at: { held }, values: { unscaled, scaled } }));
    }
    return rows;
  } finally {
    await lesson.release();
  }
}

/** By seed that fits its training: accuracy at `held` less that at the trained rate. */
function lost(result: UnreadResult, setting: Depth, model: string, how: "unscaled" | "scaled"): number[] {
  return result.seeds.flatMap((seed) => {
    const at = (held: number) => accuracyHeld.of(result, { setting, model, seed, at: { held } })[0]?.values;
    const [trained, most] = [at(1), at(MOST)];
    if (trained === undefined || most === undefined || trained.unscaled < LEARNED) return [];
    return [most[how] - trained.unscaled];
  });
}

const cases = crossed(depthNames, names);

export const stepScale = defineExperiment<Settings>({
  name: "step-scale",
  question: "Is a state-space layer right at another sampling rate if its step is divided?",
  about: "Is a state-space layer right at other sampling rates?",
  publishedIn: "FlowState",
  models,
  settings,
  published: cases.flatMap(([setting, model]) =>
    (["scaled", "unscaled"] as const).map((how) => ({
      statement: `${models[model].label}, ${setting}, ${how}: change in accuracy at ${MOST} tokens per symbol`,
      ...{ models: [model], setting },
      here: "accuracy of the last answer less that at the trained rate; seeds that fit",
      measure: (result) => lost(result, setting, model, how),
    })),
  ),
  measurements: [accuracyHeld],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, names, depthNames),

  checks: (result) =>
    aboutTraining(
      ...cases.flatMap(([setting, model]) =>
        atLeast(
          `${models[model].label}, ${setting}: scaled, less the trained rate`,
          lost(result, setting, model, "scaled"),
          -0.02,
        ),
      ),
    ),

  report: (result) => ({
    views: [
      {
        heading: "Accuracy by tokens per symbol",
        text: `Scaled, ${MOST} tokens per symbol cost ${(-100 * mean(cases.flatMap(([setting, model]) => lost(result, setting, model, "scaled")))).toFixed(1)} points on average.`,
        caption: "Strong line: mean over seeds. Dashed: a guess.",
        figures: cases.map(([setting, model]) => ({
          ...{ kind: "numbers", title: `${models[model].label}, ${setting}`, yLabel: "accuracy" },
          xLabel: "tokens per symbol",
          lines: (["unscaled", "scaled"] as const).map((how, index) => ({
            ...{ label: accuracyHeld.values[how], index },
            seeds: measuredLine(accuracyHeld.of(result, { setting, model }), "held", how),
          })),
        })),
      },
    ],
    untabled: [accuracyHeld.id],
  }),
});

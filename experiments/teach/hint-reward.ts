/**
 * @file Does a hint teach faster than a reward? A reveal can tell that an answer was wrong, or what was right.
 *
 *     base          repl: four variables, six swaps, all four printed after each; each print occurs twice, so that a hint is read
 *     reward        answers are sampled, and each right one is rewarded (src/train/objectives/reward.ts)
 *     hint          answers are sampled, and scored by the base with the answer in its text (hint.ts)
 *     supervised    the right answers themselves
 *
 * All begin with the base, on programs without hints. Counted: programs until 95 % of the prints of fresh programs are right; the learning
 * rate of an arm is the one that trains best on a seed that is not reported. Predicted before the run: hints need at most half of
 * the programs that the reward needs, and more than supervision.
 *
 * Source: OpenClaw-RL (2026), with an exact answer in place of its judge.
 */

import { mean } from "../../src/core/statistics.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  aboutTraining,
  atMost,
  defineExperiment,
  defineMeasurement,
  type Measurements,
  type Measuring,
  measuredLine,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson } from "./shared.ts";

/** Accuracy is asked `every` so many steps. */
const laptop = {
  model: { layers: 1, width: 32, heads: 2 },
  ...{ baseSteps: 400, steps: 1600, every: 20, batch: 16, programs: 100, device: "cpu" },
  rates: [1e-3, 3e-3, 1e-2],
};
type Settings = typeof laptop;
const settings = {
  smoke: { ...laptop, baseSteps: 4, steps: 8, every: 4, batch: 2, programs: 10, rates: [1e-2] },
  laptop,
  paper: {
    model: { layers: 4, width: 256, heads: 4 },
    ...{ baseSteps: 4000, steps: 24_000, every: 400, batch: 64, programs: 1000, device: "cuda" },
    rates: [3e-4, 1e-3, 3e-3],
  },
};

/** More than the seed is that which chooses its rates. */
const TRIAL = 1000;
const SAMPLES = 8;

const arms = {
  reward: { name: "reward", samples: SAMPLES, credit: "each" },
  hint: { name: "hint", samples: SAMPLES },
  supervised: "revealed-values",
} as const;
type Arm = keyof typeof arms;
const names = Object.keys(arms) as Arm[];
const models = {
  reward: { label: "reward", summary: "sampled answers, of which the right ones are rewarded" },
  hint: { label: "hint", summary: "sampled answers, scored by the base with the answer in its text" },
  supervised: { label: "supervised", summary: "the right answers" },
} as const;

const answered = defineMeasurement({
  id: "answered",
  label: "Accuracy on fresh programs without hints",
  at: { step: "steps" },
  values: { accuracy: "right", rate: "learning rate" },
});

const configOf = (setup: Settings, seed: number, steps: number, learningRate: number, objective: unknown) =>
  RunConfig.parse({
    ...{ seed, device: setup.device, objective },
    // More programs than are trained on: 24 orders, six swaps of six.
    task: { name: "repl", variables: 4, commands: 6, spacing: 1, reveal: "full" },
    model: { name: "deltanet", betaMax: 2, ...setup.model },
    train: { steps, batch: setup.batch, learningRate },
  });

async function* measureWork({ seed, model, options: setup }: PlannedWork<Settings, Arm>): Measuring {
  const { baseSteps, steps, every, rates, programs } = setup;
  const perSeed = baseSteps + steps;
  const of = rates.length * perSeed + perSeed;
  let done = 0;

  async function* teach(on: number, rate: number) {
    const read = openLesson(configOf(setup, on, baseSteps, 5e-3, { name: "revealed-values", hinted: true }));
    for await (const _ of read.steps()) if (++done % 20 === 0) yield { done, of };
    const base = read.weights();
    await read.release();
    // Another stream of programs than the base's.
    const lesson = openLesson(configOf(setup, on + 1, steps, rate, arms[model]), { base });
    const found: { readonly step: number; readonly accuracy: number }[] = [];
    try {
      found.push({ step: 0, accuracy: (await lesson.ask({}, programs)).accuracy });
      for (let until = every; until <= steps; until += every) {
        for await (const _ of lesson.steps(until)) if (++done % 20 === 0) yield { done, of };
        found.push({ step: until, accuracy: (await lesson.ask({}, programs)).accuracy });
      }
    } finally {
      await lesson.release();
    }
    return found;
  }

  const trials: { readonly rate: number; readonly score: number }[] = [];
  for (const rate of rates) {
    const found = yield* teach(seed + TRIAL, rate);
    trials.push({ rate, score: mean(found.map(({ accuracy }) => accuracy)) });
  }
  const { rate } = trials.reduce((one, other) => (other.score > one.score ? other : one));
  const found = yield* teach(seed, rate);
  return found.map(({ step, accuracy }): Measurements[number] =>
    answered.row({ at: { step }, values: { accuracy, rate } }),
  );
}

/** Programs until it has learned, by seed in which it has; `settings` for the batch. */
const programsUntil = (result: UnreadResult, { batch }: Settings, model: Arm): number[] =>
  result.seeds.flatMap((seed) => {
    const first = answered.of(result, { model, seed }).find(({ values }) => values.accuracy! >= LEARNED);
    return first === undefined ? [] : [batch * Number(first.at.step)];
  });

/** Hints less rewards would be in programs; this is their ratio, by seed in which both have learned. */
function ratios(result: UnreadResult, setup: Settings): number[] {
  return result.seeds.flatMap((seed) => {
    const own = { ...result, seeds: [seed] };
    const [hint] = programsUntil(own, setup, "hint");
    const [reward] = programsUntil(own, setup, "reward");
    return hint === undefined || reward === undefined ? [] : [hint / reward];
  });
}

export const hintReward = defineExperiment<Settings>({
  name: "hint-reward",
  question: "Does a hint teach in fewer programs than a reward?",
  about: "Do hints teach faster than rewards?",
  publishedIn: "OpenClaw-RL, in words",
  models,
  settings,
  published: [
    names.map((model) => ({
      statement: `Programs until 95 % are right, ${models[model].label}`,
      ...{ models: [model], unit: "number" },
      here: "seeds that reach it",
      measure: (result, setup) => programsUntil(result, setup, model),
    })),
    {
      statement: "Programs with hints, relative to rewards",
      ...{ models: ["hint", "reward"], unit: "number" },
      here: "seeds in which both reach 95 %; at most half was expected",
      measure: ratios,
    },
  ],
  measurements: [answered],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, names),

  checks: (result, setup) =>
    aboutTraining(
      ...atMost("programs with hints, relative to rewards", ratios(result, setup), 0.5, "number"),
    ),

  report: (result) => ({
    views: [
      {
        heading: "Accuracy by steps",
        text: `Each step has one batch of programs. Begun with a model that reads hints and answers ${(100 * mean(answered.of(result, { at: { step: 0 } }).map(({ values }) => values.accuracy!))).toFixed(0)} % without them.`,
        caption: "Strong line: mean over seeds.",
        figures: [
          {
            ...{
              kind: "numbers",
              title: "Fresh programs without hints",
              yLabel: "accuracy",
              xLabel: "steps",
            },
            lines: names.map((model, index) => ({
              ...{ label: models[model].label, index },
              seeds: measuredLine(answered.of(result, { model }), "step", "accuracy"),
            })),
          },
        ],
      },
    ],
    untabled: [answered.id],
  }),
});

/**
 * @file How many episodes does it take by reward, by hints, and by supervision?
 *
 *     base        repl, two variables, two swaps, a print after each; a few steps on texts in which every print occurs twice, the
 *                 first as a hint: all arms begin with these weights
 *     reward      eight own answers at each print, each scored right or wrong
 *     hint        four own answers, weighed by the base's output given the answer
 *     supervised  the answer
 *     episode     one program; counted until the last ten batches are right to 90 %
 *
 * Each arm has the best of three rates on a seed that no result uses.
 *
 * Predicted before the run: supervised needs fewest; hint at most half of what reward needs. An own answer that is wrong tells reward
 * that one of many was wrong, and the hint which was right; but the hint is only what the base can read, so hint may stall where
 * reward continues. Refuted if hint needs as many as reward. Nothing here is arithmetic.
 * Source: hints: the repository Gen-Verse/OpenClaw-RL, with an exact answer for its judge; reward: leave-one-out as in apple/ml-loop.
 */

import { mean } from "../../src/core/statistics.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  about,
  check,
  defineExperiment,
  defineMeasurement,
  haveLearned,
  type Measurements,
  type Measuring,
  type PlannedWork,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";
import { openLesson, type Weights } from "./shared.ts";

interface Settings {
  readonly model: object;
  readonly task: object;
  readonly batch: number;
  readonly base: { readonly steps: number; readonly learningRate: number };
  /** At most. */
  readonly steps: number;
  readonly rates: readonly number[];
  readonly device: "cpu" | "cuda";
}

const task = { name: "repl", variables: 2, commands: 2, spacing: 1 };

const settings: Record<Scale, Settings> = {
  smoke: {
    model: { layers: 1, width: 16, heads: 2 },
    ...{ task, batch: 8, base: { steps: 2, learningRate: 3e-3 }, steps: 3, rates: [3e-3] },
    device: "cpu",
  },
  laptop: {
    model: { layers: 1, width: 16, heads: 2 },
    ...{ task, batch: 16, base: { steps: 30, learningRate: 3e-3 }, steps: 300, rates: [1e-3, 3e-3, 1e-2] },
    device: "cpu",
  },
  paper: {
    model: { layers: 2, width: 128, heads: 4 },
    task: { ...task, variables: 3, commands: 16 },
    ...{ batch: 64, base: { steps: 1000, learningRate: 1e-3 }, steps: 20_000, rates: [1e-4, 3e-4, 1e-3] },
    device: "cuda",
  },
};

const arms = {
  reward: { signal: { name: "reward", credit: "each" }, label: "reward" },
  hint: { signal: { name: "hint" }, label: "hint" },
  supervised: { signal: { name: "revealed-values" }, label: "supervised" },
} as const;
type Arm = keyof typeof arms;
const names = Object.keys(arms) as Arm[]; // its own keys

const models = {
  reward: { label: "reward", summary: "sampled answers, scored right or wrong" },
  hint: { label: "hint", summary: "sampled answers, weighted by the base model with a hint" },
  supervised: { label: "supervised", summary: "the answer" },
} as const satisfies Record<Arm, unknown>;

/** What is called learned, over so many batches. */
const [ENOUGH, BATCHES] = [0.9, 10];
const SEARCH_SEED = 1_000_000;
const [SEARCH, RESULT] = ["search", "result"] as const;

const episodes = defineMeasurement({
  id: "episodes",
  label: "episodes to 90 % accuracy over ten batches",
  at: { part: "part", rate: "learning rate" },
  values: { episodes: "episodes", reached: "reached", accuracy: "right in the last ten batches" },
});

interface Options {
  readonly part: typeof SEARCH | typeof RESULT;
  readonly trainings: readonly { readonly arm: Arm; readonly rate: number }[];
  readonly setup: Settings;
}

function configOf({ model, task, batch, device }: Settings, seed: number, train: object, signal: object) {
  return RunConfig.parse({
    ...{ seed, device, task },
    model: { name: "deltanet", betaMax: 2, ...model },
    train: { batch, ...train },
    objective: signal,
  });
}

async function* measureWork({ seed, options }: PlannedWork): Measuring {
  const { part, trainings, setup } = options as unknown as Options; // from `plan` below
  const { batch, steps } = setup;
  const of = setup.base.steps + trainings.length * steps;
  const hinted = { name: "revealed-values", hinted: true };
  const lesson = openLesson(configOf(setup, seed, setup.base, hinted));
  let base: Weights;
  try {
    for await (const { step } of lesson.steps()) yield { done: step, of };
    base = lesson.weights();
  } finally {
    await lesson.release();
  }
  const rows: Measurements[number][] = [];
  for (const [i, { arm, rate }] of trainings.entries()) {
    const train = { steps, learningRate: rate, warmupSteps: 0 };
    // Other programs than the base has seen.
    const own = openLesson(configOf(setup, seed + 1, train, arms[arm].signal), { base });
    try {
      const last: number[] = [];
      let taken = 0;
      for await (const { step, accuracy } of own.steps()) {
        yield { done: setup.base.steps + i * steps + step, of };
        taken = step;
        last.push(accuracy);
        if (last.length > BATCHES) last.shift();
        if (last.length === BATCHES && mean(last) >= ENOUGH) break;
      }
      const reached = Number(last.length === BATCHES && mean(last) >= ENOUGH);
      const values = { episodes: taken * batch, reached, accuracy: mean(last) };
      rows.push(episodes.row({ model: arm, at: { part, rate }, values }));
    } finally {
      await own.release();
    }
  }
  return rows;
}

const rowsOf = (result: UnreadResult, model: Arm, part: string) =>
  episodes.of(result, { model, at: { part } });

/** Fewest episodes on the seed that chooses; of those that were not enough, most right at the end. */
function bestRate(result: UnreadResult, arm: Arm): number | undefined {
  const cost = ({ values }: ReturnType<typeof rowsOf>[number]) =>
    values.reached === 1 ? values.episodes : values.episodes * (2 - values.accuracy);
  return rowsOf(result, arm, SEARCH).toSorted((a, b) => cost(a) - cost(b))[0]?.at.rate as number | undefined; // as `row` has it
}

const takenBy = (result: UnreadResult, arm: Arm) => rowsOf(result, arm, RESULT);
const meanEpisodes = (result: UnreadResult, arm: Arm) =>
  mean(takenBy(result, arm).map(({ values }) => values.episodes));

export const teachRl = defineExperiment<Settings>({
  name: "teach-rl",
  question: "How many episodes does training need by reward, by hints and by supervision?",
  about: "How many episodes do reward, hints and supervision need?",
  publishedIn: "own question",
  models,
  settings,
  published: [
    {
      source: "OpenClaw-RL, second hand",
      statement: "Hints need at most half of the episodes of reward alone",
      here: "episodes to 90 % by hint over those by reward; the budget if it is not reached",
      published: 0.5,
      unlike: "a model of width 16 on two variables, there language models",
      unit: "number",
      agrees: (values) => mean(values) <= 0.5,
      measure: (result) => {
        const reward = takenBy(result, "reward");
        return takenBy(result, "hint").flatMap(({ seed, values }) => {
          const other = reward.find((row) => row.seed === seed);
          return other === undefined ? [] : [values.episodes / other.values.episodes];
        });
      },
    },
    ...names.map((arm) => ({
      source: "own question",
      statement: `${arms[arm].label}: episodes to 90 %`,
      here: "episodes; the budget if it is not reached",
      models: [arm],
      unit: "number" as const,
      measure: (result: UnreadResult) => takenBy(result, arm).map(({ values }) => values.episodes),
    })),
  ],
  measurements: [episodes],
  measureWork,

  plan(setup, seeds) {
    const workOf = (setting: string, seed: number, options: Omit<Options, "setup">): PlannedWork => ({
      ...{ setting, model: "", seed },
      options: { ...options, setup },
    });
    return {
      runs: [],
      work: setup.rates.map((rate) =>
        workOf(`search, rate ${rate}`, SEARCH_SEED, {
          part: SEARCH,
          trainings: names.map((arm) => ({ arm, rate })),
        }),
      ),
      words: ["Each arm tries its rates on a seed that no result uses"],
      next(result) {
        const trainings = names.flatMap((arm) => {
          const rate = bestRate(result, arm);
          return rate === undefined ? [] : [{ arm, rate }];
        });
        return {
          runs: [],
          work: seeds.map((seed) => workOf(RESULT, seed, { part: RESULT, trainings })),
          words: ["The learning rates are chosen; now the reported seeds"],
        };
      },
    };
  },

  checks: (result) => [
    ...names.flatMap((arm) =>
      haveLearned(
        `${arms[arm].label}: seeds that came to 90 %`,
        takenBy(result, arm).map((row) => ({ ...row, value: row.values.reached })),
        1,
        "number",
      ),
    ),
    ...about(
      ["hint", "reward"],
      check(
        "episodes by hint over the mean of those by reward",
        "mean at most 0.5",
        takenBy(result, "hint").map(({ values }) => values.episodes / meanEpisodes(result, "reward")),
        meanEpisodes(result, "hint") <= meanEpisodes(result, "reward") / 2,
        "number",
      ),
    ),
  ],

  report: () => ({
    lead: "All arms start from one base model, trained on texts in which each reveal is printed twice.",
    views: [],
  }),
});

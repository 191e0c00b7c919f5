/**
 * @file Do branches at uncertain places teach more than whole answers, at equal sampled tokens?
 *
 *     lock        10 swaps of S_3; the ten states are sampled, and rewarded if all are right
 *     whole       3 answers                                                          30 tokens per program
 *     entropy     2 answers, each sampled again from one of its 3 most uncertain places    20 + 2 (11 - place)
 *     random      2 answers, each sampled again from any place                             31 on average
 *
 * A policy imitates until 75 % of its answers are right, and is then rewarded until so many tokens are sampled. Copied tokens are not
 * counted, so an arm with short branches makes more steps. A lock opens with the product of ten probabilities, since the answers are not
 * written into the text; its mean over ten points of the budget counts. The rate is the best of three in each arm, on seeds 100 and 101.
 *
 * Predicted before the run: the late places are the uncertain ones, so a branch costs 2 or 3 tokens. `entropy` opens at most 3 points more
 * or less than `whole`, since a branch from a wrong prefix is never rewarded; `random` opens fewer than `entropy`.
 *
 * Source: CURE 2025, the first stage in the repository bytedance/CURE, with an unbiased baseline (src/train/objectives/reward.ts).
 */

import { mean } from "../../src/core/statistics.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  aboutTraining,
  atMost,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measuring,
  near,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { type Lesson, openLesson } from "./shared.ts";

/** `imitation`: most steps; `steps`: sampled tokens, in steps of whole answers. */
const laptop = {
  ...{ width: 64, batch: 24, imitation: 400, steps: 250, programs: 500 },
  ...{ learningRate: 1e-3, device: "cpu" },
};
type Settings = typeof laptop;
const settings = {
  smoke: { ...laptop, width: 16, imitation: 4, steps: 10, programs: 20 },
  laptop,
  paper: { ...laptop, width: 256, programs: 1000, device: "cuda" },
};

const DIGITS = 10;
const [WHOLE, IMITATED, POINTS] = [3, 0.75, 10];

const arms = {
  whole: { samples: WHOLE },
  entropy: { samples: 2, branches: 1, critical: 3 },
  random: { samples: 2, branches: 1, critical: DIGITS },
} as const;
type Arm = keyof typeof arms;
const names = Object.keys(arms) as Arm[];
const models = {
  whole: { label: "whole answers", summary: "three of each program" },
  entropy: { label: "branches at high entropy", summary: "of two answers, a branch each" },
  random: { label: "branches anywhere", summary: "the same at random places" },
} as const;

const lock = defineMeasurement({
  id: "branchedLock",
  label: "Locks of ten digits",
  at: { tokens: "sampled tokens" },
  values: {
    opened: "opened by one sample",
    gained: "less the imitation",
    entropy: "entropy, nats",
    steps: "steps",
  },
});

/** The mean probability that all answers of a fresh program are right. */
async function openedBy(lesson: Lesson, programs: number) {
  const { surprises } = await lesson.evaluate(lesson.test({}, programs));
  return mean(surprises!.vocabulary.map((nats) => Math.exp(-nats.reduce((sum, each) => sum + each, 0))));
}

async function* measureWork({ seed, model, options }: PlannedWork<Settings, Arm>): Measuring {
  const { width, batch, learningRate, programs, device, ...setup } = options;
  const point = (setup.steps * batch * WHOLE * DIGITS) / POINTS;
  const task = { name: "group-words", group: "S_3", generators: "swaps", length: DIGITS };
  const config = { seed, device, task, model: { name: "gru", layers: 1, width } };
  const imitated = { batch, steps: setup.imitation, learningRate: 5e-3 };
  const imitation = openLesson(RunConfig.parse({ ...config, train: imitated }));
  for await (const { runningAccuracy } of imitation.steps()) if (runningAccuracy >= IMITATED) break;
  const base = imitation.weights();
  await imitation.release();
  const objective = { name: "reward", ...arms[model] };
  // A step samples more than half of the tokens of whole answers.
  const train = { batch, steps: 2 * setup.steps, learningRate };
  const lesson = openLesson(RunConfig.parse({ ...config, objective, train }), { base });
  const before = await openedBy(lesson, programs);
  const rows: ReturnType<typeof lock.row>[] = [];
  let [tokens, entropies]: [number, number[]] = [0, []];
  for await (const { step, sampled, entropy } of lesson.steps()) {
    tokens += sampled * batch;
    entropies.push(entropy);
    if (tokens < (rows.length + 1) * point) continue;
    const opened = await openedBy(lesson, programs);
    const values = { opened, gained: opened - before, entropy: mean(entropies), steps: step };
    rows.push(lock.row({ at: { tokens: (rows.length + 1) * point }, values }));
    entropies = [];
    yield { done: rows.length, of: POINTS };
    if (rows.length === POINTS) break;
  }
  await lesson.release();
  return rows;
}

/** By seed: mean over the points. */
const means = (result: UnreadResult, model: Arm, value: "gained" | "entropy") =>
  result.seeds.map((seed) => mean(lock.of(result, { model, seed }).map(({ values }) => values[value]!)));
/** The imitation of a seed is the same in each arm. */
const lead = (result: UnreadResult, model: Arm, over: Arm) =>
  means(result, model, "gained").map((gained, i) => gained - means(result, over, "gained")[i]);

export const entropyBranches = defineExperiment<Settings>({
  name: "entropy-branches",
  question: "Do branches at uncertain places teach more than whole answers, at equal sampled tokens?",
  about: "Do branches at uncertain places teach more?",
  publishedIn: "CURE, in words",
  models,
  settings,
  published: crossed(names, ["gained", "entropy"] as const).map(([model, value]) => ({
    statement: `${value === "gained" ? "More locks open" : "Mean entropy"}, ${models[model].label}`,
    ...{ models: [model], unit: value === "entropy" ? "nats" : "share" },
    here: "mean over ten points of the budget",
    measure: (result) => means(result, model, value),
  })),
  measurements: [lock],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, names),

  checks: (result) =>
    aboutTraining(
      ...near("gained at high entropy, less whole", lead(result, "entropy", "whole"), 0, 0.03),
      ...atMost("gained at random places, less high entropy", lead(result, "random", "entropy"), 0),
    ),
});

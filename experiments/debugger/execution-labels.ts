/**
 * @file What do labels of an execution add, if the same few programs are all that a model learns from?
 *
 *     corpus    500 functions with two conditions, read again and again; asked: the returned value, and which conditions held (the path)
 *     none      the answers alone
 *     values    and at each line whether it ran, at the end the class of value of each variable
 *     types     and the type of each variable at the end
 *
 * All read the same tokens in the same order. A model fits its corpus, and unseen functions leave room. Here the class of a value (empty,
 * small, null) has one type, so that types repeat the values. Predicted before the run, after trials on seed 100: labels raise values and
 * paths by less than half of what is published, and types add less than one percent.
 *
 * Source: TRACED (Ding et al. 2023, arXiv:2306.07487), which trains on the labels first; types from Idioms (2025). The corpus is our own.
 */

import { RunConfig } from "../../src/schemas/run-config.ts";
import { exampleStream, prepareTask, type Task, taskNamed } from "../../src/tasks/index.ts";
import {
  above,
  crossed,
  defineExperiment,
  defineMeasurement,
  haveLearned,
  learned,
  type Measuring,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson } from "../teach/shared.ts";

const laptop = {
  task: { conditions: 2, lines: 0, numbers: 6, starts: 4, mostStep: 3 },
  model: { layers: 2, width: 64 },
  train: {
    ...{ steps: 1000, batch: 16, learningRate: 3e-3, schedule: "cosine", warmupSteps: 50, beta2: 0.99 },
    // With 0.01, values and paths of unseen functions are worse.
    ...{ minLearningRateRatio: 0.02, weightDecay: 1 },
  },
  // The weight is that of the loss on labels.
  ...{ weight: 0.3, corpus: 500, programs: 2000, device: "cpu" },
};
const settings = {
  smoke: {
    ...{ ...laptop, corpus: 20, programs: 20 },
    model: { layers: 1, width: 16 },
    train: { ...laptop.train, steps: 4 },
  },
  laptop,
  paper: {
    task: { conditions: [1, 4], lines: [1, 6], numbers: 60 },
    model: { layers: 6, width: 512 },
    train: { ...laptop.train, steps: 50_000, batch: 64, learningRate: 3e-4 },
    ...{ weight: 0.3, corpus: 50_000, programs: 10_000, device: "cuda" },
  },
};
type Settings = (typeof settings)[keyof typeof settings];

const models = {
  none: { label: "answers alone", summary: "the returned value, and which conditions held" },
  values: { label: "labels of values", summary: "and executed lines, and the class of each final value" },
  types: { label: "labels of values and types", summary: "and the type of each final value" },
} as const;
type Arm = keyof typeof models;
const arms = Object.keys(models) as Arm[];

const answered = defineMeasurement({
  id: "rightOnFunctions",
  label: "Accuracy on the corpus and on unseen functions",
  at: { programs: "functions" },
  values: { value: "values", path: "complete paths" },
});
type Answer = keyof typeof answered.values;

/** The task whose programs are so many, each drawn again and again. */
export const limited = (task: Task, seed: number, corpus: number): Task => ({
  ...task,
  prepare(params) {
    const prepared = task.prepare(params);
    const programs = exampleStream(seed, "corpus");
    return { ...prepared, write: (rng, sink) => prepared.write(programs(rng.below(corpus)), sink) };
  },
});

async function* measureWork({ model: arm, seed, options }: PlannedWork<Settings, Arm>): Measuring {
  const { task, model, train, weight, corpus, programs, device } = options;
  const config = RunConfig.parse({
    ...{ seed, device, task: { name: "branches", ...task } },
    model: { name: "transformer", heads: 4, feedForward: 2 * model.width, convolution: 4, ...model },
    // The heads' loss does not follow from those of parts of a batch, so that no arm divides it.
    train: { ...train, padding: "longest", shares: 1 },
    ...(arm !== "none" && {
      stateSupervision: { head: "execution", layer: 0, weight, typeWeight: arm === "types" ? 1 : 0 },
    }),
  });
  const branches = taskNamed("branches");
  const lesson = openLesson(config, { task: limited(branches, seed, corpus) });
  try {
    for await (const { step } of lesson.steps()) if (step % 20 === 0) yield { done: step, of: train.steps };
    const test = lesson.test({}, programs);
    const tests = {
      corpus: { ...test, exclude: new Set<number>() },
      unseen: { ...test, prepared: prepareTask(branches, task) },
    };
    const rows = [];
    for (const [from, asked] of Object.entries(tests)) {
      const [value, path] = (await lesson.evaluate(asked)).accuracyByReveal;
      rows.push(answered.row({ at: { programs: from }, values: { value, path } }));
    }
    return rows;
  } finally {
    await lesson.release();
  }
}

/** On unseen functions, by seed. */
const accuracies = (result: UnreadResult, answer: Answer, model: Arm): number[] =>
  result.seeds.flatMap((seed) =>
    answered.of(result, { model, seed, at: { programs: "unseen" } }).map(({ values }) => values[answer]),
  );

/** By seed: by how much of itself the accuracy of one arm is above that of another. */
const gains = (result: UnreadResult, answer: Answer, [arm, over]: Pair): number[] =>
  result.seeds.flatMap((seed) => {
    const own = { ...result, seeds: [seed] };
    const [[one], [other]] = [accuracies(own, answer, arm), accuracies(own, answer, over)];
    return one === undefined || !other ? [] : [one / other - 1];
  });

const published = { path: 0.124, value: 0.252 } as const;
const answers = Object.keys(published) as Answer[];
type Pair = readonly [arm: Arm, over: Arm];
const pairs: readonly Pair[] = [
  ["types", "none"],
  ["values", "none"],
  ["types", "values"],
];
const gainName = (answer: Answer, [arm, over]: Pair) =>
  `Relative gain in ${answered.values[answer]}: ${models[arm].label} over ${models[over].label}`;

export const executionLabels = defineExperiment<Settings>({
  name: "execution-labels",
  question: "What do labels of executed lines, values and types add to few programs?",
  about: "What do execution labels add?",
  publishedIn: "TRACED; Idioms",
  models,
  settings,
  published: [
    crossed(pairs, answers).map(([pair, answer]) => ({
      source: pair[1] === "none" ? "TRACED, arXiv:2306.07487" : "Idioms (2025), no number read",
      statement: gainName(answer, pair),
      ...(pair[1] === "none" && { published: published[answer] }),
      models: [...pair],
      here: "accuracy on unseen functions over that of the other, minus 1",
      unlike: "a small model trained on labels and answers at once; there the labels come first",
      measure: (result) => gains(result, answer, pair),
    })),
    crossed(arms, answers).map(([model, answer]) => ({
      statement: `Accuracy of ${answered.values[answer]}, ${models[model].label}`,
      ...{ models: [model], here: "unseen functions" },
      measure: (result) => accuracies(result, answer, model),
    })),
  ],
  measurements: [answered],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, arms),

  checks: (result) => [
    ...answers.flatMap((answer) => above(gainName(answer, pairs[0]), gains(result, answer, pairs[0]), 0)),
    ...haveLearned(
      "values of the corpus are right",
      answered.of(result, { at: { programs: "corpus" } }).map((row) => ({ ...row, value: row.values.value })),
      learned.least,
    ),
  ],
});

/**
 * @file What do gated memory units cost and give in a hybrid, in place of attention?
 *
 *     DeltaNet    deltanet deltanet       deltanet deltanet
 *     attention   deltanet transformer    deltanet transformer
 *     GMU         deltanet gmu            deltanet gmu            a gate on the readout of the DeltaNet below it, no state
 *
 *     tracking    three things, two of which are exchanged by each symbol; asked after each (group-words)
 *     recall      pairs of a key and a value, then the keys among other words (mqar)
 *     speed       milliseconds per token near the end of a context, in turns with the hybrid with attention
 *
 * Predicted before the run: all track; the GMU recalls within 2 points of attention at the trained length, as the DeltaNet below it can hold
 * the pairs; it decodes faster, and has fewer numbers of state.
 *
 * Source: SambaY, Ren et al. 2025, arXiv:2507.06607, which puts GMUs in place of half of the cross-attention of a decoder.
 */

import { rngFrom } from "../../src/core/rng.ts";
import { median } from "../../src/core/statistics.ts";
import {
  configureModel,
  initialParameters,
  modelNamed,
  parameterShapes,
  stateShapes,
} from "../../src/models/index.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { flattenParameters, size } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";
import { openDecoder } from "../../src/train/decoder.ts";
import {
  aboutTraining,
  atLeast,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measuring,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson } from "../teach/shared.ts";

const schedule = { warmupSteps: 20, schedule: "wsd", decaySteps: 400, minLearningRateRatio: 0.05 } as const;
const settings = {
  smoke: { width: 8, train: { steps: 8, batch: 8, warmupSteps: 2 }, programs: 20, context: 64 },
  laptop: {
    ...{ width: 32, programs: 300, context: 4096 },
    train: { ...schedule, steps: 3000, batch: 16, learningRate: 5e-3 },
  },
  paper: {
    ...{ width: 256, programs: 1000, context: 32_768 },
    train: { ...schedule, steps: 20_000, batch: 64, learningRate: 1e-3 },
  },
};
type Settings = (typeof settings)[keyof typeof settings];

const deltanet = { heads: 2, betaMax: 2, convolution: 4 };
const patterns = {
  deltanet: ["deltanet", "deltanet"],
  attention: ["deltanet", "transformer"],
  gmu: ["deltanet", "gmu"],
} as const;
const models = {
  deltanet: { label: "DeltaNet", summary: "four layers of DeltaNet" },
  attention: { label: "hybrid with attention", summary: "DeltaNet and attention in turns" },
  gmu: { label: "hybrid with GMUs", summary: "DeltaNet and gated memory units in turns" },
} as const;
type Name = keyof typeof models;
const names = Object.keys(models) as Name[];

const modelOf = (name: Name, width: number) => ({
  ...{ name: "hybrid", layers: 4, width, pattern: [...patterns[name]], deltanet },
  ...(name === "attention" && { transformer: { heads: 2 } }),
});

/** Easy to hard; the last is asked, and `beyond`. */
const tasks = {
  tracking: {
    task: { name: "group-words", group: "S_3", generators: "swaps", targets: "each" },
    stages: [{ length: 4 }, { length: 16 }],
    beyond: { length: 64 },
  },
  recall: {
    task: { name: "mqar", keys: 64, values: 64, fillers: 16 },
    stages: [
      { pairs: 2, length: 16 },
      { pairs: 4, length: 16 },
      { pairs: 8, length: 32 },
    ],
    beyond: { pairs: 16, length: 64 },
  },
} as const;
type Task = keyof typeof tasks;
const taskNames = Object.keys(tasks) as Task[];
const SPEED = "speed";

const right = defineMeasurement({
  id: "right",
  label: "Accuracy as trained and beyond",
  at: {},
  values: { trained: "as trained", beyond: "beyond", parameters: "parameters" },
});
const decoding = defineMeasurement({
  id: "decoding",
  label: "Decoding near the end of the context",
  at: { context: "context" },
  values: { own: "ms per token", attention: "with attention", state: "numbers of state" },
});

async function* measureWork({ setting, model, seed, options }: PlannedWork<Settings, Name>): Measuring {
  return setting === SPEED
    ? yield* timeSteps(options, model)
    : yield* trainOn(options, setting as Task, model, seed);
}

async function* trainOn({ width, train, programs }: Settings, on: Task, name: Name, seed: number): Measuring {
  const { task, stages, beyond } = tasks[on];
  const lesson = openLesson(
    RunConfig.parse({
      ...{ seed, model: modelOf(name, width), train },
      task: { ...task, ...stages.at(-1) },
      curriculum: {
        stages: stages.map((stage, i) => (i === 0 ? [stage] : [stages[i - 1], stage])),
        maxStepsPerStage: Math.ceil(train.steps / stages.length),
      },
    }),
  );
  try {
    for await (const { step } of lesson.steps()) yield { done: step, of: train.steps };
    const trained = (await lesson.ask({}, programs)).accuracy;
    const far = (await lesson.ask(beyond, programs)).accuracy;
    const parameters = Object.values(lesson.weights()).reduce((sum, { length }) => sum + length, 0);
    return [right.row({ values: { trained, beyond: far, parameters } })];
  } finally {
    await lesson.release();
  }
}

/** Steps of this model and of the hybrid with attention, in turns; the cost of a step depends on its position, not on the weights. */
async function* timeSteps({ width, context }: Settings, name: Name): Measuring {
  const open = (each: Name) => {
    const model = configureModel(modelNamed("hybrid"), modelOf(each, width), 64, "model");
    const data = Object.fromEntries(
      flattenParameters(initialParameters(model, rngFrom(1))).map(([path, { data }]) => [path, data]),
    );
    const weights = { tree: parameterShapes(model), data };
    return openDecoder(model, weights, nodeRuntime({ threads: 1 }), { slots: 1, context });
  };
  const [own, attention] = [await open(name), await open("attention")];
  try {
    const times = { own: [] as number[], attention: [] as number[] };
    const rounds = Math.min(500, context / 2);
    for (let i = 0; i < rounds; i++) {
      for (const [decoder, into] of [
        [own, times.own],
        [attention, times.attention],
      ] as const) {
        decoder.positions.fill(context - rounds + i);
        const start = performance.now();
        await decoder.step();
        into.push(performance.now() - start);
      }
      if (i % 50 === 0) yield { done: i, of: rounds };
    }
    const model = configureModel(modelNamed("hybrid"), modelOf(name, width), 64, "model");
    const state = Object.values(stateShapes(model, context)).reduce((sum, shape) => sum + size(shape), 0);
    const values = { own: median(times.own), attention: median(times.attention), state };
    return [decoding.row({ at: { context }, values })];
  } finally {
    await Promise.all([own.release(), attention.release()]);
  }
}

const accuracies = (result: UnreadResult, setting: Task, model: Name, what: "trained" | "beyond") =>
  right.of(result, { setting, model }).map(({ values }) => values[what]);

/** By seed in which both fit: GMU less attention. */
const recallGained = (result: UnreadResult): number[] =>
  result.seeds.flatMap((seed) => {
    const [own, other] = (["gmu", "attention"] as const).map(
      (model) => right.of(result, { setting: "recall", model, seed })[0]?.values.trained ?? 0,
    );
    return Math.min(own, other) < LEARNED ? [] : [own - other];
  });

const speedUps = (result: UnreadResult, model: Name) =>
  decoding.of(result, { setting: SPEED, model }).map(({ values }) => values.attention / values.own);

export const gatedMemory = defineExperiment<Settings>({
  name: "gated-memory",
  question: "What do gated memory units give and cost in a hybrid, in place of attention?",
  about: "Can gated memory units replace attention in a hybrid?",
  publishedIn: "SambaY, in words",
  models,
  settings,
  published: [
    crossed(taskNames, names).map(([setting, model]) => ({
      statement: `${models[model].label}: ${setting}, as trained`,
      ...{ models: [model], setting, here: "accuracy of all answers" },
      measure: (result) => accuracies(result, setting, model, "trained"),
    })),
    crossed(taskNames, names).map(([setting, model]) => ({
      statement: `${models[model].label}: ${setting}, beyond training`,
      ...{ models: [model], setting, here: "accuracy of all answers" },
      measure: (result) => accuracies(result, setting, model, "beyond"),
    })),
    (["gmu", "deltanet"] as const).map((model) => ({
      statement: `${models[model].label}: speed of decoding`,
      ...{ models: [model], setting: SPEED, unit: "number" },
      here: "tokens per second, relative to the hybrid with attention, at the end of the context",
      measure: (result) => speedUps(result, model),
    })),
  ],
  measurements: [right, decoding],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, names, [...taskNames, SPEED]),

  checks: (result) =>
    aboutTraining(
      ...names.flatMap((model) =>
        atLeast(
          `${models[model].label}: tracking as trained`,
          accuracies(result, "tracking", model, "trained"),
          0.95,
        ),
      ),
      ...atLeast("recall with GMUs, less that with attention", recallGained(result), -0.02),
      ...atLeast("speed of decoding with GMUs, relative to attention", speedUps(result, "gmu"), 1, "number"),
    ),
});

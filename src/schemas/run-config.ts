/**
 * @file The configuration of one run: what is in `config.json`, and in a YAML file given to `statelab train`.
 *
 *     seed: 0
 *     task: { name: repl, variables: 3, commands: 12 }
 *     model: { name: deltanet, layers: 2, width: 64, heads: 2, betaMax: 2 }
 *     train: { steps: 600, batch: 24, learningRate: 0.005 }
 *     curriculum: { stages: [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]] }
 */

import { z } from "zod";

/** Bounds for untrusted files: no number may cause more than seconds of work before the first output. */
const mostHeldOut = 100_000;
const mostStages = 1000;
const mostTests = 1000;
/** Programs of a test: their hashes are in one JavaScript Set, which has a size limit. */
export const mostPrograms = 10_000_000;

const Named = z.looseObject({ name: z.string() });

/** Fields of the task that a stage or a test changes: `{ spacing: 2 }`. */
const TaskChange = z.record(z.string(), z.unknown());

export const TrainConfig = z.strictObject({
  steps: z.int().positive().default(600),
  /** Examples per step. */
  batch: z.int().positive().default(24),
  /**
   * Length of the rows of a batch. `max`: that of the longest possible example of the stage. `longest`: that of the longest of the batch,
   * in quarters of the former. `bucket`: parts of rows with similar length. The latter two are faster if lengths vary, need more memory,
   * and are equal up to rounding.
   */
  padding: z.enum(["max", "longest", "bucket"]).default("max"),
  /**
   * N: pack the examples of a batch end to end into rows of at most N positions, computed independently; by default one example per row.
   * Equal up to rounding. For models that pack (docs/reference/models.md) and losses that are means over positions.
   */
  packedLength: z.int().positive().optional(),
  /** The main loss: the `loss` of a name in src/train/objectives. */
  loss: z.string().default("revealed-values"),
  /** The highest learning rate of the schedule. */
  learningRate: z.number().positive().default(3e-3),
  /**
   * After the warm-up: constant; cosine to `minLearningRateRatio`; wsd: constant, then falling over the last `decaySteps`; wsd-s: the same before
   * each of the `decayCheckpoints`, and at the full rate again after it.
   */
  schedule: z.enum(["constant", "cosine", "wsd", "wsd-s"]).default("constant"),
  warmupSteps: z.int().min(0).default(20),
  decaySteps: z.int().min(0).default(100),
  /** For wsd-s: the steps, ascending, at which the rate has decayed and a checkpoint is kept; the last is `steps`. */
  decayCheckpoints: z.array(z.int().positive()).min(1).optional(),
  /** For wsd-s: the share of the steps between two checkpoints in which the rate decays; default 0.1. */
  decayFraction: z.number().gt(0).max(1).optional(),
  /** Decay of wsd and wsd-s: the rate falls linearly, or its inverse rises linearly. By default wsd is linear, wsd-s inverse. */
  decayShape: z.enum(["linear", "inverse"]).optional(),
  /** The final learning rate as a share of the highest. */
  minLearningRateRatio: z.number().min(0).max(1).default(0.1),
  /** A name in src/train/optimizers. */
  optimizer: z.string().default("adamw"),
  /** AdamW: decay rates of the two moments, epsilon, and weight decay (for matrices only). */
  beta1: z.number().min(0).lt(1).default(0.9),
  beta2: z.number().min(0).lt(1).default(0.95),
  epsilon: z.number().positive().default(1e-8),
  weightDecay: z.number().min(0).default(0.01),
  /** Upper bound of the gradient norm over all parameters. */
  maxGradNorm: z.number().positive().default(1),
  /**
   * Evaluates held-out programs of the configured task every so many steps, and stops when every answer is right. They are never
   * trained on.
   */
  stopWhenSolved: z
    .strictObject({
      every: z.int().positive().default(50),
      examples: z.int().positive().max(mostHeldOut).default(500),
    })
    .optional(),
  /**
   * Evaluates held-out programs of the configured task every so many steps and after the last. They are neither trained on nor used by
   * tests. The best checkpoint is kept.
   */
  evaluateEvery: z.int().positive().optional(),
  /** Number of these programs; default 200. */
  validationExamples: z.int().positive().max(mostHeldOut).optional(),
  /** Stops the training after so many evaluations without improvement. */
  patience: z.int().positive().optional(),
  /** Trained parameters: all, or only the initial state (docs/concepts/training-signals.md). */
  trainable: z.enum(["all", "initial-state"]).default("all"),
});
export type TrainConfig = z.infer<typeof TrainConfig>;

/**
 * Consecutive stages; each is a list of changes to the task, one of which is drawn for every example.
 * A stage ends when the running accuracy on its last (hardest) change reaches `threshold`, or after `maxStepsPerStage`.
 */
export const CurriculumConfig = z.strictObject({
  stages: z
    .array(z.array(TaskChange).min(1).max(mostStages))
    .min(1)
    .max(mostStages)
    .default([[{}]]),
  threshold: z.number().min(0).max(1).default(0.95),
  /** Approximate window of the running accuracy in reveals; each stage asks at least half as many. */
  averagingWindow: z.int().positive().default(100),
  maxStepsPerStage: z.int().positive().optional(),
});
export type CurriculumConfig = z.infer<typeof CurriculumConfig>;

/** An auxiliary loss: the hidden vector after a line predicts the state of the program there. It is not exported. */
export const StateSupervision = z.strictObject({
  /** linear: one class per value; decoder: a small Transformer spells the state; contrastive: distinguishes it from others of the program. */
  head: z.string().default("linear"),
  /** Weight of its loss; default 1, for contrastive 0.1. */
  weight: z.number().positive().optional(),
  /** The tokens at which the state is asked: the last of a line, or all of the line. */
  position: z.enum(["newline", "line"]).default("newline"),
  /** The layer whose residual stream is read, from 0; by default the last. */
  layer: z.int().min(0).optional(),
  /** All variables, or those that the line changed. */
  state: z.enum(["changed", "all"]).default("all"),
});
export type StateSupervision = z.infer<typeof StateSupervision>;

const NamedOrName = z.union([z.string(), z.looseObject({ name: z.string() })]);

/** Mixture of training programs: several parts, each with a weight (docs/concepts/training-signals.md). */
const MixtureConfig = z.strictObject({
  parts: z
    .array(
      z.strictObject({
        /** Relative number of examples. */
        weight: z.number().positive().default(1),
        /** `revealed-values`, the question of the task, or the `part` of a name in src/train/objectives. */
        objective: NamedOrName.default("revealed-values"),
        /** Changes to the task, in addition to those of the stage. */
        change: TaskChange.optional(),
        /** Programs of earlier stages; none in the first stage. */
        replay: z.literal(true).optional(),
      }),
    )
    .min(1),
  /** Policy of the shares: a name in src/train/mixture/samplers, alone or with further fields. */
  sampler: NamedOrName.default("fixed"),
  /** Steps of a window with constant shares. */
  window: z.int().positive().default(128),
  /** Programs of each part on which its loss is measured, if the policy needs losses. */
  examples: z.int().positive().max(100_000).default(64),
});

/** Examples made by data workers ahead of the training (docs/how-to/data-workers.md). */
export const AsyncDataConfig = z.strictObject({
  /** K: most unread batches, finished or being made. */
  prefetch: z.int().min(1).max(10_000).default(4),
  /** N: batch n is made with the weights of step n - 1 - N or later; 0 equals making it at the step itself. */
  maxStaleness: z.int().min(0).default(0),
});
export type AsyncDataConfig = z.infer<typeof AsyncDataConfig>;

/** The initial weights. */
const InitConfig = z.strictObject({
  /** Folder of a finished run with the initial weights. */
  from: z.string().min(1),
});

/** The examples of the training. */
const DataConfig = z.strictObject({
  /** By default the variants of the stage, all equally likely. */
  mixture: MixtureConfig.optional(),
  /** By default the training makes its own examples. */
  async: AsyncDataConfig.optional(),
});

const EvaluateConfig = z.strictObject({
  /** Fresh programs per test, never trained on. */
  examples: z.int().positive().max(mostPrograms).default(1000),
  /** Changes to the task, one per test. */
  settings: z.array(TaskChange).max(mostTests).default([{}]),
});

/** Range of normal 32-bit floats, in which trainings are computed. */
const [leastSize, largestSize] = [2 ** -126, 3.4e38];

function refuseSizes(value: unknown, path: readonly PropertyKey[], context: z.RefinementCtx): void {
  if (typeof value === "number" && value !== 0) {
    const size = Math.abs(value);
    if (size >= leastSize && size <= largestSize) return;
    context.addIssue({
      code: "custom",
      path: [...path],
      message: "to be 0, or between 1.2e-38 and 3.4e38 in size",
    });
  } else if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) refuseSizes(inner, [...path, key], context);
}

const Fields = z.strictObject({
  version: z.literal(1).default(1),
  seed: z.int().min(0).default(0),
  task: Named,
  model: Named,
  tokenizer: z.enum(["word", "character"]).default("word"),
  train: TrainConfig.prefault({}),
  /** `null` removes that of a file: `--set curriculum=null`. */
  curriculum: z.preprocess((value) => value ?? {}, CurriculumConfig),
  stateSupervision: StateSupervision.optional(),
  /** By default fresh weights. */
  init: InitConfig.optional(),
  /** The `signal` of a name in src/train/objectives, alone or with further fields; by default `train.loss`. */
  objective: NamedOrName.optional(),
  data: DataConfig.optional(),
  evaluate: EvaluateConfig.prefault({}),
  /** A checkpoint is written every so many steps, and at the end. */
  checkpointEvery: z.int().positive().default(200),
  device: z.enum(["cpu", "cuda", "webgpu", "wasm"]).default("cpu"),
  /** Threads within an op; with 1 the same seed gives the same bits. */
  threads: z.int().positive().max(1024).default(1),
});

/** Keys of earlier versions, for the message of the error. */
const renamed = {
  "train.padTo": "train.padding",
  "train.pack": "train.packedLength",
  "train.budgets": "train.decayCheckpoints",
  "train.decayShare": "train.decayFraction",
  "train.decayForm": "train.decayShape",
  "train.finalShare": "train.minLearningRateRatio",
  "train.clip": "train.maxGradNorm",
  "train.untilPerfect": "train.stopWhenSolved",
  "train.stopWhenSolved.programs": "train.stopWhenSolved.examples",
  "train.heldOutPrograms": "train.validationExamples",
  "curriculum.accuracy": "curriculum.threshold",
  "curriculum.memory": "curriculum.averagingWindow",
  "curriculum.maximumSteps": "curriculum.maxStepsPerStage",
  "evaluate.tests": "evaluate.settings",
  "evaluate.programs": "evaluate.examples",
  "data.mixture.by": "data.mixture.sampler",
  "data.mixture.every": "data.mixture.window",
  "data.mixture.programs": "data.mixture.examples",
  "data.mixture.parts.share": "data.mixture.parts.weight",
  "data.async.ahead": "data.async.prefetch",
  "data.async.staleness": "data.async.maxStaleness",
  teach: "init.from, train.trainable, objective, data.mixture and data.async",
};

export const RunConfig = Fields.superRefine((value, context) => refuseSizes(value, [], context)).meta({
  renamed,
});
export type RunConfig = z.infer<typeof RunConfig>;

/** The part of a configuration that determines the weights. */
export const trainedBy = ({
  seed,
  task,
  model,
  tokenizer,
  train,
  curriculum,
  stateSupervision,
  init,
  objective,
  data,
}: RunConfig) => ({
  ...{ seed, task, model, tokenizer, train, curriculum },
  ...(stateSupervision !== undefined && { stateSupervision }),
  ...(init !== undefined && { init }),
  ...(objective !== undefined && { objective }),
  ...(data !== undefined && { data }),
});

/** One line of metrics.jsonl. Accuracies are shares of revealed values that were the most probable word. */
export const StepRecord = z
  .object({
    step: z.int().min(0),
    loss: z.number(),
    /** On this batch. */
    accuracy: z.number(),
    /** Running mean on the hardest part of the stage, as the curriculum sees it. */
    runningAccuracy: z.number(),
    stage: z.int().min(0),
    learningRate: z.number(),
    /** Of the gradient, before clipping. */
    gradientNorm: z.number(),
    tokens: z.int(),
    seconds: z.number(),
    /** With state supervision: its unweighted loss (`loss` is that of the model), and its accuracy. */
    stateLoss: z.number().optional(),
    stateAccuracy: z.number().optional(),
    /** With `train.stopWhenSolved` or `evaluateEvery`, after some steps: held-out accuracy. */
    heldOut: z.number().optional(),
  })
  /** Records of further objectives. */
  .catchall(z.number());
export type StepRecord = z.infer<typeof StepRecord>;

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

const Named = z.looseObject({ name: z.string().describe("The name alone") });

/** Fields of the task that a stage or a test changes: `{ spacing: 2 }`. */
const TaskChange = z.record(z.string(), z.unknown());

/** Settings of AdamW for the parameters whose paths a pattern matches; what a group leaves out is as without it. */
export const ParameterGroup = z.strictObject({
  match: z
    .string()
    .min(1)
    .describe("Paths of parameters: * for any characters, | between alternatives, such as head|layers.0.*"),
  learningRateRatio: z.number().min(0).optional().describe("Learning rate, as a ratio to that of the step"),
  weightDecay: z.number().min(0).optional().describe("Weight decay of the group"),
  beta1: z.number().min(0).lt(1).optional().describe("Decay rate of the first moment"),
  beta2: z.number().min(0).lt(1).optional().describe("Decay rate of the second moment"),
});
export type ParameterGroup = z.infer<typeof ParameterGroup>;

export const TrainConfig = z.strictObject({
  steps: z.int().positive().default(600).describe("Number of training steps"),
  batch: z.int().positive().default(24).describe("Examples per step"),
  padding: z
    .enum(["max", "longest", "bucket"])
    .default("max")
    .describe(
      "Row length: the longest of the stage (max), the longest of the batch (longest), or groups of similar length (bucket)",
    ),
  packedLength: z
    .int()
    .positive()
    .optional()
    .describe("Packs the examples of a batch end to end into rows of at most this many tokens"),
  truncatedLength: z
    .int()
    .positive()
    .optional()
    .describe(
      "Truncates backpropagation: rows are computed in pieces of this many tokens, which pass on their state without gradient",
    ),
  loss: z.string().default("revealed-values").describe("The main loss, a name of `statelab list objectives`"),
  learningRate: z.number().positive().default(3e-3).describe("Highest learning rate of the schedule"),
  schedule: z
    .enum(["constant", "cosine", "wsd", "wsd-s", "range"])
    .default("constant")
    .describe(
      "Learning rate after the warm-up: constant, cosine, wsd (constant, then decay), wsd-s (wsd with a decay before each decay checkpoint), or range (an exponential rise, to find a rate)",
    ),
  warmupSteps: z.int().min(0).default(20).describe("Steps in which the learning rate rises from 0"),
  decaySteps: z.int().min(0).default(100).describe("Steps of the final decay with wsd"),
  decayCheckpoints: z
    .array(z.int().positive())
    .min(1)
    .optional()
    .describe(
      "Ascending steps at which wsd-s has decayed and keeps a checkpoint, the last of them the number of steps",
    ),
  decayFraction: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe("Share of the steps between two checkpoints in which wsd-s decays, 0.1 by default"),
  decayShape: z
    .enum(["linear", "inverse"])
    .optional()
    .describe(
      "Whether the rate falls linearly or its inverse rises linearly, by default linear for wsd and inverse for wsd-s",
    ),
  minLearningRateRatio: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe("Final learning rate, or with range the first, as a share of the highest"),
  optimizer: z.string().default("adamw").describe("Name of the optimizer"),
  beta1: z.number().min(0).lt(1).default(0.9).describe("Decay rate of the first moment of AdamW"),
  beta2: z.number().min(0).lt(1).default(0.95).describe("Decay rate of the second moment of AdamW"),
  epsilon: z.number().positive().default(1e-8).describe("Epsilon of AdamW"),
  weightDecay: z
    .number()
    .min(0)
    .default(0.01)
    .describe("Weight decay of matrices, except embeddings, convolutions and initial states"),
  groups: z
    .array(ParameterGroup)
    .optional()
    .describe("Parameter groups with other settings; the first one that matches a parameter counts"),
  maxGradNorm: z
    .number()
    .positive()
    .default(1)
    .describe("Upper bound of the gradient norm over all parameters"),
  averaging: z
    .strictObject({
      ema: z.number().gt(0).lt(1).optional().describe("Decay per step of an exponential moving average"),
      mean: z
        .int()
        .min(2)
        .max(100)
        .optional()
        .describe("Number of last checkpoints, checkpointEvery steps apart, that are kept and averaged"),
    })
    .optional()
    .describe("Averages of the weights, for --checkpoint ema or mean"),
  stopWhenSolved: z
    .strictObject({
      every: z.int().positive().default(50).describe("Steps between two evaluations"),
      examples: z
        .int()
        .positive()
        .max(mostHeldOut)
        .default(500)
        .describe("Number of these held-out programs"),
    })
    .optional()
    .describe("Stops the training when every answer on held-out programs is right"),
  evaluateEvery: z
    .int()
    .positive()
    .optional()
    .describe("Steps between two evaluations on held-out programs, of which the best checkpoint is kept"),
  validationExamples: z
    .int()
    .positive()
    .max(mostHeldOut)
    .optional()
    .describe("Number of these held-out programs, 200 by default"),
  patience: z
    .int()
    .positive()
    .optional()
    .describe("Stops the training after this many evaluations without improvement"),
  trainable: z
    .enum(["all", "initial-state"])
    .default("all")
    .describe("Trained parameters: all, or only the initial state"),
  shares: z
    .int()
    .positive()
    .optional()
    .describe(
      "Gradient accumulation: parts into which a batch is divided, by default 2, computed by several cores or in turn. It determines the bits of the result",
    ),
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
    .default([[{}]])
    .describe("Stages of the curriculum, each a list of task settings, one of which is drawn per example"),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.95)
    .describe("Running accuracy on the last setting of a stage that ends the stage"),
  averagingWindow: z
    .int()
    .positive()
    .default(100)
    .describe("Approximate number of reveals in the running accuracy"),
  maxStepsPerStage: z.int().positive().optional().describe("Steps after which a stage ends at any accuracy"),
});
export type CurriculumConfig = z.infer<typeof CurriculumConfig>;

/** An auxiliary loss: the hidden vector after a line predicts the state of the program there. It is not exported. */
export const StateSupervision = z.strictObject({
  head: z
    .string()
    .default("linear")
    .describe(
      "How the state is predicted: linear (one class per value), decoder (a small Transformer spells it) or contrastive",
    ),
  weight: z
    .number()
    .positive()
    .optional()
    .describe("Weight of its loss, 1 by default, and 0.1 for contrastive"),
  position: z
    .enum(["newline", "line"])
    .default("newline")
    .describe("Tokens at which the state is predicted: the last of a line, or all of the line"),
  layer: z
    .int()
    .min(0)
    .optional()
    .describe("Layer whose residual stream is read, from 0, by default the last"),
  state: z
    .enum(["changed", "all"])
    .default("all")
    .describe("Predicted variables: all, or those that the line changed"),
  typeWeight: z.number().min(0).optional().describe("Weight of types in the execution head, 1 by default"),
});
export type StateSupervision = z.infer<typeof StateSupervision>;

const NamedOrName = z.union([z.string(), z.looseObject({ name: z.string() })]);

/** Mixture of training programs: several parts, each with a weight (docs/concepts/training-signals.md). */
const MixtureConfig = z.strictObject({
  parts: z
    .array(
      z.strictObject({
        weight: z.number().positive().default(1).describe("Relative number of examples"),
        objective: NamedOrName.default("revealed-values").describe(
          "`revealed-values` (the question of the task), or an objective of `statelab list objectives` with the kind part",
        ),
        change: TaskChange.optional().describe("Changes to the task, in addition to those of the stage"),
        replay: z.literal(true).optional().describe("Uses programs of earlier stages"),
      }),
    )
    .min(1)
    .describe("Parts of the mixture, each with a weight, an objective and changes to the task"),
  sampler: NamedOrName.default("fixed").describe("Policy of the shares"),
  window: z.int().positive().default(128).describe("Steps with constant shares"),
  examples: z
    .int()
    .positive()
    .max(100_000)
    .default(64)
    .describe("Programs of each part on which its loss is measured, if the policy needs losses"),
});

/** Examples made by data workers ahead of the training (docs/how-to/cluster.md). */
export const AsyncDataConfig = z.strictObject({
  prefetch: z
    .int()
    .min(1)
    .max(10_000)
    .default(4)
    .describe("Largest number of unread batches, finished or being made"),
  maxStaleness: z
    .int()
    .min(0)
    .default(0)
    .describe("Batch n is made with weights of step n - 1 - maxStaleness or later"),
});
export type AsyncDataConfig = z.infer<typeof AsyncDataConfig>;

/** The initial weights. */
const InitConfig = z.strictObject({
  from: z.string().min(1).describe("Folder of a finished run with the initial weights"),
});

/** The examples of the training. */
const DataConfig = z.strictObject({
  mixture: MixtureConfig.optional().describe(
    "Mixture of training programs, by default the settings of the stage with equal probability",
  ),
  async: AsyncDataConfig.optional().describe("Examples made by data workers ahead of the training"),
});

const EvaluateConfig = z.strictObject({
  examples: z.int().positive().max(mostPrograms).default(1000).describe("Unseen programs per test"),
  settings: z.array(TaskChange).max(mostTests).default([{}]).describe("Changes to the task, one per test"),
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
  version: z.literal(1).default(1).describe("Version of the format"),
  seed: z.int().min(0).default(0).describe("Seed of all random numbers"),
  task: Named.describe("Name of the task, with its parameters"),
  model: Named.describe("Name of the model, with its fields"),
  tokenizer: z
    .union([
      z.enum(["word", "character"]),
      z.strictObject({
        file: z.string().min(1).describe("Path of a tokenizer.json with a BPE or Unigram model"),
      }),
    ])
    .default("word")
    .describe("Tokens: words of the task, characters, or those of a language model"),
  train: TrainConfig.prefault({}),
  curriculum: z.preprocess((value) => value ?? {}, CurriculumConfig),
  stateSupervision: StateSupervision.optional().describe(
    "Auxiliary loss: the hidden vector after a line predicts the state of the program there",
  ),
  init: InitConfig.optional(),
  objective: NamedOrName.optional().describe(
    "Training signal, a name of `statelab list objectives` with the kind signal, by default `train.loss`",
  ),
  data: DataConfig.optional(),
  evaluate: EvaluateConfig.prefault({}),
  checkpointEvery: z.int().positive().default(200).describe("Steps between two checkpoints"),
  device: z.enum(["cpu", "cuda", "webgpu", "wasm"]).default("cpu").describe("Where ONNX Runtime computes"),
  threads: z
    .int()
    .positive()
    .max(1024)
    .default(1)
    .describe("Threads within an operation, where 1 gives the same bits for the same seed"),
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
  "train.lr": "train.learningRate",
  "train.batchSize": "train.batch",
  "train.batch_size": "train.batch",
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
    step: z.int().min(0).describe("Step, from 1"),
    loss: z.number().describe("Loss of the batch"),
    accuracy: z.number().describe("Accuracy on this batch"),
    runningAccuracy: z
      .number()
      .describe("Running accuracy on the hardest setting of the stage, which ends the stage"),
    stage: z.int().min(0).describe("Stage of the curriculum, from 0"),
    learningRate: z.number().describe("Learning rate of the step"),
    gradientNorm: z.number().describe("Gradient norm before clipping"),
    tokens: z.int().describe("Tokens of the batch"),
    seconds: z.number().describe("Seconds of the step"),
    transferBytes: z.int().optional().describe("Bytes copied between host and device in the step"),
    stateLoss: z.number().optional().describe("Unweighted loss of the state supervision"),
    stateAccuracy: z.number().optional().describe("Accuracy of the state supervision"),
    heldOut: z
      .preprocess((share) => share ?? undefined, z.number().optional())
      .describe(
        "Accuracy on held-out programs, after some steps; null on the first line of a run that has it later",
      ),
  })
  /** Records of further objectives. */
  .catchall(z.number());
export type StepRecord = z.infer<typeof StepRecord>;

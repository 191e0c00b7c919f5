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

/** A file may be somebody else's: no number in it may ask for more work before the first sign of life than a machine does in seconds. */
const mostHeldOut = 100_000;
const mostStages = 1000;
const mostTests = 1000;
/** Of a test: the hashes of its programs are in one set, which JavaScript holds no larger. */
export const mostPrograms = 10_000_000;

const Named = z.looseObject({ name: z.string() });

/** Fields of the task that a stage or a test changes: `{ spacing: 2 }`. */
const TaskChange = z.record(z.string(), z.unknown());

export const TrainConfig = z.strictObject({
  steps: z.int().positive().default(600),
  /** Examples per step. */
  batch: z.int().positive().default(24),
  /**
   * How long the rows of a batch are: the longest example that is possible in the stage, or that of the batch, in quarters
   * of the former, or each about as long as it needs, in parts of like rows. The latter two are faster where lengths vary, take more
   * memory, and are the same but for rounding.
   */
  padTo: z.enum(["stage", "batch", "rows"]).default("stage"),
  /**
   * N: the examples of a batch stand end to end in rows of at most so many positions, each computed as if it stood alone; an example
   * a row where it is not said. The same but for rounding. Of models that pack (docs/models.md), and losses that are means over positions.
   */
  pack: z.int().positive().optional(),
  /** What is trained for first: a name in src/train/objectives. */
  loss: z.string().default("reveals"),
  /** The highest learning rate of the schedule. */
  learningRate: z.number().positive().default(3e-3),
  /**
   * After the warm-up: constant; cosine to `finalShare`; wsd: constant, then down to it over the last `decaySteps`; wsd-s: the same
   * before each of the `budgets`, and at the full rate again behind it.
   */
  schedule: z.enum(["constant", "cosine", "wsd", "wsd-s"]).default("constant"),
  warmupSteps: z.int().min(0).default(20),
  decaySteps: z.int().min(0).default(100),
  /** Of wsd-s: the steps at which the rate has come down and a checkpoint is kept, ascending; the last is `steps`. */
  budgets: z.array(z.int().positive()).min(1).optional(),
  /** Of wsd-s: the share of the steps between two budgets in which the rate comes down; 0.1 where it is not said. */
  decayShare: z.number().gt(0).max(1).optional(),
  /** How wsd and wsd-s come down: the rate falls by the same each step, or its inverse rises so. Where it is not said wsd is linear, wsd-s inverse. */
  decayForm: z.enum(["linear", "inverse"]).optional(),
  /** The share of the learning rate that is left at the end. */
  finalShare: z.number().min(0).max(1).default(0.1),
  /** A name in src/train/optimizers. */
  optimizer: z.string().default("adamw"),
  /** AdamW: decay rates of the two moments, epsilon, and the decay of the weights (of matrices only). */
  beta1: z.number().min(0).lt(1).default(0.9),
  beta2: z.number().min(0).lt(1).default(0.95),
  epsilon: z.number().positive().default(1e-8),
  weightDecay: z.number().min(0).default(0.01),
  /** The gradient's norm over all parameters is at most this. */
  clip: z.number().positive().default(1),
  /**
   * Asks every so many steps about programs of the task as it is configured, none of which is ever trained on, and
   * stops when every answer is right.
   */
  untilPerfect: z
    .strictObject({
      every: z.int().positive().default(50),
      programs: z.int().positive().max(mostHeldOut).default(500),
    })
    .optional(),
  /**
   * Asks held-out programs every so many steps and after the last: programs of the task as it is configured, on which nothing is
   * trained and which no test asks. The checkpoint that was best on them is kept.
   */
  evaluateEvery: z.int().positive().optional(),
  /** How many programs that is; 200 where it is not said. */
  heldOutPrograms: z.int().positive().max(mostHeldOut).optional(),
  /** Ends the training when they were not answered better so many times in a row. */
  patience: z.int().positive().optional(),
});
export type TrainConfig = z.infer<typeof TrainConfig>;

/**
 * Stages that follow each other; each is a list of changes to the task, one of which is drawn for every example.
 * A stage ends when the running accuracy on its last (hardest) change reaches `accuracy`, or after `maximumSteps`.
 */
export const CurriculumConfig = z.strictObject({
  stages: z
    .array(z.array(TaskChange).min(1).max(mostStages))
    .min(1)
    .max(mostStages)
    .default([[{}]]),
  accuracy: z.number().min(0).max(1).default(0.95),
  /** Reveals over which the running accuracy looks back, roughly; at least half as many are asked in each stage. */
  memory: z.int().positive().default(100),
  maximumSteps: z.int().positive().optional(),
});
export type CurriculumConfig = z.infer<typeof CurriculumConfig>;

/** An auxiliary loss in which the hidden vector after a line predicts the program's state there. It is not exported. */
export const StateSupervision = z.strictObject({
  /** One class for each value; a small Transformer that spells the state; or the state told from others of the program. */
  head: z.string().default("linear"),
  /** Of its loss beside the model's own; 1, and 0.1 of a contrastive one, where it is not said. */
  weight: z.number().positive().optional(),
  /** After which tokens the state is asked for: the one that ends a line, or every one of the line. */
  position: z.enum(["newline", "line"]).default("newline"),
  /** Whose residual stream is read, from 0; the last one where it is not said. */
  layer: z.int().min(0).optional(),
  /** All variables, or those that the line changed. */
  state: z.enum(["changed", "all"]).default("all"),
});
export type StateSupervision = z.infer<typeof StateSupervision>;

const NamedOrName = z.union([z.string(), z.looseObject({ name: z.string() })]);

/** What is drawn: programs of several parts, each with a share (docs/teaching.md). */
export const MixtureConfig = z.strictObject({
  parts: z
    .array(
      z.strictObject({
        /** Of the examples, beside those of the other parts. */
        share: z.number().positive().default(1),
        /** What is asked: `reveals`, what the task asks, or the `part` of a name in src/train/objectives. */
        objective: NamedOrName.default("reveals"),
        /** Of the task, over those of the stage. */
        change: TaskChange.optional(),
        /** Programs of the stages before this one; in the first stage there are none. */
        replay: z.literal(true).optional(),
      }),
    )
    .min(1),
  /** How shares change: a name in src/train/mixture/samplers, alone or with fields of its own. */
  by: NamedOrName.default("fixed"),
  /** Steps of a window, within which shares stay as they are. */
  every: z.int().positive().default(128),
  /** Of each part, on which its loss is looked at, where the shares follow from losses. */
  programs: z.int().positive().max(100_000).default(64),
});
export type MixtureConfig = z.infer<typeof MixtureConfig>;

/** Examples are made by other processes, ahead of the training (docs/streams.md). */
export const StreamConfig = z.strictObject({
  /** K: so many batches may be there or in the making that are not read yet. */
  ahead: z.int().min(1).max(10_000).default(4),
  /** N: batch n is made with weights of step n - 1 - N at the earliest; 0 is the same as making it at the step itself. */
  staleness: z.int().min(0).default(0),
});
export type StreamConfig = z.infer<typeof StreamConfig>;

/** How a model is taught besides what `train` says (docs/teaching.md). */
export const TeachConfig = z.strictObject({
  /** The folder of a finished run whose weights it begins with; fresh ones where it is not said. */
  from: z.string().min(1).optional(),
  /** What changes: all parameters, or what is carried before the first token, alone. */
  train: z.enum(["all", "initial-state"]).default("all"),
  /** What the loss looks at: the `signal` of a name in src/train/objectives, alone or with further fields. By default `train.loss`. */
  signal: NamedOrName.optional(),
  /** What is drawn; the variants of the stage, all equally likely, where it is not said. */
  mixture: MixtureConfig.optional(),
  /** Where examples are made; by the training itself where it is not said. */
  stream: StreamConfig.optional(),
});
export type TeachConfig = z.infer<typeof TeachConfig>;

export const EvaluateConfig = z.strictObject({
  /** Fresh programs per test, none of them seen in training. */
  programs: z.int().positive().max(mostPrograms).default(1000),
  /** Changes to the task, one per test. */
  tests: z.array(TaskChange).max(mostTests).default([{}]),
});

/** What a 32-bit float holds without a loss of digits: all that is trained is computed in it. */
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
  /** `null` takes that of a file out: `--set curriculum=null`. */
  curriculum: z.preprocess((value) => value ?? {}, CurriculumConfig),
  stateSupervision: StateSupervision.optional(),
  teach: TeachConfig.optional(),
  evaluate: EvaluateConfig.prefault({}),
  /** A checkpoint is written every so many steps, and at the end. */
  checkpointEvery: z.int().positive().default(200),
  device: z.enum(["cpu", "cuda", "webgpu", "wasm"]).default("cpu"),
  /** Threads within an op; with 1 the same seed gives the same bits. */
  threads: z.int().positive().max(1024).default(1),
});
export const RunConfig = Fields.superRefine((value, context) => refuseSizes(value, [], context));
export type RunConfig = z.infer<typeof RunConfig>;

/** The part of a configuration that the weights depend on. */
export const trainedBy = ({
  seed,
  task,
  model,
  tokenizer,
  train,
  curriculum,
  stateSupervision,
  teach,
}: RunConfig) => ({
  ...{ seed, task, model, tokenizer, train, curriculum },
  ...(stateSupervision !== undefined && { stateSupervision }),
  ...(teach !== undefined && { teach }),
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
    /** With state supervision: its loss, before the weight (`loss` is the model's own), and how often it was right. */
    stateLoss: z.number().optional(),
    stateAccuracy: z.number().optional(),
    /** With `train.untilPerfect` or `evaluateEvery`, after some steps: the share of held-out answers that were right. */
    heldOut: z.number().optional(),
  })
  /** What further objectives record. */
  .catchall(z.number());
export type StepRecord = z.infer<typeof StepRecord>;

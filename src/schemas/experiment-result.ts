/**
 * @file The result of an experiment: the output of `reproduce --json` and content of `runs/<experiment>/result.json`.
 */

import { z } from "zod";
import { Nats, Shares } from "./test-result.ts";

const Accuracy = z.number().min(0).max(1);

/** One trained model on one test. */
export const ResultRow = z.strictObject({
  ...Shares.shape,
  /** The setting of its training: `swaps, spacing 4`; "" if there is only one. */
  setting: z.string(),
  model: z.string(),
  seed: z.int(),
  tested: z.strictObject({
    /** Short, for tables and axes: `48/24`. */
    name: z.string(),
    /** Change of the trained task. */
    change: z.record(z.string(), z.unknown()),
    programs: z.int(),
    reveals: z.int(),
    /** Whether programs of this shape (not these programs) were in training. */
    asTrained: z.boolean(),
    /** Accuracy of a uniform guess. */
    chance: Accuracy,
  }),
  /** Reference solvers of the task on the same programs, by name: `exactBayes`, `windowedBayes`. */
  references: z.record(z.string(), Shares),
  /** Only for tasks with hidden chance. */
  nats: Nats.optional(),
});
export type ResultRow = z.infer<typeof ResultRow>;

/**
 * Named numbers other than accuracies: of a trained model, or of work without training.
 *
 *     { setting: "", model: "lstm", seed: 0, name: "natsAboveExact", at: { partials: 3 }, values: { nats: 0.71, exact: 0.68 } }
 */
export const Measurement = z.strictObject({
  setting: z.string(),
  /** The model, or another compared item. */
  model: z.string(),
  seed: z.int(),
  /** Id of the measurement: rows with the same id have the same number names and form one table. */
  name: z.string(),
  /** Coordinates of a row within its measurement: a layer and a head, a length. Equal in every seed. */
  at: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  values: z.record(z.string(), z.number()),
  /** A remark for readers. */
  note: z.string().optional(),
});
export type Measurement = z.infer<typeof Measurement>;

/** Display names for the ids of a measurement. */
const Labels = z.strictObject({
  label: z.string(),
  at: z.record(z.string(), z.string()),
  values: z.record(z.string(), z.string()),
});

/** Measurements of one process, kept in its folder so that they are not repeated. */
export const MeasuredRecord = z.strictObject({
  version: z.literal(1),
  /** Everything that it depends on: the planned run or work. */
  about: z.unknown(),
  measurements: z.array(Measurement),
});
export type MeasuredRecord = z.infer<typeof MeasuredRecord>;

/** The training curve of one model, thinned for drawing. */
export const TrainingCurve = z.strictObject({
  setting: z.string(),
  model: z.string(),
  seed: z.int(),
  parameters: z.int(),
  learningRate: z.number(),
  /** Programs per step. */
  batch: z.int().optional(),
  steps: z.int(),
  seconds: z.number(),
  /** Absent in results before 2026-11-28. */
  run: z
    .strictObject({
      /** Name of the architecture. */
      model: z.string(),
      loss: z.string(),
      /** Fields of the model, batch, learning rate, schedule and weight decay. */
      settings: z.record(z.string(), z.unknown()),
      /** Commit of the checkout that trained it, absent for an installed package. */
      commit: z.string().optional(),
    })
    .optional(),
  /** Reached stage of the curriculum, from 1, and number of stages. */
  stages: z.strictObject({ reached: z.int(), of: z.int() }).optional(),
  /** accuracy: running mean on the reveals of the training batches; stage: named by its hardest change. */
  points: z.array(z.strictObject({ step: z.int(), loss: z.number(), accuracy: Accuracy, stage: z.string() })),
});
export type TrainingCurve = z.infer<typeof TrainingCurve>;

/** A published number or statement, and our measurement. */
export const Claim = z.strictObject({
  source: z.string(),
  statement: z.string(),
  /** As published: a share in [0, 1] unless `unit` says otherwise; absent for a statement in words. */
  published: z.number().optional(),
  /** The models that it is about, if not all. */
  models: z.array(z.string()).optional(),
  /** The setting that it is about, if not all. */
  setting: z.string().optional(),
  /** Definition of `values` if it differs from the published quantity: `scaled accuracy at the last reveal of 48/24`. */
  here: z.string().optional(),
  /** Conditions in which ours differs from the published one, so that the two are not comparable: `loss on revealed values`. */
  unlike: z.string().optional(),
  unit: z.enum(["share", "nats", "number"]).default("share"),
  /** Aggregation over seeds. The table of G, for example, is the best of three. */
  over: z.enum(["mean", "best"]).default("mean"),
  /** One per seed; empty if this scale does not measure it. */
  values: z.array(z.number()),
  /** Standard error of each value, if a single seed has one. */
  errors: z.array(z.number()).optional(),
});
export type Claim = z.infer<typeof Claim>;

/** A row of the table of expectations: expected and measured. */
export const Check = z.strictObject({
  name: z.string(),
  /** `at least 95 %` */
  expected: z.string(),
  unit: z.enum(["share", "nats", "number"]).default("share"),
  /** One per seed. */
  values: z.array(z.number()).min(1),
  /** inconclusive: a model that it is about did not finish its curriculum, or has not learned its training. */
  met: z.union([z.boolean(), z.literal("inconclusive")]),
});
export type Check = z.infer<typeof Check>;

/** A short program with the spans that reveal state. */
export const Sample = z.strictObject({
  text: z.string(),
  reveals: z.array(z.strictObject({ start: z.int(), end: z.int(), answer: z.string() })),
});
export type Sample = z.infer<typeof Sample>;

/** The machine of a result, without host names. */
export const Machine = z.strictObject({
  node: z.string(),
  /** `linux x64`. */
  platform: z.string(),
  processor: z.string(),
  cores: z.int(),
  memoryGiB: z.number(),
});
export type Machine = z.infer<typeof Machine>;

export const ExperimentResult = z.strictObject({
  version: z.literal(2),
  experiment: z.string(),
  question: z.string(),
  command: z.string(),
  date: z.string(),
  scale: z.enum(["smoke", "laptop", "paper"]),
  /** full: each model was trained until its curve stopped rising. */
  budget: z.enum(["quick", "full"]).optional(),
  seeds: z.array(z.int()),
  device: z.string(),
  machine: Machine.optional(),
  /** From call to report; after interruptions at least the time of its trainings divided by the jobs. */
  seconds: z.number(),
  /** Window of the windowed reference in commands, if the experiment has one. */
  window: z.int().optional(),
  /** Samples for display; empty for an experiment without programs. */
  sample: Sample.optional(),
  models: z.record(z.string(), z.strictObject({ label: z.string(), summary: z.string() })),
  results: z.array(ResultRow),
  measurements: z.array(Measurement).default([]),
  /** Display names by measurement; ids are shown otherwise. */
  labels: z.record(z.string(), Labels).default({}),
  training: z.array(TrainingCurve),
  claims: z.array(Claim),
  /** Absent in results before 2026-11-27. */
  checks: z.array(Check).optional(),
  /** One line for each check that is not met or inconclusive, and each failed run. */
  findings: z.array(z.string()),
  /** Errors of failed runs, which the result lacks: a repeated call retries them. */
  failures: z.array(z.string()).min(1).optional(),
  report: z.string(),
});
export type ExperimentResult = z.infer<typeof ExperimentResult>;

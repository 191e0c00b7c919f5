/**
 * @file The result of an experiment: what `reproduce --json` prints, `runs/<experiment>/result.json` holds and the report draws.
 */

import { z } from "zod";
import { Nats, Shares } from "./test-result.ts";

const Accuracy = z.number().min(0).max(1);

/** One trained model asked about programs of one kind. */
export const ResultRow = z.strictObject({
  ...Shares.shape,
  /** Which of the experiment's settings it was trained in: `swaps, spacing 4`; "" where there is but one. */
  setting: z.string(),
  model: z.string(),
  seed: z.int(),
  tested: z.strictObject({
    /** Short, for tables and axes: `48/24`. */
    name: z.string(),
    /** What is changed in the task that was trained. */
    change: z.record(z.string(), z.unknown()),
    programs: z.int(),
    reveals: z.int(),
    /** true where programs of this shape (not these programs) were in training. */
    asTrained: z.boolean(),
    /** Accuracy of a uniform guess. */
    chance: Accuracy,
  }),
  /** The task's computed solvers on the same programs, by name: `exactBayes`, `windowedBayes`. */
  references: z.record(z.string(), Shares),
  /** Where chance that nobody sees moves the state. */
  nats: Nats.optional(),
});
export type ResultRow = z.infer<typeof ResultRow>;

/**
 * Named numbers that are no accuracy: of a trained model, or of work that trains nothing.
 *
 *     { setting: "", model: "lstm", seed: 0, name: "natsAboveExact", at: { partials: 3 }, values: { nats: 0.71, exact: 0.68 } }
 */
export const Measurement = z.strictObject({
  setting: z.string(),
  /** Which of the experiment's models, or of whatever else it compares. */
  model: z.string(),
  seed: z.int(),
  /** What was measured, an id: rows of one name have numbers of the same names, and stand in one table. */
  name: z.string(),
  /** Where, if rows of one name are many: a layer and a head, a length. The same in every seed. */
  at: z.record(z.string(), z.union([z.number(), z.string()])).default({}),
  values: z.record(z.string(), z.number()),
  /** What a person reads beside the numbers. */
  note: z.string().optional(),
});
export type Measurement = z.infer<typeof Measurement>;

/** What people read in place of the ids of one kind of measurement. */
const Labels = z.strictObject({
  label: z.string(),
  at: z.record(z.string(), z.string()),
  values: z.record(z.string(), z.string()),
});

/** What one process measured, kept in its folder so that it is not measured twice. */
export const MeasuredRecord = z.strictObject({
  version: z.literal(1),
  /** Everything that it depends on: the planned run or work. */
  about: z.unknown(),
  measurements: z.array(Measurement),
});
export type MeasuredRecord = z.infer<typeof MeasuredRecord>;

/** What happened while one model was trained, thinned for drawing. */
export const TrainingCurve = z.strictObject({
  setting: z.string(),
  model: z.string(),
  seed: z.int(),
  parameters: z.int(),
  learningRate: z.number(),
  /** Programs a step. */
  batch: z.int().optional(),
  steps: z.int(),
  seconds: z.number(),
  /** Of the curriculum: to which it came, from 1, and how many there are. */
  stages: z.strictObject({ reached: z.int(), of: z.int() }).optional(),
  /** accuracy: on the reveals of the training batches, running mean; stage: of the curriculum, named by its hardest part. */
  points: z.array(z.strictObject({ step: z.int(), loss: z.number(), accuracy: Accuracy, stage: z.string() })),
});
export type TrainingCurve = z.infer<typeof TrainingCurve>;

/** A published number or statement, and what was measured here in its place. */
export const Claim = z.strictObject({
  source: z.string(),
  statement: z.string(),
  /** As published: a share in [0, 1] unless `unit` says otherwise; absent for a statement in words. */
  published: z.number().optional(),
  /** Of the experiment's models those that it is about, where it is about some. */
  models: z.array(z.string()).optional(),
  /** Of its settings the one that it is about, where it is about one. */
  setting: z.string().optional(),
  /** What `values` is, where it is not the very same quantity: `scaled accuracy at the last reveal of 48/24`. */
  here: z.string().optional(),
  unit: z.enum(["share", "nats", "number"]).default("share"),
  /** How the seeds become one number. G's table, for one, is the best of three. */
  over: z.enum(["mean", "best"]).default("mean"),
  /** One a seed; empty where this scale measures nothing of the kind. */
  values: z.array(z.number()),
  /** The standard error of each value, where one seed already has one. */
  errors: z.array(z.number()).optional(),
});
export type Claim = z.infer<typeof Claim>;

/** What was expected, and what was measured: a row of the table of expectations. */
export const Check = z.strictObject({
  name: z.string(),
  /** `at least 95 %` */
  expected: z.string(),
  unit: z.enum(["share", "nats", "number"]).default("share"),
  /** One a seed. */
  values: z.array(z.number()).min(1),
  met: z.boolean(),
});
export type Check = z.infer<typeof Check>;

/** A short program with the spans that reveal state. */
export const Sample = z.strictObject({
  text: z.string(),
  reveals: z.array(z.strictObject({ start: z.int(), end: z.int(), answer: z.string() })),
});
export type Sample = z.infer<typeof Sample>;

/** What a result was made on; no names of hosts. */
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
  /** full: each model was trained for as long as its curve still rose. */
  budget: z.enum(["quick", "full"]).optional(),
  seeds: z.array(z.int()),
  device: z.string(),
  machine: Machine.optional(),
  /** From call to report; after interruptions at least what its trainings took, shared by the jobs. */
  seconds: z.number(),
  /** Commands that the windowed reference sees, where the experiment has one such reference. */
  window: z.int().optional(),
  /** For people to look at; none where the experiment reads no programs. */
  sample: Sample.optional(),
  models: z.record(z.string(), z.strictObject({ label: z.string(), summary: z.string() })),
  results: z.array(ResultRow),
  measurements: z.array(Measurement).default([]),
  /** By the name of measurements; what has none is shown by its ids. */
  labels: z.record(z.string(), Labels).default({}),
  training: z.array(TrainingCurve),
  claims: z.array(Claim),
  /** Absent in results of before 2026-11-27. */
  checks: z.array(Check).optional(),
  /** One line for each check that is not met, and for each run that failed. */
  findings: z.array(z.string()),
  /** Why runs failed that the result is without: called again, the experiment goes on with these. */
  failures: z.array(z.string()).min(1).optional(),
  report: z.string(),
});
export type ExperimentResult = z.infer<typeof ExperimentResult>;

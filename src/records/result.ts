/**
 * @file The result of an experiment: what `reproduce --json` prints, `runs/<experiment>/result.json` holds and the report draws.
 */

import { z } from "zod";

const Accuracy = z.number().min(0).max(1);

/** How often the argmax over the whole vocabulary was the revealed value, or how often a computed solver expects to be right. */
const Shares = z.strictObject({
  /** Over all reveals, and over the last of each program. */
  accuracy: Accuracy,
  accuracyLast: Accuracy,
  /** By position of the reveal in the program, first to last. */
  accuracyByReveal: z.array(Accuracy),
});

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
});
export type ResultRow = z.infer<typeof ResultRow>;

/** What happened while one model was trained, thinned for drawing. */
export const TrainingCurve = z.strictObject({
  setting: z.string(),
  model: z.string(),
  seed: z.int(),
  parameters: z.int(),
  learningRate: z.number(),
  steps: z.int(),
  seconds: z.number(),
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
  /** What `values` is, where it is not the very same quantity: `scaled accuracy at the last reveal of 48/24`. */
  here: z.string().optional(),
  unit: z.enum(["share", "nats", "number"]).default("share"),
  /** How the seeds become one number. G's table, for one, is the best of three. */
  over: z.enum(["mean", "best"]).default("mean"),
  /** One a seed; empty where this scale measures nothing of the kind. */
  values: z.array(z.number()),
});
export type Claim = z.infer<typeof Claim>;

export const ExperimentResult = z.strictObject({
  version: z.literal(2),
  experiment: z.string(),
  question: z.string(),
  command: z.string(),
  date: z.string(),
  scale: z.enum(["smoke", "laptop", "paper"]),
  seeds: z.array(z.int()),
  device: z.string(),
  seconds: z.number(),
  /** Commands that the windowed reference sees, where the experiment has one such reference. */
  window: z.int().optional(),
  /** A sample program, with the spans that reveal state. */
  sample: z.strictObject({
    text: z.string(),
    reveals: z.array(z.strictObject({ start: z.int(), end: z.int(), answer: z.string() })),
  }),
  models: z.record(z.string(), z.strictObject({ label: z.string(), summary: z.string() })),
  results: z.array(ResultRow),
  training: z.array(TrainingCurve),
  claims: z.array(Claim),
  /** Sentences that say where a result disagrees with what was expected, and why, as far as known. */
  findings: z.array(z.string()),
  report: z.string(),
});
export type ExperimentResult = z.infer<typeof ExperimentResult>;

/**
 * @file The result of an experiment: what `reproduce --json` prints, `runs/<experiment>/result.json` holds and the report draws.
 */

import { z } from "zod";

const Accuracy = z.number().min(0).max(1);

/** One trained model asked about programs of one shape. Accuracies are means over reveals, in [0, 1]. */
export const ResultRow = z.strictObject({
  model: z.string(),
  seed: z.int(),
  trained: z.strictObject({ commands: z.int(), spacings: z.array(z.int()) }),
  tested: z.strictObject({
    commands: z.int(),
    spacing: z.int(),
    programs: z.int(),
    reveals: z.int(),
    /** true where programs of this shape (not these programs) were in training. */
    asTrained: z.boolean(),
  }),
  /** The argmax over the whole vocabulary equals the revealed value: over all reveals, and for the last of each program. */
  accuracy: Accuracy,
  accuracyLast: Accuracy,
  /** By position of the reveal in the program, first to last. */
  accuracyByReveal: z.array(Accuracy),
  /** The computed references on the same programs (FACTS: exact and windowed Bayes filters). */
  exactBayes: Accuracy,
  windowedBayes: Accuracy,
  windowedBayesWithoutBoundary: Accuracy,
  windowedBayesByReveal: z.array(Accuracy),
});
export type ResultRow = z.infer<typeof ResultRow>;

/** What happened while one model was trained, thinned for drawing. */
export const TrainingCurve = z.strictObject({
  model: z.string(),
  seed: z.int(),
  parameters: z.int(),
  learningRate: z.number(),
  steps: z.int(),
  seconds: z.number(),
  /** accuracy: on the reveals of the training batches, running mean; spacing: the widest of the stage. */
  points: z.array(z.strictObject({ step: z.int(), loss: z.number(), accuracy: Accuracy, spacing: z.int() })),
});
export type TrainingCurve = z.infer<typeof TrainingCurve>;

/** A published number or statement that the experiment is read against. */
export const Published = z.strictObject({
  source: z.string(),
  statement: z.string(),
  value: z.number().optional(),
});
export type Published = z.infer<typeof Published>;

export const ExperimentResult = z.strictObject({
  version: z.literal(1),
  experiment: z.string(),
  question: z.string(),
  command: z.string(),
  date: z.string(),
  scale: z.enum(["smoke", "laptop", "paper"]),
  seeds: z.array(z.int()),
  device: z.string(),
  seconds: z.number(),
  /** Number of commands that the windowed reference sees. */
  window: z.int(),
  /** Accuracy of guessing, 1 / number of distinct values. */
  chance: Accuracy,
  /** A sample program, with the spans that reveal state. */
  sample: z.strictObject({
    text: z.string(),
    reveals: z.array(z.strictObject({ start: z.int(), end: z.int(), answer: z.string() })),
  }),
  models: z.record(z.string(), z.strictObject({ label: z.string(), summary: z.string() })),
  results: z.array(ResultRow),
  training: z.array(TrainingCurve),
  published: z.array(Published),
  /** Sentences that say where a result disagrees with what was expected, and why, as far as known. */
  findings: z.array(z.string()),
  report: z.string(),
});
export type ExperimentResult = z.infer<typeof ExperimentResult>;

/**
 * @file A search for a recipe: the file of its space, and its record.
 *
 *     programs: 17600                                        most training programs of a trial
 *     rungs: 3                                               it is evaluated after 1/9, 1/3 and all of them,
 *     keep: 3                                                and a third is promoted each time
 *     space:
 *       train.learningRate: { from: 0.0005, to: 0.01, scale: log }
 *       train.batch: [8, 16, 32]
 *       curriculum.stages:                                   named choices
 *         full first: [[{ spacing: 1, reveal: full }], [{ spacing: 1 }]]
 *         partial: [[{ spacing: 1 }]]
 *
 *     score: accuracy                                        or likelihood, for tasks with hidden chance
 *
 * The score of a trial is the mean over the tests of the configuration of the accuracy, or of the likelihood of the true values relative
 * to the exact filter: exp(-(nats above exact) per reveal), at most 1.
 */

import { z } from "zod";

/** Numbers in a range, uniform or log-uniform. */
const Range = z.strictObject({
  from: z.number().describe("Smallest value"),
  to: z.number().describe("Largest value"),
  scale: z.enum(["linear", "log"]).default("linear").describe("Uniform or log-uniform"),
  whole: z.boolean().default(false).describe("Draws integers only"),
});
export type Range = z.infer<typeof Range>;

/** A list of values, or values by their names. */
const Choices = z.union([z.array(z.unknown()).min(1), z.record(z.string(), z.unknown())]);
type Values = Range | z.infer<typeof Choices>;

/** An object with `from` and `to` is a range, whatever its other keys. */
const Values = z.unknown().transform((values, context): Values => {
  const hasEnds = typeof values === "object" && values !== null && "from" in values && "to" in values;
  const read = (hasEnds ? Range : Choices).safeParse(values);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.issues.push({ ...issue, input: values } as never);
  return z.NEVER;
});

export const SearchSpace = z.strictObject({
  programs: z.int().positive().describe("Training programs of a trial that is never stopped"),
  rungs: z.int().positive().default(3).describe("Number of evaluations of such a trial"),
  keep: z.int().min(2).default(3).describe("One of this many trials is promoted to the next rung"),
  score: z
    .enum(["accuracy", "likelihood"])
    .default("accuracy")
    .describe(
      "Mean over the tests of the accuracy, or of the likelihood of the true values relative to the exact Bayes filter",
    ),
  space: z
    .record(z.string(), Values)
    .describe("A range or a list of values for each key of the configuration, as after --set"),
});
export type SearchSpace = z.infer<typeof SearchSpace>;

export const isRange = (values: SearchSpace["space"][string]): values is Range =>
  !Array.isArray(values) && typeof values.from === "number" && typeof values.to === "number";

/** Result of a trial at a rung. */
export const RungScore = z.strictObject({
  programs: z.int().describe("Training programs so far"),
  score: z.number().min(0).max(1).describe("Score at the rung"),
  tests: z.record(z.string(), z.number().min(0).max(1)).describe("Score by test"),
  stage: z.int().describe("Curriculum stage, from 0"),
  seconds: z.number().describe("Training time so far"),
});
export type RungScore = z.infer<typeof RungScore>;

export const Trial = z.strictObject({
  trial: z.int().describe("Number of the trial"),
  folder: z.string().describe("Folder of its run, relative to that of search.json"),
  drawn: z.record(z.string(), z.unknown()).describe("Drawn values by key, or the name of a named choice"),
  parameters: z.int().optional().describe("Parameters of its model"),
  scores: z.array(RungScore).describe("Scores at the rungs that it reached"),
  failure: z.string().optional().describe("Error of a failed trial"),
});
export type Trial = z.infer<typeof Trial>;

/** search.json, the output of `sweep --search --json`. */
export const SearchRecord = z.strictObject({
  version: z.literal(1).describe("Version of the format"),
  method: z.enum(["random", "halving"]).describe("Halving stops bad trials early, random does not"),
  seed: z.int().describe("Seed of the draws"),
  space: SearchSpace.describe("The search space"),
  trials: z.array(Trial).describe("All trials"),
  chosen: z.int().nullable().describe("Trial with the best score at the last rung, null if none reached it"),
  programs: z.int().describe("Training programs of all trials"),
  seconds: z.number().describe("Training time of all trials"),
});
export type SearchRecord = z.infer<typeof SearchRecord>;

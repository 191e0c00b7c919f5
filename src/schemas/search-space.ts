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
  from: z.number(),
  to: z.number(),
  scale: z.enum(["linear", "log"]).default("linear"),
  /** Integers only. */
  whole: z.boolean().default(false),
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
  programs: z.int().positive(),
  rungs: z.int().positive().default(3),
  /** One of so many is promoted to the next rung. */
  keep: z.int().min(2).default(3),
  score: z.enum(["accuracy", "likelihood"]).default("accuracy"),
  /** By the key of the configuration, as after --set. */
  space: z.record(z.string(), Values),
});
export type SearchSpace = z.infer<typeof SearchSpace>;

export const isRange = (values: SearchSpace["space"][string]): values is Range =>
  !Array.isArray(values) && typeof values.from === "number" && typeof values.to === "number";

/** Result of a trial at a rung. */
export const RungScore = z.strictObject({
  /** Training programs so far. */
  programs: z.int(),
  score: z.number().min(0).max(1),
  /** By the name of the test. */
  tests: z.record(z.string(), z.number().min(0).max(1)),
  /** Curriculum stage, from 0. */
  stage: z.int(),
  /** Training time in total. */
  seconds: z.number(),
});
export type RungScore = z.infer<typeof RungScore>;

export const Trial = z.strictObject({
  trial: z.int(),
  /** Folder of its run, relative to that of search.json. */
  folder: z.string(),
  /** Drawn values by key; for named choices the name. */
  drawn: z.record(z.string(), z.unknown()),
  parameters: z.int().optional(),
  scores: z.array(RungScore),
  /** Error of a failed trial. */
  failure: z.string().optional(),
});
export type Trial = z.infer<typeof Trial>;

/** search.json, the output of `sweep --search --json`. */
export const SearchRecord = z.strictObject({
  version: z.literal(1),
  method: z.enum(["random", "halving"]),
  /** Seed of the draws; the seed of the trainings is in their configurations. */
  seed: z.int(),
  space: SearchSpace,
  trials: z.array(Trial),
  /** The trial with the best score at the last rung; null if none reached it. */
  chosen: z.int().nullable(),
  /** Total cost, including stopped trials. */
  programs: z.int(),
  seconds: z.number(),
});
export type SearchRecord = z.infer<typeof SearchRecord>;

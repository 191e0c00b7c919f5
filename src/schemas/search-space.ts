/**
 * @file A search for a recipe: the file that declares its space, and what was found.
 *
 *     programs: 17600                                        what a trial is trained on at most
 *     rungs: 3                                               it is looked at after 1/9, 1/3 and all of them,
 *     keep: 3                                                and each time every third goes on
 *     space:
 *       train.learningRate: { from: 0.0005, to: 0.01, scale: log }
 *       train.batch: [8, 16, 32]
 *       curriculum.stages:                                   choices that have names
 *         full first: [[{ spacing: 1, reveal: full }], [{ spacing: 1 }]]
 *         partial: [[{ spacing: 1 }]]
 *
 *     score: accuracy                                        or likelihood, where chance hides the state
 *
 * A trial's score is the mean over the tests of the configuration, as `evaluate` asks them, of the accuracy, or of the likelihood:
 * what the model gives to the true values beside what the exact filter gives them, exp(-(nats above exact) a reveal), at most 1.
 */

import { z } from "zod";

/** Numbers between two ends, drawn evenly, or evenly in their logarithm. */
const Range = z.strictObject({
  from: z.number(),
  to: z.number(),
  scale: z.enum(["linear", "log"]).default("linear"),
  /** Whole numbers alone. */
  whole: z.boolean().default(false),
});
export type Range = z.infer<typeof Range>;

/** A list of values, or values by their names. */
const Choices = z.union([z.array(z.unknown()).min(1), z.record(z.string(), z.unknown())]);
type Values = Range | z.infer<typeof Choices>;

/** What has two ends is a range, whatever else stands in it. */
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
  /** One of so many goes on to the next rung. */
  keep: z.int().min(2).default(3),
  score: z.enum(["accuracy", "likelihood"]).default("accuracy"),
  /** By the key of the configuration, as after --set. */
  space: z.record(z.string(), Values),
});
export type SearchSpace = z.infer<typeof SearchSpace>;

export const isRange = (values: SearchSpace["space"][string]): values is Range =>
  !Array.isArray(values) && typeof values.from === "number" && typeof values.to === "number";

/** What a trial came to at a rung. */
export const RungScore = z.strictObject({
  /** Programs that it was trained on until then. */
  programs: z.int(),
  score: z.number().min(0).max(1),
  /** By the name of the test. */
  tests: z.record(z.string(), z.number().min(0).max(1)),
  /** Of the curriculum, from 0. */
  stage: z.int(),
  /** Of training alone, from its beginning. */
  seconds: z.number(),
});
export type RungScore = z.infer<typeof RungScore>;

export const Trial = z.strictObject({
  trial: z.int(),
  /** Of its run, beside search.json. */
  folder: z.string(),
  /** What was drawn, by key; of choices with names the name. */
  drawn: z.record(z.string(), z.unknown()),
  parameters: z.int().optional(),
  scores: z.array(RungScore),
  /** Why it failed. */
  failure: z.string().optional(),
});
export type Trial = z.infer<typeof Trial>;

/** search.json: what `sweep --search --json` prints. */
export const SearchRecord = z.strictObject({
  version: z.literal(1),
  method: z.enum(["random", "halving"]),
  /** Of the draws; the trials' own seed is in their configurations. */
  seed: z.int(),
  space: SearchSpace,
  trials: z.array(Trial),
  /** The trial with the best score at the last rung; null where none came so far. */
  chosen: z.int().nullable(),
  /** All that was spent, also on trials that were given up. */
  programs: z.int(),
  seconds: z.number(),
});
export type SearchRecord = z.infer<typeof SearchRecord>;

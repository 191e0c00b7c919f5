/**
 * @file A submission to an executor, and the state of its tasks. In the folder of a submission:
 *
 *     manifest.jsonl     a header, then one task per line, written once; the folder is named by the SHA-256 of its bytes
 *     tasks/17.jsonl     every attempt at task 17, one line at its start and one at its end
 *     tickets.jsonl      ids of the tasks in the executor
 *     releases.jsonl     held jobs that were released, if any
 */

import { z } from "zod";
import { EvalConfig } from "./eval-config.ts";
import { RunConfig } from "./run-config.ts";

export const ManifestHeader = z.strictObject({
  version: z.literal(1),
  /** ISO 8601. */
  created: z.string(),
  statelab: z.string(),
  engine: z.string(),
  /** As the user typed it. */
  command: z.array(z.string()),
  tasks: z.int().min(1),
  /** Lock owners (their nonces) that no longer run, according to the executor. */
  gone: z.array(z.string()),
});
export type ManifestHeader = z.infer<typeof ManifestHeader>;

/** How calls of a benchmark are traced. */
export const Tracing = z.strictObject({
  host: z.enum(["embedded", "native"]),
  calls: z.enum(["inline", "keep"]),
  anonymous: z.boolean(),
  maximumSteps: z.int().min(1),
  wallSeconds: z.number().positive(),
});
export type Tracing = z.infer<typeof Tracing>;

const setting = z.string();
/** A part of an experiment, as passed to its process (experiments/runner/part.ts). */
const Part = z.union([
  z.strictObject({
    ...{ setting, model: z.string(), config: RunConfig },
    tests: z.array(
      z.strictObject({
        name: z.string(),
        change: z.record(z.string(), z.unknown()),
        asTrained: z.boolean(),
        chance: z.number(),
      }),
    ),
    measuredBy: z.string().optional(),
    curvePoints: z.int().optional(),
  }),
  z.strictObject({
    ...{ setting, model: z.string(), seed: z.int() },
    options: z.record(z.string(), z.unknown()),
    measuredBy: z.string(),
  }),
]);

/** The work of a task, all in its folder. */
export const Work = z.discriminatedUnion("kind", [
  /** A training with its tests. */
  z.strictObject({ kind: z.literal("run"), config: RunConfig, log: z.literal("tensorboard").optional() }),
  /** Traces the calls of `calls.jsonl`, which has this checksum, into `progress.jsonl`. */
  z.strictObject({ kind: z.literal("trace"), sha256: z.string(), key: z.string(), how: Tracing }),
  /** Samples first, first + 1, ... last of an evaluation, called in `from` (seen as the folder is). */
  z.strictObject({
    kind: z.literal("llm-eval"),
    config: EvalConfig,
    from: z.string(),
    first: z.int().min(0),
    last: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal("part"), part: Part }),
  /** A data worker for the training in `run` (relative, like the folder). */
  z.strictObject({ kind: z.literal("data-worker"), run: z.string() }),
  /** Waits and records its host, for `doctor`. */
  z.strictObject({ kind: z.literal("probe"), seconds: z.number().min(0) }),
]);
export type Work = z.infer<typeof Work>;
export type WorkOf<Kind extends Work["kind"]> = Extract<Work, { kind: Kind }>;

export const ManifestTask = z.strictObject({
  index: z.int().min(0),
  /** Relative to the folder of submissions. */
  folder: z.string().min(1),
  work: Work,
});
export type ManifestTask = z.infer<typeof ManifestTask>;

export const AttemptRecord = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("begun"),
    at: z.string(),
    host: z.string(),
    /** Job id in the executor, and number of starts. */
    job: z.string(),
    epoch: z.int().min(0),
    /** Saved steps at that time. */
    step: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal("done"), at: z.string() }),
  z.strictObject({ kind: z.literal("failed"), at: z.string(), words: z.string() }),
  /** Stopped on request: progress is saved, and it is to be resumed. */
  z.strictObject({ kind: z.literal("stopped"), at: z.string() }),
]);
export type AttemptRecord = z.infer<typeof AttemptRecord>;

/** Ids of some tasks of a submission in the executor. */
export const Ticket = z.strictObject({
  engine: z.string(),
  /** Id given by the executor: a job or array of Slurm, a local process. */
  job: z.string(),
  /** Tasks first, first + 1, ... last; `pack` of them run sequentially in each task of the executor. */
  first: z.int().min(0),
  last: z.int().min(0),
  pack: z.int().min(1),
  /** Time of acceptance by the executor. */
  at: z.string(),
});
export type Ticket = z.infer<typeof Ticket>;

/** A job that the executor held after a failed launch, and that was released. */
export const Release = z.strictObject({ job: z.string(), at: z.string() });
export type Release = z.infer<typeof Release>;

/**
 * @file What is handed over to an engine, and what became of it. In the folder of a submission:
 *
 *     manifest.jsonl     a header, then one task a line, written once; the folder bears the SHA-256 of its bytes
 *     tasks/17.jsonl     every attempt at task 17, one line when it begins and one when it ends
 *     tickets.jsonl      what the engine calls the tasks
 *     releases.jsonl     jobs that it held and that were let go on, if there were any
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
  /** Owners of locks (their nonces) that the engine says to be gone. */
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
/** A part of an experiment, as its own process is told (experiments/runner/part.ts). */
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

/** What is to be done, all of it in the task's own folder. */
export const Work = z.discriminatedUnion("kind", [
  /** A training with its tests. */
  z.strictObject({ kind: z.literal("run"), config: RunConfig }),
  /** The calls of `calls.jsonl` there, which has this checksum, traced into `progress.jsonl`. */
  z.strictObject({ kind: z.literal("trace"), sha256: z.string(), key: z.string(), how: Tracing }),
  /** Samples first, first + 1, ... last of an evaluation, called in `from` (seen as the folder is). */
  z.strictObject({
    kind: z.literal("ask"),
    config: EvalConfig,
    from: z.string(),
    first: z.int().min(0),
    last: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal("part"), part: Part }),
  /** The examples of the training in `run` (seen as the folder is), until it needs no more. */
  z.strictObject({ kind: z.literal("feed"), run: z.string() }),
  /** Waits, and writes down where it did: for doctors. */
  z.strictObject({ kind: z.literal("probe"), seconds: z.number().min(0) }),
]);
export type Work = z.infer<typeof Work>;
export type WorkOf<Kind extends Work["kind"]> = Extract<Work, { kind: Kind }>;

export const ManifestTask = z.strictObject({
  index: z.int().min(0),
  /** Seen from the folder that the submissions are in. */
  folder: z.string().min(1),
  work: Work,
});
export type ManifestTask = z.infer<typeof ManifestTask>;

export const AttemptRecord = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("begun"),
    at: z.string(),
    host: z.string(),
    /** The job of the engine, and how often it was begun. */
    job: z.string(),
    epoch: z.int().min(0),
    /** Steps that were saved then. */
    step: z.int().min(0),
  }),
  z.strictObject({ kind: z.literal("done"), at: z.string() }),
  z.strictObject({ kind: z.literal("failed"), at: z.string(), words: z.string() }),
  /** Asked to stop: all is saved, it is to go on. */
  z.strictObject({ kind: z.literal("stopped"), at: z.string() }),
]);
export type AttemptRecord = z.infer<typeof AttemptRecord>;

/** What an engine calls some tasks of a submission. */
export const Ticket = z.strictObject({
  engine: z.string(),
  /** Of the engine's own making: a job or an array of Slurm, a process here. */
  job: z.string(),
  /** Tasks first, first + 1, ... last; `pack` of them one after the other in each of the engine's tasks. */
  first: z.int().min(0),
  last: z.int().min(0),
  pack: z.int().min(1),
  /** When the engine had taken them. */
  at: z.string(),
});
export type Ticket = z.infer<typeof Ticket>;

/** A job that the engine held, for its launch had failed, and that was let go on. */
export const Release = z.strictObject({ job: z.string(), at: z.string() });
export type Release = z.infer<typeof Release>;

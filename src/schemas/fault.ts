/**
 * @file A fault injected into a program with tests: its kind and place, and the tests that it changes. One JSON object per line.
 *
 *     { "id": "mbpp_11/wrong comparison/4", "fault": "wrong comparison", "line": 4, "before": "a < b", "after": "a <= b", ... }
 */

import { z } from "zod";

const lines = z.tuple([z.int().positive(), z.int().positive()]);

const faultNames = [
  "missing call",
  "missing update",
  "negated condition",
  "off by one",
  "swapped operands",
  "wrong comparison",
  "wrong connective",
  "wrong constant",
  "wrong index",
  "wrong initial value",
  "wrong operator",
  "wrong variable",
] as const;
export const FaultName = z.enum(faultNames);
export type FaultName = z.infer<typeof FaultName>;

const State = z.record(z.string(), z.string());

/** A run as shown in a fault localization prompt: executed blocks, the first five and the last five with their states. */
export const FaultyRun = z.strictObject({
  call: z.string(),
  /** Expected result of the call, and its actual result or exception, as Python text. */
  expected: z.string(),
  got: z.string(),
  /** Block index of each execution. */
  sequence: z.array(z.int().min(0)),
  shown: z.array(z.strictObject({ at: z.int().min(0), before: State, after: State })),
  /** The execution after which the states first differ from those of the right program. */
  first: z.int().min(0).nullable(),
});
export type FaultyRun = z.infer<typeof FaultyRun>;

export const FaultRecord = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  /** The row of the benchmark, or the file, of the original program. */
  program: z.string(),
  fault: FaultName,
  /** Equal in both programs. */
  line: z.int().positive(),
  /** First and last line of its basic block, the first faulty block. */
  block: lines,
  before: z.string(),
  after: z.string(),
  source: z.string(),
  faulty: z.string(),
  /** Expressions that are true for the original program, with the outcome in the faulty one: passed, failed, or the type of an exception. */
  tests: z.array(z.strictObject({ test: z.string(), outcome: z.string() })).min(1),
  /** Where the runs of the first changed test diverge: the last line before their states differ, and its event. Null if beyond the bounds. */
  parts: z.strictObject({ line: z.int().min(0), moment: z.int().min(0) }).nullable(),
  /** First and last lines of the program's basic blocks. */
  blocks: z.array(lines),
  /** The faulty run of that test, by blocks; null if it was not recorded. */
  run: FaultyRun.nullable(),
  provenance: z.strictObject({
    benchmark: z.string(),
    license: z.string(),
    /** SHA-256 of the source file of the program. */
    sha256: z.string(),
    statelab: z.string(),
    python: z.string(),
    seed: z.int(),
  }),
});
export type FaultRecord = z.infer<typeof FaultRecord>;

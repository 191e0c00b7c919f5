/**
 * @file A fault that was put into a program with tests: what, where, and that a test ends otherwise. One JSON object a line.
 *
 *     { "id": "mbpp_11/wrong comparison/4", "fault": "wrong comparison", "line": 4, "before": "a < b", "after": "a <= b", ... }
 */

import { z } from "zod";

const lines = z.tuple([z.int().positive(), z.int().positive()]);

export const faultNames = [
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

/** What is shown of a run to who looks for the fault: blocks as they were executed, the first five and the last five with their states. */
export const FaultyRun = z.strictObject({
  call: z.string(),
  /** What the call should give, and what it gives or raises; as Python writes it. */
  expected: z.string(),
  got: z.string(),
  /** Of each execution the index of its block. */
  sequence: z.array(z.int().min(0)),
  shown: z.array(z.strictObject({ at: z.int().min(0), before: State, after: State })),
  /** The execution behind which the states first differ from those of the right program. */
  first: z.int().min(0).nullable(),
});
export type FaultyRun = z.infer<typeof FaultyRun>;

export const FaultRecord = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  /** The row of the benchmark, or the file, that it was put into. */
  program: z.string(),
  fault: FaultName,
  /** Of both programs: lines stay lines. */
  line: z.int().positive(),
  /** First and last line of the basic block that holds it: the first faulty block. */
  block: lines,
  before: z.string(),
  after: z.string(),
  source: z.string(),
  faulty: z.string(),
  /** Expressions that are true of the program; what they come to in the faulty one: passed, failed, or an exception's type. */
  tests: z.array(z.strictObject({ test: z.string(), outcome: z.string() })).min(1),
  /** Where the runs of the first test that changed part: the line that ran before their states differ, at which event. Null where no bound tells. */
  parts: z.strictObject({ line: z.int().min(0), moment: z.int().min(0) }).nullable(),
  /** First and last lines of the program's basic blocks. */
  blocks: z.array(lines),
  /** The faulty run of that test, by blocks; null where it was not recorded. */
  run: FaultyRun.nullable(),
  provenance: z.strictObject({
    benchmark: z.string(),
    license: z.string(),
    /** SHA-256 of the file that the program is from. */
    sha256: z.string(),
    statelab: z.string(),
    python: z.string(),
    seed: z.int(),
  }),
});
export type FaultRecord = z.infer<typeof FaultRecord>;

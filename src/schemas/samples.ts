/**
 * @file CRUXEval's files: the benchmark, a model's generations for it, and what scoring them gives.
 *
 *     cruxeval.jsonl       {"code": "def f(n): ...", "input": "17", "output": "17", "id": "sample_0"}
 *     generations.json     {"sample_0": ["17", "'17'", ...], ...}          input prediction: ["f(17)", ...]
 *
 * Source: Gu et al. 2024, arXiv:2401.03065.
 */

import { z } from "zod";

export const CruxevalRow = z.strictObject({
  code: z.string(),
  /** The arguments of the call: `[1, 2], 'a'`. */
  input: z.string(),
  output: z.string(),
  id: z.string(),
});
export type CruxevalRow = z.infer<typeof CruxevalRow>;

export const Generations = z.record(z.string(), z.array(z.string()));
export type Generations = z.infer<typeof Generations>;

const Percent = z.number().min(0).max(100);
/** Where the figure lies with 95 % of resampled sets of programs. */
const Interval = z.tuple([Percent, Percent]);

export const Score = z.strictObject({
  version: z.literal(1),
  predict: z.enum(["input", "output"]),
  scoring: z.enum(["upstream", "strict"]),
  /** In percent, as CRUXEval's own evaluator gives it; null where a program has fewer answers than k. */
  passAt1: Percent.nullable(),
  passAt5: Percent.nullable(),
  intervals: z.strictObject({ passAt1: Interval.nullable(), passAt5: Interval.nullable() }),
  /** By program, one for each answer that counts. */
  verdicts: z.record(z.string(), z.array(z.boolean())),
  answers: z.strictObject({
    /** All that were in the file, and by how each ended. */
    given: z.int(),
    correct: z.int(),
    wrong: z.int(),
    /** strict: no literal, or no call of the function with literals. upstream: rejected unseen, and not counted. */
    unreadable: z.int(),
  }),
  /** strict: programs with whose output no answer can be compared; they are in no figure. */
  excluded: z.array(z.strictObject({ id: z.string(), reason: z.string() })).optional(),
  /** The interpreter that ran the programs; null where none was needed. */
  python: z.string().nullable(),
  seed: z.int(),
});
export type Score = z.infer<typeof Score>;

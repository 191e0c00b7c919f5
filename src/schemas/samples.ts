/**
 * @file The files of CRUXEval: the benchmark, the generations of a model, and their scores.
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
/** 95 % bootstrap interval over programs. */
const Interval = z.tuple([Percent, Percent]);

export const Score = z.strictObject({
  version: z.literal(1),
  predict: z.enum(["input", "output"]),
  scoring: z.enum(["upstream", "strict"]),
  /** In percent, like the evaluator of CRUXEval; null if a program has fewer answers than k. */
  passAt1: Percent.nullable(),
  passAt5: Percent.nullable(),
  intervals: z.strictObject({ passAt1: Interval.nullable(), passAt5: Interval.nullable() }),
  /** By program, one for each answer that counts. */
  verdicts: z.record(z.string(), z.array(z.boolean())),
  answers: z.strictObject({
    /** All generations of the file, and by outcome. */
    given: z.int(),
    correct: z.int(),
    wrong: z.int(),
    /** strict: not a literal, or not a call of the function with literals. upstream: rejected without execution, and not counted. */
    unreadable: z.int(),
  }),
  /** strict: programs whose output cannot be compared, excluded from all figures. */
  excluded: z.array(z.strictObject({ id: z.string(), reason: z.string() })).optional(),
  /** The interpreter that ran the programs; null if none was needed. */
  python: z.string().nullable(),
  seed: z.int(),
});
export type Score = z.infer<typeof Score>;

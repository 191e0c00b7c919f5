/**
 * @file The questions of a benchmark as a file, and the lines that `statelab llm judge` reads and writes.
 *
 *     {"id": "function/output/parity_0", "prompt": "...", "target": "1", "benchmark": {"bench": "parity", "settings": ["length=16"]}}
 *     {"id": "function/output/parity_0", "benchmark": {"bench": "parity", "settings": ["length=16"]}, "reply": "[ANSWER] 1"}
 *     {"id": "function/output/parity_0", "verdict": "correct", "extracted": "1", "expected": "1", "words": ""}
 */

import { z } from "zod";
import { SampleRecord } from "./eval.ts";
import { EvalConfig } from "./eval-config.ts";

/** What decides the questions of a benchmark; fields at their defaults are left out. */
export const BenchmarkOptions = EvalConfig.pick({
  ...{ settings: true, arms: true, predict: true, style: true, shots: true, prompt: true, scoring: true },
  ...{ data: true, columns: true, traces: true, seed: true },
})
  .partial()
  .extend({ bench: z.string() });
export type BenchmarkOptions = z.infer<typeof BenchmarkOptions>;

export const QuestionRow = z.strictObject({
  id: z.string().describe("ARM/PREDICT/ID"),
  prompt: z.string(),
  target: z.string().describe("A correct answer; input prediction may have others"),
  benchmark: BenchmarkOptions,
});
export type QuestionRow = z.infer<typeof QuestionRow>;

/** With an id, a prompt, or both. */
export const JudgeRequest = QuestionRow.partial()
  .required({ benchmark: true })
  .extend({
    /** One text, or one per turn. */
    reply: z.union([z.string(), z.array(z.string()).min(1)]),
    /** Finish reason of the server; `length` marks a truncated reply. */
    finish: z.string().nullish(),
  });

export const JudgeResponse = SampleRecord.pick({
  verdict: true,
  extracted: true,
  expected: true,
  words: true,
}).extend({ id: z.string() });
export type JudgeResponse = z.infer<typeof JudgeResponse>;

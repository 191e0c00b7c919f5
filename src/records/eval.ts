/**
 * @file The files of one asking of a language model: its log of answers, its samples with their verdicts, its results.
 *
 *     answers.jsonl     every answer as it came, only ever appended to
 *     samples.jsonl     every sample in the order of its name, with prompt, extraction and verdict
 *     results.json      what it comes to. Neither of the last two holds a time: the same answers give the same bytes
 */

import { z } from "zod";

const Count = z.int().min(0);
const Share = z.number().min(0).max(1);
/** Where a share lies, at 95 %. */
const Interval = z.tuple([Share, Share]);

export const AnswerRecord = z.strictObject({
  version: z.literal(1),
  /** SHA-256 of model, address, prompt, parameters, sample and data. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  sample: z.string(),
  turn: Count,
  text: z.string(),
  finish: z.string().nullable(),
  promptTokens: Count.nullable(),
  replyTokens: Count.nullable(),
  attempts: z.int().min(1),
  /** ISO 8601. */
  at: z.string(),
});
export type AnswerRecord = z.infer<typeof AnswerRecord>;

export const verdicts = ["correct", "wrong", "unreadable"] as const;

export const SampleRecord = z.strictObject({
  version: z.literal(1),
  /** ARM/PREDICT/ID/INDEX. */
  sample: z.string(),
  arm: z.string(),
  predict: z.enum(["output", "input"]),
  id: z.string(),
  index: Count,
  steps: Count.nullable(),
  /** The last prompt; where there were several turns it repeats what was said in those before. */
  prompt: z.string(),
  replies: z.array(z.string()).min(1),
  finish: z.string().nullable(),
  promptTokens: Count.nullable(),
  replyTokens: Count.nullable(),
  /** What was taken for the answer. */
  extracted: z.string().nullable(),
  expected: z.string(),
  verdict: z.enum(verdicts),
  /** Why. */
  words: z.string(),
});
export type SampleRecord = z.infer<typeof SampleRecord>;

/** One arm and one direction. */
export const ArmResult = z.strictObject({
  arm: z.string(),
  predict: z.enum(["output", "input"]),
  /** Programs with all their samples answered: what the figures are of. */
  programs: Count,
  correct: Count,
  wrong: Count,
  unreadable: Count,
  /** Samples without an answer: no part of any figure. */
  unanswered: Count,
  /** pass@k with its interval over programs; null where nothing was answered. */
  passAt: z.array(
    z.strictObject({ k: z.int().min(1), value: Share.nullable(), interval: Interval.nullable() }),
  ),
  /** Mean accuracy by steps of the program; `to` is included. */
  bySteps: z.array(
    z.strictObject({ from: Count, to: Count, programs: z.int().min(1), accuracy: Share, interval: Interval }),
  ),
});
export type ArmResult = z.infer<typeof ArmResult>;

export const AskResults = z.strictObject({
  version: z.literal(1),
  bench: z.string(),
  params: z.record(z.string(), z.unknown()),
  /** scripted:FILE or the address. */
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  style: z.enum(["direct", "cot"]),
  scoring: z.enum(["upstream", "strict"]),
  samples: z.int().min(1),
  parameters: z.strictObject({
    temperature: z.number(),
    maximumTokens: z.int(),
    stop: z.array(z.string()),
    contextTokens: z.int().nullable(),
    seed: z.int().nullable(),
  }),
  seed: z.int(),
  /** SHA-256 of the files that the questions were made from. */
  data: z.string().nullable(),
  traces: z.string().nullable(),
  /** Computed solvers of the same questions, by name: how often the best guess of each is right. */
  references: z.record(z.string(), Share).optional(),
  arms: z.array(ArmResult),
  /** How many programs have this accuracy as functions and that as traces. */
  pairs: z.array(
    z.strictObject({
      predict: z.enum(["output", "input"]),
      untraced: Share,
      traced: Share,
      programs: z.int().min(1),
    }),
  ),
  /** What could not be asked, and why. */
  excluded: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
  /** Samples without an answer, by what happened. */
  left: z.record(z.string(), z.int().min(1)),
});
export type AskResults = z.infer<typeof AskResults>;

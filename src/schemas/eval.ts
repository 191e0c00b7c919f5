/**
 * @file The files of one asking of a language model: its log of answers, its samples with their verdicts, its results.
 *
 *     answers.jsonl     every answer as it came, only ever appended to, each line with the hash of the one before
 *     answers.seal.json the number of its lines and the hash of the last, when the asking ended
 *     samples.jsonl     every sample in the order of its name, with prompt, extraction and verdict
 *     results.json      what it comes to. Neither of the last two holds a time: the same answers give the same bytes
 */

import { z } from "zod";

const Count = z.int().min(0);
const Share = z.number().min(0).max(1);
const Seconds = z.number().min(0);
/** Where a share lies, at 95 %. */
const Interval = z.tuple([Share, Share]);

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const AnswerRecord = z.strictObject({
  version: z.literal(1),
  /** SHA-256 of the line before. */
  previous: Hash,
  /** SHA-256 of model, address, prompt, parameters, sample and data. */
  key: Hash,
  sample: z.string(),
  turn: Count,
  text: z.string(),
  finish: z.string().nullable(),
  promptTokens: Count.nullable(),
  replyTokens: Count.nullable(),
  attempts: z.int().min(1),
  /** What the server handed over apart from the text. */
  reasoning: z.string().optional(),
  /** The model's name as the server gave it. */
  model: z.string().optional(),
  /** How the request differed from what was ordered, since the model takes no other. */
  adapted: z.array(z.string()).readonly().optional(),
  /** Of a streamed reply, from the question on. */
  timing: z.strictObject({ seconds: Seconds, firstTokenSeconds: Seconds.optional() }).optional(),
  /** ISO 8601. */
  at: z.string(),
});
export type AnswerRecord = z.infer<typeof AnswerRecord>;

/** The first so many lines of the log of answers, and the SHA-256 of the last of them: what an asking had when it ended. */
export const AnswerSeal = z.strictObject({ version: z.literal(1), lines: Count, hash: Hash });

/** Of an answer; `out-of-tokens`: there is none, the model had not finished when its tokens were used up. */
export const verdicts = ["correct", "wrong", "unreadable", "out-of-tokens"] as const;

/** What a missing answer is in the figures: a wrong one, none at all, or both are shown. */
export const missingPolicies = ["both", "wrong", "excluded"] as const;
export type MissingPolicy = (typeof missingPolicies)[number];

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
  /** Of each reply, what the server handed over apart from it. */
  reasoning: z.array(z.string()).optional(),
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

/** pass@k with its interval over programs; null where nothing was answered. */
const PassAt = z.array(
  z.strictObject({ k: z.int().min(1), value: Share.nullable(), interval: Interval.nullable() }),
);

/** One arm and one direction. */
export const ArmResult = z.strictObject({
  arm: z.string(),
  predict: z.enum(["output", "input"]),
  /** Programs that the figures are of: none of their samples was lost to the endpoint, or is missing where that excludes. */
  programs: Count,
  /** Of these programs: the denominator. */
  answers: Count,
  correct: Count,
  wrong: Count,
  unreadable: Count,
  /** Answers that are missing, since the model ran out of tokens. */
  outOfTokens: Count,
  /** Samples that the endpoint did not deliver: no part of any figure. */
  unanswered: Count,
  /** Samples that were not asked, since the budget was spent: no part of any figure either. */
  notAsked: Count,
  passAt: PassAt,
  /** Where missing answers are shown both ways: what excludes them. The figures beside it count them as wrong. */
  excluding: z.strictObject({ programs: Count, answers: Count, passAt: PassAt }).nullable(),
  /** Mean accuracy by steps of the program; `to` is included. */
  bySteps: z.array(
    z.strictObject({ from: Count, to: Count, programs: z.int().min(1), accuracy: Share, interval: Interval }),
  ),
});
export type ArmResult = z.infer<typeof ArmResult>;

/** Medians and, of what is slow, the 95th percentile (of what is fast the 5th). */
const Speed = z.strictObject({
  /** Replies whose first token was seen. */
  replies: z.int().min(1),
  firstToken: z.strictObject({ median: Seconds, p95: Seconds }),
  /** Behind the first one; null where the server counted none. */
  tokensPerSecond: z.strictObject({ median: Seconds, p5: Seconds }).nullable(),
});

export const AskResults = z.strictObject({
  version: z.literal(1),
  missing: z.enum(missingPolicies),
  /** What the figures are of, in a sentence. */
  denominator: z.string(),
  bench: z.string(),
  params: z.record(z.string(), z.unknown()),
  /** scripted:FILE or the address. */
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  /** The names that the server gave its model, with how many answers came under each. */
  servedModels: z.record(z.string(), z.int().min(1)),
  /** Why replies ended, in the server's words, with how many did; "none" where it said nothing. */
  finishes: z.record(z.string(), z.int().min(1)),
  /** How requests differed from what was ordered, since the model takes no other. */
  adapted: z.array(z.string()),
  /** As the server counted them, and in how many answers it did. */
  tokens: z.strictObject({ prompt: Count, reply: Count, counted: Count }),
  /** Of these tokens, where a price was given; per million tokens. */
  cost: z
    .strictObject({ input: z.number().min(0), output: z.number().min(0), total: z.number().min(0) })
    .nullable(),
  /** Of replies that were streamed; null where none was. */
  speed: Speed.nullable().default(null),
  style: z.enum(["direct", "cot"]),
  scoring: z.enum(["upstream", "strict"]),
  samples: z.int().min(1),
  parameters: z.strictObject({
    temperature: z.number(),
    maximumTokens: z.int(),
    stop: z.array(z.string()),
    contextTokens: z.int().nullable(),
    seed: z.int().nullable(),
    topP: z.number().optional(),
    reasoningEffort: z.string().optional(),
    system: z.string().optional(),
    /** Of a completion that was a chat: its tokenizer's template. */
    chatTemplate: z
      .strictObject({ template: z.string(), bosToken: z.string(), eosToken: z.string() })
      .optional(),
    extraBody: z.record(z.string(), z.unknown()).optional(),
    /** What the model wrote before and behind its thoughts, where that was said. */
    think: z.tuple([z.string(), z.string()]).readonly().optional(),
  }),
  seed: z.int(),
  /** SHA-256 of the files that the questions were made from. */
  data: z.string().nullable(),
  traces: z.string().nullable(),
  /** Worked examples of a prompt, and the checksum of the file with its words; null: as the bench has them. */
  shots: Count.nullable(),
  prompt: z.string().nullable(),
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

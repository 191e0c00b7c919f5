/**
 * @file The files of an evaluation of a language model: its log of answers, its samples with verdicts, its results.
 *
 *     answers.jsonl     every answer in order of arrival; append-only, each line with the hash of the previous one
 *     answers.seal.json the number of its lines and the hash of the last, at the end of the evaluation
 *     samples.jsonl     every sample in the order of its name, with prompt, extraction and verdict
 *     results.json      aggregated results. The last two files have no timestamps: the same answers give the same bytes
 */

import { z } from "zod";

const Count = z.int().min(0);
const Share = z.number().min(0).max(1);
const Seconds = z.number().min(0);
/** 95 % confidence interval of a share. */
const Interval = z.tuple([Share, Share]);

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const AnswerRecord = z.strictObject({
  version: z.literal(1).describe("Version of the format"),
  previous: Hash.describe("SHA-256 of the previous line"),
  key: Hash.describe("SHA-256 of model, address, prompt, parameters, sample and data"),
  sample: z.string().describe("ARM/PREDICT/ID/INDEX"),
  turn: Count.describe("Turn of the conversation, from 0"),
  text: z.string().describe("The answer"),
  finish: z.string().nullable().describe("Finish reason of the server"),
  promptTokens: Count.nullable().describe("Tokens of the prompt, as counted by the server"),
  replyTokens: Count.nullable().describe("Tokens of the answer, as counted by the server"),
  attempts: z.int().min(1).describe("Requests until this answer"),
  reasoning: z.string().optional().describe("Reasoning text that the server returned separately"),
  model: z.string().optional().describe("Model name reported by the server"),
  adapted: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("Changes to the request that the model required"),
  timing: z
    .strictObject({ seconds: Seconds, firstTokenSeconds: Seconds.optional() })
    .optional()
    .describe("Timing of a streamed reply, from the request on"),
  at: z.string().describe("Time of arrival in ISO 8601"),
});
export type AnswerRecord = z.infer<typeof AnswerRecord>;

/** Number of lines of the log of answers at the end of an evaluation, and the SHA-256 of the last one. */
export const AnswerSeal = z.strictObject({
  version: z.literal(1),
  lines: Count.describe("Number of lines of the log"),
  hash: Hash.describe("SHA-256 of the last line"),
});

/** Verdict on an answer; `out-of-tokens`: the model reached the token limit before it answered. */
export const verdicts = ["correct", "wrong", "unreadable", "out-of-tokens"] as const;

/** How missing answers count: as wrong, excluded, or both ways. */
export const missingPolicies = ["both", "wrong", "excluded"] as const;
export type MissingPolicy = (typeof missingPolicies)[number];

export const SampleRecord = z.strictObject({
  version: z.literal(1).describe("Version of the format"),
  sample: z.string().describe("ARM/PREDICT/ID/INDEX"),
  arm: z.string().describe("Form of the program in the prompt"),
  predict: z.enum(["output", "input"]).describe("Asked for the output or for the input"),
  id: z.string().describe("Program of the benchmark"),
  index: Count.describe("Number of the sample, from 0"),
  steps: Count.nullable().describe("Executed lines of the program"),
  prompt: z.string().describe("The last prompt, with earlier turns"),
  replies: z.array(z.string()).min(1).describe("The answers, one per turn"),
  reasoning: z.array(z.string()).optional().describe("Reasoning text returned separately, one per reply"),
  finish: z.string().nullable().describe("Finish reason of the server"),
  promptTokens: Count.nullable().describe("Tokens of the prompt"),
  replyTokens: Count.nullable().describe("Tokens of the answer"),
  extracted: z.string().nullable().describe("The extracted answer, null if unreadable"),
  expected: z.string().describe("The expected answer"),
  verdict: z.enum(verdicts).describe("Verdict on the answer"),
  words: z.string().describe("Reason of the verdict"),
});
export type SampleRecord = z.infer<typeof SampleRecord>;

/** pass@k with its interval over programs; null without answers. */
const PassAt = z.array(
  z.strictObject({ k: z.int().min(1), value: Share.nullable(), interval: Interval.nullable() }),
);

/** One arm and one direction. */
export const ArmResult = z.strictObject({
  arm: z.string(),
  predict: z.enum(["output", "input"]),
  /** Programs in the figures: no sample was lost to an endpoint error, or excluded as missing. */
  programs: Count,
  /** Samples of these programs, the denominator. */
  answers: Count,
  correct: Count,
  wrong: Count,
  unreadable: Count,
  /** Answers missing because of the token limit. */
  outOfTokens: Count,
  /** Samples lost to endpoint errors, excluded from all figures. */
  unanswered: Count,
  /** Samples not requested because the budget was spent, excluded as well. */
  notAsked: Count,
  passAt: PassAt,
  /** With missing answers both ways: the figures that exclude them; the others count them as wrong. */
  excluding: z.strictObject({ programs: Count, answers: Count, passAt: PassAt }).nullable(),
  /** Mean accuracy by steps of the program; `to` is included. */
  bySteps: z.array(
    z.strictObject({ from: Count, to: Count, programs: z.int().min(1), accuracy: Share, interval: Interval }),
  ),
});
export type ArmResult = z.infer<typeof ArmResult>;

/** Medians and the slow tail: 95th percentile of durations, 5th of rates. */
const Speed = z.strictObject({
  /** Replies with a measured first token. */
  replies: z.int().min(1),
  firstToken: z.strictObject({ median: Seconds, p95: Seconds }),
  /** After the first token; null if the server reported no count. */
  tokensPerSecond: z.strictObject({ median: Seconds, p5: Seconds }).nullable(),
});

export const AskResults = z.strictObject({
  version: z.literal(1),
  missing: z.enum(missingPolicies),
  /** One sentence on the population of the figures. */
  denominator: z.string(),
  bench: z.string(),
  params: z.record(z.string(), z.unknown()),
  /** scripted:FILE or the address. */
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  /** Model names reported by the server, with the number of answers of each. */
  servedModels: z.record(z.string(), z.int().min(1)),
  /** Finish reasons of the server with counts; "none" if it gave none. */
  finishes: z.record(z.string(), z.int().min(1)),
  /** Changes to requests that the model required. */
  adapted: z.array(z.string()),
  /** Tokens as counted by the server, and the number of answers with a count. */
  tokens: z.strictObject({ prompt: Count, reply: Count, counted: Count }),
  /** Cost of these tokens if a price is known; prices are per million tokens. */
  cost: z
    .strictObject({ input: z.number().min(0), output: z.number().min(0), total: z.number().min(0) })
    .nullable(),
  /** For streamed replies; null if there are none. */
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
    /** For a chat sent as completion: the chat template. */
    chatTemplate: z
      .strictObject({ template: z.string(), bosToken: z.string(), eosToken: z.string() })
      .optional(),
    extraBody: z.record(z.string(), z.unknown()).optional(),
    /** Configured markers before and after the thoughts of the model. */
    think: z.tuple([z.string(), z.string()]).readonly().optional(),
  }),
  seed: z.int(),
  /** SHA-256 of the source files of the questions. */
  data: z.string().nullable(),
  traces: z.string().nullable(),
  /** Worked examples in a prompt, and the checksum of the prompt file; null: those of the benchmark. */
  shots: Count.nullable(),
  prompt: z.string().nullable(),
  /** Accuracy of reference solvers on the same questions, by name. */
  references: z.record(z.string(), Share).optional(),
  arms: z.array(ArmResult),
  /** Number of programs by accuracy as functions and as traces. */
  pairs: z.array(
    z.strictObject({
      predict: z.enum(["output", "input"]),
      untraced: Share,
      traced: Share,
      programs: z.int().min(1),
    }),
  ),
  /** Questions that could not be asked, with the reason. */
  excluded: z.array(z.strictObject({ id: z.string(), reason: z.string() })),
  /** Samples without an answer, by error. */
  left: z.record(z.string(), z.int().min(1)),
});
export type AskResults = z.infer<typeof AskResults>;

/**
 * @file A transcript as a tree of steps with their claims about the state of a program, and the verdicts: where it fails.
 *
 *     { "index": 3, "role": "said", "effect": "changes", "under": 2, "claims": [{ "name": "total", "value": "3", "place": { "line": 5 } }], ... }
 *
 * The parent of a step that changes the state is the previous change; the parent of one that explores is the step whose state it observes.
 */

import { z } from "zod";

const Count = z.int().min(0);

const transcriptFormats = ["agent", "ask", "inspect", "markdown", "openai"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/**
 * Subject of a claim: the state at a line (its `time`-th run), at a numbered step, in an iteration of a loop, at an event of a recording,
 * or at the end of the call: its result, the last value of a variable.
 */
export const ClaimPlace = z.strictObject({
  line: z.int().positive().optional(),
  time: z.int().positive().optional(),
  step: z.int().positive().optional(),
  /** As numbered in the text: from 0 or 1, unless it is an ordinal ("third"). */
  iteration: Count.optional(),
  ordinal: z.literal(true).optional(),
  after: z.literal(true).optional(),
  moment: Count.optional(),
  end: z.literal(true).optional(),
});
export type ClaimPlace = z.infer<typeof ClaimPlace>;

export const Claim = z.strictObject({
  name: z.string(),
  /** As written in the transcript. */
  value: z.string(),
  place: ClaimPlace.nullable(),
  /** In backticks: possibly a line of the program and not a claim. */
  quoted: z.literal(true).optional(),
  /** The place is inherited from an earlier paragraph, and may no longer apply. */
  inherited: z.literal(true).optional(),
  /** A cell of a table. */
  cell: z.literal(true).optional(),
  /** For `return`: the claimed call, `f([1, 2])` or `the function`; "" if ambiguous. */
  of: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;

export const TranscriptStep = z.strictObject({
  index: Count,
  /** Index of its message in the file, from 0. */
  message: Count,
  /** Message to the agent, message or call of the agent, or result of a call. */
  role: z.enum(["asked", "said", "called", "answered"]),
  tool: z.string().optional(),
  text: z.string(),
  effect: z.enum(["changes", "explores", "neither"]),
  /** The step that produced its state; null at the beginning. */
  under: Count.nullable(),
  claims: z.array(Claim),
});
export type TranscriptStep = z.infer<typeof TranscriptStep>;

export const Transcript = z.strictObject({
  format: z.enum(transcriptFormats),
  /** The episode, the sample, or the name in the file; "" without a name. */
  name: z.string(),
  steps: z.array(TranscriptStep),
});
export type Transcript = z.infer<typeof Transcript>;

/** A checked claim. `unknown`: no such name, or the place was not found; `unreadable`: not a value of Python or JSON. */
export const JudgedClaim = z.strictObject({
  step: Count,
  name: z.string(),
  value: z.string(),
  truth: z.string().nullable(),
  verdict: z.enum(["right", "wrong", "unknown", "unreadable"]),
  /** The event of the recording that it was compared with. */
  moment: Count.nullable(),
});
export type JudgedClaim = z.infer<typeof JudgedClaim>;

const Link = z.strictObject({
  step: Count,
  /** Names whose claims are wrong there. */
  names: z.array(z.string()),
  /** Earlier wrong names that these are computed from; empty: a new mistake. */
  from: z.array(z.string()),
});

export const Diagnosis = z.strictObject({
  version: z.literal(1),
  transcript: Transcript,
  /** Source of the truth: a recorded run, the world of an episode, or none. */
  truth: z.enum(["program", "world", "none"]),
  /** How claims were matched to states: by their places, their order, or their calls. */
  aligned: z.enum(["places", "order", "calls", "none"]),
  claims: z.array(JudgedClaim),
  /**
   * The first step after which the claimed state never again equals the truth; it was lost after `after`, the last step at which it was
   * right. `state` is the true one there, for all names claimed anywhere. Null if the last claim about every name is right, or nothing is
   * known.
   */
  onset: z
    .strictObject({
      step: Count,
      after: Count.nullable(),
      names: z.array(z.string()),
      state: z.record(z.string(), z.string()),
    })
    .nullable(),
  /** The onset, and each later step with a name that was right or had another wrong value before. */
  chain: z.array(Link),
  /** Right steps after a wrong one: the first error would have been a false onset. */
  recovered: z.array(Count),
  baselines: z.strictObject({ firstError: Count.nullable(), lastError: Count.nullable() }),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

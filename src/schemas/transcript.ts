/**
 * @file A transcript as a tree of steps with the claims that each makes about a program's state, and what became of it: where it fails.
 *
 *     { "index": 3, "role": "said", "effect": "changes", "under": 2, "claims": [{ "name": "total", "value": "3", "place": { "line": 5 } }], ... }
 *
 * A step that changes the state stands under the one that changed it before; one that explores, under the step whose state it looks at.
 */

import { z } from "zod";

const Count = z.int().min(0);

export const transcriptFormats = ["agent", "ask", "inspect", "markdown", "openai"] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/**
 * What a claim speaks of: the state around a line (its `time`-th run), at a numbered step, in a round of a loop, at an event of a recording, or
 * the end of the call: its result, the last value of a variable.
 */
export const ClaimPlace = z.strictObject({
  line: z.int().positive().optional(),
  time: z.int().positive().optional(),
  step: z.int().positive().optional(),
  /** As the text numbers it: from 0 or from 1, unless it is an ordinal ("third"). */
  iteration: Count.optional(),
  ordinal: z.literal(true).optional(),
  after: z.literal(true).optional(),
  moment: Count.optional(),
  end: z.literal(true).optional(),
});
export type ClaimPlace = z.infer<typeof ClaimPlace>;

export const Claim = z.strictObject({
  name: z.string(),
  /** As it stands in the transcript. */
  value: z.string(),
  place: ClaimPlace.nullable(),
  /** In backticks: perhaps a line of the program, and no claim. */
  quoted: z.literal(true).optional(),
  /** The place is that of an earlier paragraph, which may have come to its end. */
  inherited: z.literal(true).optional(),
  /** A cell of a table. */
  cell: z.literal(true).optional(),
  /** Of `return`: what is said to return it, `f([1, 2])` or `the function`; "" where the words may mean something else. */
  of: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;

export const TranscriptStep = z.strictObject({
  index: Count,
  /** Of the messages of the file, from 0. */
  message: Count,
  /** Asked of the agent, said by it, called by it, or answered to a call. */
  role: z.enum(["asked", "said", "called", "answered"]),
  tool: z.string().optional(),
  text: z.string(),
  effect: z.enum(["changes", "explores", "neither"]),
  /** The step that made the state it stands in; null at the beginning. */
  under: Count.nullable(),
  claims: z.array(Claim),
});
export type TranscriptStep = z.infer<typeof TranscriptStep>;

export const Transcript = z.strictObject({
  format: z.enum(transcriptFormats),
  /** The episode, the sample, or what the file calls it; "" where it has no name. */
  name: z.string(),
  steps: z.array(TranscriptStep),
});
export type Transcript = z.infer<typeof Transcript>;

/** A claim beside the truth. `unknown`: no such name there, or no place that could be found; `unreadable`: no value of Python or JSON. */
export const JudgedClaim = z.strictObject({
  step: Count,
  name: z.string(),
  value: z.string(),
  truth: z.string().nullable(),
  verdict: z.enum(["right", "wrong", "unknown", "unreadable"]),
  /** Which event of the recording it was held against. */
  moment: Count.nullable(),
});
export type JudgedClaim = z.infer<typeof JudgedClaim>;

export const Link = z.strictObject({
  step: Count,
  /** Names whose claims are wrong there. */
  names: z.array(z.string()),
  /** Names, wrong before, that these are made of; none: a mistake of its own. */
  from: z.array(z.string()),
});
export type Link = z.infer<typeof Link>;

export const Diagnosis = z.strictObject({
  version: z.literal(1),
  transcript: Transcript,
  /** Where the truth is from: a recorded run, the world that an episode was in, or nowhere. */
  truth: z.enum(["program", "world", "none"]),
  /** How claims found their states: by the places that they name, by their order, by the calls that make them. */
  aligned: z.enum(["places", "order", "calls", "none"]),
  claims: z.array(JudgedClaim),
  /**
   * The first step after which the claimed state never again equals the truth; it was lost behind `after`, the last step at which it was seen to
   * hold. `state` is the right one there, of all names that are claimed anywhere. Null where the last word on every name is right, or nothing is
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
  /** The onset, and each step behind it at which a name is wrong that was not, or not so. */
  chain: z.array(Link),
  /** Steps that were right again after a wrong one: what the first error would have pointed to. */
  recovered: z.array(Count),
  baselines: z.strictObject({ firstError: Count.nullable(), lastError: Count.nullable() }),
});
export type Diagnosis = z.infer<typeof Diagnosis>;

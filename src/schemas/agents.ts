/**
 * @file The ledger of agents: every episode as it happened, one record a line, each with the hash of the line before.
 *
 *     {"previous":"000...","kind":"begin","episode":"knapsack/stateless/full/free/reuse/0",...}
 *     {"previous":"9c1...","kind":"turn","turn":0,"replies":["ids = list_items()"],...,"calls":[{"name":"list_items",...}]}
 *     {"previous":"e07...","kind":"end","episode":"knapsack/stateless/full/free/reuse/0","score":{"share":0},...}
 *
 * Records have no timestamps: the same command gives the same bytes.
 *
 * Concepts are routines learned from episodes for later ones, without data of the instance and without a field for a solution. Written
 * by `statelab agent concepts`, read by `agent run --concepts`.
 */

import { z } from "zod";

const Count = z.int().min(0);
const Json = z.json();
export type Json = z.infer<typeof Json>;

/** Result of a tool: a value, or a Python exception with its message. */
export const ToolAnswer = z.union([
  z.strictObject({ value: Json }),
  z.strictObject({ error: z.string(), message: z.string() }),
]);
export type ToolAnswer = z.infer<typeof ToolAnswer>;

export const ToolCall = z.strictObject({ name: z.string(), arguments: z.array(Json) });
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * The end of a cell: `stopped` means that it exceeded a limit or its interpreter died, and its variables are lost. `characters` were
 * printed, and `output` is their start; `names` are the variables afterwards, with their types.
 */
export const CellEnd = z.strictObject({
  end: z.enum(["finished", "raised", "syntax", "stopped"]),
  exception: z.string(),
  message: z.string(),
  output: z.string(),
  characters: Count,
  names: z.array(z.tuple([z.string(), z.string()])),
});
export type CellEnd = z.infer<typeof CellEnd>;

const Settings = z.record(z.string(), Json);

/** The setup of an episode: with the replies, it determines all following records. */
export const EpisodeBegin = z.strictObject({
  kind: z.literal("begin"),
  version: z.literal(1),
  episode: z.string(),
  world: z.string(),
  runtime: z.string(),
  view: z.string(),
  control: z.string(),
  policy: z.string(),
  /** All parameters of each of the five. */
  settings: z.record(z.string(), Settings),
  seed: z.int(),
  index: Count,
  turns: z.int().min(1),
  callsPerCell: z.int().min(1),
});
export type EpisodeBegin = z.infer<typeof EpisodeBegin>;

export const EpisodeTurn = z.strictObject({
  kind: z.literal("turn"),
  turn: Count,
  /** Tokens of the prompt that the view made of the history. */
  shown: Count,
  /** All replies that the control requested; the last one is used. */
  replies: z.array(z.string()).min(1),
  calls: z.array(z.strictObject({ ...ToolCall.shape, answer: ToolAnswer })),
  /** Refused calls beyond the limit of a cell; not listed. */
  refused: Count,
  end: CellEnd,
});
export type EpisodeTurn = z.infer<typeof EpisodeTurn>;

export const EpisodeEnd = z.strictObject({
  kind: z.literal("end"),
  episode: z.string(),
  /** Whether the world was over, or the turns were used up. */
  over: z.boolean(),
  turns: Count,
  /** Score of the final state of the world; `share` is in [0, 1], 1 is optimal. */
  score: z.record(z.string(), z.number()),
  tokens: z.strictObject({
    /** The longest prompt, and the sum of all prompts. */
    peak: Count,
    processed: Count,
    /** Over all replies, including unused ones. */
    replied: Count,
  }),
  calls: Count,
  /** Unfinished cells, by exception or `stopped`. */
  errors: z.record(z.string(), Count),
});
export type EpisodeEnd = z.infer<typeof EpisodeEnd>;

export const EpisodeRecord = z.discriminatedUnion("kind", [EpisodeBegin, EpisodeTurn, EpisodeEnd]);
export type EpisodeRecord = z.infer<typeof EpisodeRecord>;

/** The model of a policy that is one: together with the prompt, it determines the key of an answer. */
export const AskedModel = z.strictObject({
  /** The address, or scripted:FILE. */
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  parameters: Settings,
});
export type AskedModel = z.infer<typeof AskedModel>;

/** The request of a folder of episodes; `episodes` may grow. */
export const AgentConfig = z.strictObject({
  version: z.literal(1),
  world: z.string(),
  runtimes: z.array(z.string()).min(1),
  views: z.array(z.string()).min(1),
  control: z.string(),
  policy: z.string(),
  settings: z.record(z.string(), Settings),
  episodes: z.int().min(1),
  seed: z.int(),
  turns: z.int().min(1),
  callsPerCell: z.int().min(1),
  /** Sandbox and time limit of cells; null without Python. */
  host: z.enum(["embedded", "native"]).nullable(),
  seconds: z.number().positive(),
  endpoint: AskedModel.optional(),
  /** For a policy from an own file: its path, and the SHA-256 of its bundle, kept in own/policy.mjs. */
  own: z.strictObject({ path: z.string(), sha256: z.string() }).optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

const Mean = z.strictObject({ mean: z.number(), error: z.number().nullable() });

/** One arm: a world with one runtime, view, control and policy. Standard errors are over episodes; null for fewer than four, or equal values. */
export const AgentArm = z.strictObject({
  arm: z.string(),
  runtime: z.string(),
  view: z.string(),
  episodes: Count,
  /** Episodes that the world says are over. */
  over: Count,
  /** For each number of the world's score. */
  score: z.record(z.string(), Mean),
  turns: Mean,
  calls: Mean,
  tokens: z.strictObject({ peak: Mean, processed: Mean, replied: Mean }),
  /** Episodes with at least one cell that ended this way. */
  errors: z.record(z.string(), Count),
  /** Detectable difference of two means of `share` with so many episodes per arm, at power 0.8 and level 0.05; null without a standard error. */
  detectable: z.number().nullable(),
});
export type AgentArm = z.infer<typeof AgentArm>;

/** Usage of the model for the episodes of the ledger, as counted by the server, and missing replies. */
export const AskedTotals = z.strictObject({
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  replies: Count,
  /** `counted`: replies for which the server reported both. */
  tokens: z.strictObject({ prompt: Count, reply: Count, counted: Count }),
  /** Replies cut at the token limit; they were executed as far as they go. */
  outOfTokens: Count,
  /** Finish reasons of the replies, and model names reported by the server. */
  finishes: z.record(z.string(), Count),
  servedModels: z.record(z.string(), Count),
  /** By arm, excluded episodes: the endpoint failed before their end. */
  unanswered: z.record(z.string(), Count),
});
export type AskedTotals = z.infer<typeof AskedTotals>;

export const AgentResults = z.strictObject({
  version: z.literal(1),
  world: z.string(),
  control: z.string(),
  policy: z.string(),
  seed: z.int(),
  arms: z.array(AgentArm),
  asked: AskedTotals.optional(),
  /** The whole ledger: number of lines, and the SHA-256 of the last one. */
  ledger: z.strictObject({ lines: Count, hash: z.string().regex(/^[0-9a-f]{64}$/) }),
});
export type AgentResults = z.infer<typeof AgentResults>;

export const Concept = z.strictObject({
  name: z.string(),
  kind: z.literal("routine"),
  parameters: z.array(z.string()),
  /** Names of tools by which it is found. */
  cues: z.array(z.string()),
  implementation: z.string(),
  /** The episodes that came to it. */
  usedIn: z.array(z.string()),
});
export type Concept = z.infer<typeof Concept>;

export const ConceptStore = z.strictObject({
  version: z.literal(1),
  world: z.string(),
  concepts: z.array(Concept),
});
export type ConceptStore = z.infer<typeof ConceptStore>;

/**
 * @file The ledger of agents: every episode as it happened, one record a line, each with the hash of the line before.
 *
 *     {"previous":"000...","kind":"begin","episode":"knapsack/stateless/full/free/reuse/0",...}
 *     {"previous":"9c1...","kind":"turn","turn":0,"replies":["ids = list_items()"],...,"calls":[{"name":"list_items",...}]}
 *     {"previous":"e07...","kind":"end","episode":"knapsack/stateless/full/free/reuse/0","score":{"share":0},...}
 *
 * It holds no time: the same command gives the same bytes.
 */

import { z } from "zod";

const Count = z.int().min(0);
const Json = z.json();
export type Json = z.infer<typeof Json>;

/** Of a tool: a value, or the name of a Python exception and its words. */
export const ToolAnswer = z.union([
  z.strictObject({ value: Json }),
  z.strictObject({ error: z.string(), message: z.string() }),
]);
export type ToolAnswer = z.infer<typeof ToolAnswer>;

export const ToolCall = z.strictObject({ name: z.string(), arguments: z.array(Json) });
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * How a cell ended: `stopped` is one that passed a limit or whose interpreter died; its names are gone then. `characters` were
 * printed, of which `output` is the beginning; `names` live afterwards, with their types.
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

/** What an episode is made of: everything that follows in its lines comes from this and from the replies. */
export const EpisodeBegin = z.strictObject({
  kind: z.literal("begin"),
  version: z.literal(1),
  episode: z.string(),
  world: z.string(),
  runtime: z.string(),
  view: z.string(),
  control: z.string(),
  policy: z.string(),
  /** Of each of the five, its own parameters, whole. */
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
  /** Every reply that the control asked for; the last one was kept. */
  replies: z.array(z.string()).min(1),
  calls: z.array(z.strictObject({ ...ToolCall.shape, answer: ToolAnswer })),
  /** Calls beyond those that a cell may make: refused, and not listed. */
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
  /** What the world says of its last state; `share` is in [0, 1], 1 the best that can be. */
  score: z.record(z.string(), z.number()),
  tokens: z.strictObject({
    /** The longest prompt, and all prompts together: what is held at once, and what is processed. */
    peak: Count,
    processed: Count,
    /** Of all replies, those too that were not kept. */
    replied: Count,
  }),
  calls: Count,
  /** Cells that did not finish, by the exception or by `stopped`. */
  errors: z.record(z.string(), Count),
});
export type EpisodeEnd = z.infer<typeof EpisodeEnd>;

export const EpisodeRecord = z.discriminatedUnion("kind", [EpisodeBegin, EpisodeTurn, EpisodeEnd]);
export type EpisodeRecord = z.infer<typeof EpisodeRecord>;

/** Who is asked, where the policy is a model: with the prompt, all that decides about an answer's key. */
export const AskedModel = z.strictObject({
  /** The address, or scripted:FILE. */
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  parameters: Settings,
});
export type AskedModel = z.infer<typeof AskedModel>;

/** What a folder of episodes was ordered as; `episodes` may grow. */
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
  /** Where cells run, and for how long one may; null where no Python runs. */
  host: z.enum(["embedded", "native"]).nullable(),
  seconds: z.number().positive(),
  endpoint: AskedModel.optional(),
  /** Where the policy is a user's own file: which, and the SHA-256 of its text with all that it imports, as kept in own/policy.mjs. */
  own: z.strictObject({ path: z.string(), sha256: z.string() }).optional(),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

const Mean = z.strictObject({ mean: z.number(), error: z.number().nullable() });

/** One arm: a world with one runtime, view, control and policy. Errors are standard errors over episodes; null of fewer than four, and of values that are all alike. */
export const AgentArm = z.strictObject({
  arm: z.string(),
  runtime: z.string(),
  view: z.string(),
  episodes: Count,
  /** Episodes that the world says are over. */
  over: Count,
  /** Of each number of the world's score. */
  score: z.record(z.string(), Mean),
  turns: Mean,
  calls: Mean,
  tokens: z.strictObject({ peak: Mean, processed: Mean, replied: Mean }),
  /** Episodes in which a cell ended so, at least once. */
  errors: z.record(z.string(), Count),
  /** The difference of two means of `share` that so many episodes an arm would find, four times of five, at 95 %; null where no error of it is known. */
  detectable: z.number().nullable(),
});
export type AgentArm = z.infer<typeof AgentArm>;

/** What the model that was asked delivered for the episodes of the ledger, by the server's own count, and what is missing. */
export const AskedTotals = z.strictObject({
  endpoint: z.string(),
  protocol: z.string(),
  model: z.string(),
  replies: Count,
  /** `counted`: replies of which the server told both. */
  tokens: z.strictObject({ prompt: Count, reply: Count, counted: Count }),
  /** Replies that reached their longest before they ended: they were run as far as they went, and are the model's. */
  outOfTokens: Count,
  /** How replies ended, and the names that the server gave its model. */
  finishes: z.record(z.string(), Count),
  servedModels: z.record(z.string(), Count),
  /** By arm, episodes that are in no figure: the endpoint did not answer to their end. */
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
  /** The whole ledger: so many lines, and the SHA-256 of the last one. */
  ledger: z.strictObject({ lines: Count, hash: z.string().regex(/^[0-9a-f]{64}$/) }),
});
export type AgentResults = z.infer<typeof AgentResults>;

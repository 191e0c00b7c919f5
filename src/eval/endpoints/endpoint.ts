/**
 * @file Endpoints: functions from a prompt to a reply, and the closed list of their errors, none of which counts as a
 * wrong answer.
 */

import type { ThoughtMarks } from "../scoring/reasoning.ts";
import type { ChatTemplate } from "./chat-template.ts";

export interface Parameters {
  readonly temperature: number;
  /** The longest reply, in tokens. */
  readonly maximumTokens: number;
  readonly stop: readonly string[];
  /** Context size requested from servers that need it (Ollama); null for the server's default. */
  readonly contextTokens: number | null;
  /** Sent with each request, the sample's index added; null to send none. */
  readonly seed: number | null;
  /** The following are sent only if set. */
  readonly topP?: number;
  readonly reasoningEffort?: string;
  /** A chat's first message. */
  readonly system?: string;
  /** Makes a completion's prompt of the chat. */
  readonly chatTemplate?: ChatTemplate;
  /** Fields of the request's body, as they are. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Marks of the model's thoughts in its replies; not sent, and not part of a reply's key. */
  readonly think?: ThoughtMarks;
}

export interface Ask {
  readonly prompt: string;
  /** Index among the samples of the same prompt. */
  readonly sample: number;
  readonly parameters: Parameters;
}

export interface Reply {
  readonly kind: "reply";
  readonly text: string;
  /** Why the server ended it, in its own word: "stop", "length". */
  readonly finish: string | null;
  readonly promptTokens: number | null;
  readonly replyTokens: number | null;
  /** Reasoning that the server returns separately from the text. */
  readonly reasoning?: string;
  /** The model's name as the server gave it. */
  readonly model?: string;
  /** How the request deviates from the configuration because of the model's limits (compatibility.ts). */
  readonly adapted?: readonly string[];
  /** For streamed replies. */
  readonly timing?: Timing;
}

/** Seconds since the request was sent; the first token is known only for streams. */
export interface Timing {
  readonly seconds: number;
  readonly firstTokenSeconds?: number | undefined;
}

interface TroubleFacts {
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
  /** Whether all other requests would fail too, so the evaluation stops. `repeated`: only after several in a row. */
  readonly fatal: boolean | "repeated";
  readonly meaning: string;
}

const passing = { retry: true, fatal: false };
const lasting = { retry: false, fatal: false };
const hopeless = { retry: false, fatal: true };
const doubtful = { retry: true, fatal: "repeated" } as const;

/** Each way in which a request ends without an answer. */
export const troubles = {
  unreachable: { ...passing, meaning: "no connection, or it broke before a reply" },
  "connect-timeout": { ...passing, meaning: "no connection in time" },
  "idle-timeout": { ...passing, meaning: "the server fell silent" },
  "total-timeout": { ...passing, meaning: "the reply took too long" },
  "rate-limited": { ...passing, meaning: "too many requests (429)" },
  "server-error": { ...passing, meaning: "the server failed (5xx, 408, 409, 425)" },
  "not-json": { ...passing, meaning: "the body is no JSON, such as an HTML page" },
  truncated: { ...passing, meaning: "the body ended early" },
  "empty-choices": { ...passing, meaning: "a reply without a choice" },
  "error-reply": { ...passing, meaning: "an error in the place of a reply, with status 200" },
  "cut-off": { ...passing, meaning: "the server ended the reply (finish_reason error, abort and the like)" },
  "content-filter": { ...passing, meaning: "a filter of the server ended the reply" },
  undecodable: {
    ...passing,
    meaning: "broken UTF-8, another charset, or a compression that cannot be undone",
  },
  unscripted: { ...lasting, meaning: "the script has no reply to the prompt" },
  "no-content": { ...passing, meaning: "a choice without content" },
  "wrong-form": { ...passing, meaning: "JSON that is not of the protocol's form" },
  "tool-call": { ...lasting, meaning: "a call of a tool, though none was offered, and no text" },
  "prompt-filtered": { ...lasting, meaning: "a filter of the server refuses the prompt" },
  "key-in-reply": { ...lasting, meaning: "the server repeated the key in its reply, which was not kept" },
  "reasoning-only": { ...lasting, meaning: "only reasoning, and no answer behind it" },
  refusal: { ...lasting, meaning: "the model's server declined to answer" },
  "shortened-prompt": {
    ...lasting,
    meaning: "the server read less than the prompt; its context may be too small",
  },
  "too-large": { ...lasting, meaning: "the body is larger than any reply" },
  "bad-request": { ...lasting, meaning: "the server refuses the request (4xx)" },
  redirected: { ...hopeless, meaning: "the server points elsewhere (3xx)" },
  unauthorized: { ...hopeless, meaning: "the key is missing or wrong (401, 403)" },
  "no-credit": { ...hopeless, meaning: "the account has no credit or quota left (402, insufficient_quota)" },
  "not-found": { ...doubtful, meaning: "no such address or model (404)" },
} as const satisfies Record<string, TroubleFacts>;
export type ApiErrorKind = keyof typeof troubles;

/** Trouble of the endpoint, not of one question. */
export const unavailable: ReadonlySet<string> = new Set<ApiErrorKind>([
  ...(["unreachable", "connect-timeout", "idle-timeout", "total-timeout", "rate-limited"] as const),
  ...(["server-error", "redirected", "unauthorized", "not-found", "not-json"] as const),
  ...(["no-credit", "error-reply", "cut-off"] as const),
]);

export interface Trouble {
  readonly kind: "trouble";
  readonly class: ApiErrorKind;
  readonly words: string;
  /** The wait that the server requests. */
  readonly retryAfterSeconds?: number;
}

export type Outcome = Reply | Trouble;

/** Rejects only when `signal` aborts, with its reason. */
export type Endpoint = (ask: Ask, signal: AbortSignal) => Promise<Outcome>;

export function trouble(kind: ApiErrorKind, words: string, retryAfterSeconds?: number): Trouble {
  return {
    kind: "trouble",
    class: kind,
    words,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

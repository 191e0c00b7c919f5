/**
 * @file Responses in the protocol's form: one JSON document, or server-sent events.
 *
 *     data: {"id": "cmpl-7", "object": "text_completion", "choices": [{"index": 0, "text": "2", ...}], ...}
 *
 *     data: [DONE]
 */

import { randomUUID } from "node:crypto";
import type { Piece, ToldToken } from "./completion.ts";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** Common fields of all documents of one response. */
export interface Envelope {
  readonly id: string;
  readonly object: Form["object"] | Form["streamed"];
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** Formats of the two kinds of response: their names, and the form of a piece of reply `index` or of the whole. */
export interface Form {
  readonly prefix: "cmpl" | "chatcmpl";
  readonly object: "text_completion" | "chat.completion";
  readonly streamed: "text_completion" | "chat.completion.chunk";
  whole(index: number, piece: Piece, withLogprobs: boolean): object;
  /** `first`: the first piece of this reply. */
  piece(index: number, piece: Piece, withLogprobs: boolean, first: boolean): object;
}

export const textForm: Form = {
  ...{ prefix: "cmpl", object: "text_completion", streamed: "text_completion" },
  whole: choiceOf,
  piece: choiceOf,
};

export const chatForm: Form = {
  ...{ prefix: "chatcmpl", object: "chat.completion", streamed: "chat.completion.chunk" },
  whole: (index, { text, tokens, finish }, withLogprobs) => ({
    index,
    message: { role: "assistant", content: text, refusal: null },
    logprobs: withLogprobs ? chatLogprobs(tokens) : null,
    finish_reason: finish,
  }),
  piece: (index, { text, tokens, finish }, withLogprobs, first) => ({
    index,
    delta: { ...(first && { role: "assistant" }), content: text },
    logprobs: withLogprobs ? chatLogprobs(tokens) : null,
    finish_reason: finish,
  }),
};

function chatLogprobs(tokens: readonly ToldToken[]) {
  const told = (token: string, logprob: number | null) => ({
    ...{ token, logprob },
    bytes: [...new TextEncoder().encode(token)],
  });
  const content = tokens.map(({ text, logprob, top }) => ({
    ...told(text, logprob),
    // The most probable first: an object has the keys "1", "2" before all others.
    top_logprobs: Object.entries(top ?? {})
      .toSorted(([, a], [, b]) => (b ?? 0) - (a ?? 0))
      .map(([token, each]) => told(token, each)),
  }));
  return { content, refusal: null };
}

export function tokenUsage(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** A piece of reply `index`, or the whole of it. */
function choiceOf(index: number, { text, tokens, finish }: Piece, withLogprobs: boolean) {
  const logprobs = {
    tokens: tokens.map((token) => token.text),
    token_logprobs: tokens.map((token) => token.logprob),
    top_logprobs: tokens.map((token) => token.top),
    text_offset: tokens.map((token) => token.offset),
  };
  return { index, text, logprobs: withLogprobs ? logprobs : null, finish_reason: finish };
}

export function joinPieces(pieces: readonly Piece[]): Piece {
  return {
    text: pieces.map(({ text }) => text).join(""),
    tokens: pieces.flatMap(({ tokens }) => tokens),
    finish: pieces.at(-1)?.finish ?? null,
  };
}

/** One server-sent event. JSON output has no raw line breaks, so the text cannot end the event early. */
export function serverSentEvent(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export const freshId = () => randomUUID().replaceAll("-", "");

/** The client's request id if it is safe for headers and logs, else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : `req_${freshId()}`;
}

/**
 * @file Replies in the protocol's form: one JSON document, or a stream of events.
 *
 *     data: {"id": "cmpl-7", "object": "text_completion", "choices": [{"index": 0, "text": "2", ...}], ...}
 *
 *     data: [DONE]
 */

import type { Piece } from "./completion.ts";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** What every document of one answer begins with. */
export interface Envelope {
  readonly id: string;
  readonly object: "text_completion";
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

export function usageOf(prompt: number, completion: number): Usage {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** A piece of reply `index`, or the whole of it. */
export function choiceOf(index: number, { text, tokens, finish }: Piece, withLogprobs: boolean) {
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

/** One server-sent event. JSON has no line breaks of its own, so the text cannot end the event early. */
export function serverSentEvent(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

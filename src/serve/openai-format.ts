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

/** What all documents of one response share. */
export interface Head {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly promptTokens: number;
  readonly withLogprobs: boolean;
  /** Whether a stream of the OpenAI protocol reports its usage. */
  readonly withUsage: boolean;
}

/** One kind of response, as a whole and as events. */
export interface Form {
  /** Beginning of the id. */
  readonly prefix: string;
  /** `replies[i]`: the whole of reply i. */
  whole(head: Head, replies: readonly Piece[], usage: Usage): object;
  /** Server-sent events: those of each piece, and the last ones. */
  stream(head: Head): { piece(index: number, piece: Piece): string; end(usage: Usage): string };
}

/** A form of the completions protocol: `choice` is a reply, `delta` a piece of it. */
function completionForm(
  prefix: string,
  object: string,
  streamed: string,
  choice: (index: number, piece: Piece, withLogprobs: boolean) => object,
  delta: (index: number, piece: Piece, withLogprobs: boolean, first: boolean) => object,
): Form {
  return {
    prefix,
    whole: ({ id, created, model, withLogprobs }, replies, usage) => ({
      ...{ id, object, created, model },
      choices: replies.map((reply, index) => choice(index, reply, withLogprobs)),
      usage,
    }),
    stream({ id, created, model, withLogprobs, withUsage }) {
      const envelope = { id, object: streamed, created, model };
      const begun = new Set<number>();
      return {
        piece(index, piece) {
          const choices = [delta(index, piece, withLogprobs, !begun.has(index))];
          begun.add(index);
          return serverSentEvent({ ...envelope, ...(withUsage && { usage: null }), choices });
        },
        end: (usage) =>
          (withUsage ? serverSentEvent({ ...envelope, choices: [], usage }) : "") + serverSentEvent("[DONE]"),
      };
    },
  };
}

export const textForm = completionForm("cmpl-", "text_completion", "text_completion", choiceOf, choiceOf);

export const chatForm = completionForm(
  "chatcmpl-",
  "chat.completion",
  "chat.completion.chunk",
  (index, { text, tokens, finish }, withLogprobs) => ({
    index,
    message: { role: "assistant", content: text, refusal: null },
    logprobs: withLogprobs ? chatLogprobs(tokens) : null,
    finish_reason: finish,
  }),
  (index, { text, tokens, finish }, withLogprobs, first) => ({
    index,
    delta: { ...(first && { role: "assistant" }), content: text },
    logprobs: withLogprobs ? chatLogprobs(tokens) : null,
    finish_reason: finish,
  }),
);

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
    stop: pieces.at(-1)?.stop,
  };
}

/** One server-sent event. JSON output has no raw line breaks, so the text cannot end the event early. */
export function serverSentEvent(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** An event that names its type, as in the protocols of responses and messages. */
export const typedEvent = (type: string, data: object) =>
  `event: ${type}\n${serverSentEvent({ type, ...data })}`;

export const freshId = () => randomUUID().replaceAll("-", "");

/** The client's request id if it is safe for headers and logs, else a new one. */
export function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : `req_${freshId()}`;
}

/** @file A completion request from body to response, complete or streamed. */

import type { ServerResponse } from "node:http";
import { type Rng, rngFrom } from "../core/rng.ts";
import type { Tokenizer } from "../tasks/index.ts";
import { ApiError } from "./api-error.ts";
import { type Piece, replyTo } from "./completion.ts";
import type { Engine } from "./continuous-batching.ts";
import { type Form, joinPieces, tokenUsage } from "./openai-format.ts";
import { readRequest } from "./request.ts";

/** A served model. */
export interface Served {
  readonly name: string;
  readonly engine: Engine;
  readonly tokenizer: Tokenizer;
  readonly context: number;
  /** Seconds since 1970: start of the server. */
  readonly created: number;
}

interface Answering {
  readonly form: Form;
  /** Unique id of this response. */
  readonly id: string;
  /** Called with ignored fields. */
  readonly onIgnored?: (names: readonly string[]) => void;
  /** Seed for requests without one. */
  readonly rng: Rng;
  /** Seconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Remaining budget of tokens and log-probabilities that responses may keep, shared by all requests. */
  readonly room: { left: number };
}

/** A client that requests much and reads nothing would fill the memory. */
const mostUnread = 4 * 2 ** 20;

/** @throws ApiError before anything is written. @returns the number of tokens read and generated. */
export async function answerCompletion(
  json: unknown,
  served: Served,
  { form, id, onIgnored, rng, now, signal, room }: Answering,
  response: ServerResponse,
): Promise<{ readonly read: number; readonly made: number }> {
  const { name, engine, tokenizer, context } = served;
  const wanted = readRequest(json, { model: name, tokenizer, context, onIgnored });
  const own = wanted.seed === undefined ? rng : rngFrom(wanted.seed);
  const indices = wanted.prompts.flatMap((prompt) => new Array<readonly number[]>(wanted.count).fill(prompt));
  const read = wanted.prompts.reduce((total, prompt) => total + prompt.length, 0);
  const head = {
    ...{ id: `${form.prefix}${id}`, created: now, model: name, promptTokens: read },
    ...{ withLogprobs: wanted.logprobs !== undefined, withUsage: wanted.streamUsage },
  };
  const pieces: Piece[][] = indices.map(() => []);
  const events = wanted.stream ? form.stream(head) : undefined;
  const write = (event: string) => {
    if (!response.headersSent) beginStream(response);
    response.write(event);
    if (response.writableLength > mostUnread) response.destroy(); // as if the client had disconnected
  };
  const replies = indices.map((prompt, index) => {
    const emit = (piece: Piece) => (events ? write(events.piece(index, piece)) : pieces[index].push(piece));
    return replyTo(prompt, wanted, tokenizer, own.fork(index), emit);
  });
  if (wanted.kept > room.left)
    throw new ApiError(429, "queue: expected room for the answer beside those under way, got none left", {
      code: "queue_full",
      headers: { "retry-after": "1" },
    });
  room.left -= wanted.kept;
  try {
    await engine.run(replies, signal);
  } finally {
    room.left += wanted.kept;
  }
  const made = replies.reduce((total, reply) => total + reply.made, 0);
  const usage = tokenUsage(read, made);
  if (events) response.end(events.end(usage));
  else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(form.whole(head, pieces.map(joinPieces), usage)));
  }
  return { read, made };
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Proxies must not buffer a stream.
    "x-accel-buffering": "no",
  });
}

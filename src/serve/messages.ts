/**
 * @file The Messages protocol of Anthropic: a request becomes one of a chat.
 *
 *     {"model": "tracker", "system": "...", "max_tokens": 1, "messages": [{"role": "user", "content": ">>> a = 2\n..."}]}
 *
 * Source: Anthropic API reference, "Messages" and its streaming events.
 */

import { z } from "zod";
import type { ApiError } from "./api-error.ts";
import type { Piece } from "./completion.ts";
import { type Form, type Head, joinPieces, typedEvent, type Usage } from "./openai-format.ts";
import { checkedBy, isEmpty } from "./request.ts";
import { without } from "./responses.ts";

const Text = z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]);

const MessagesRequest = z.object({
  max_tokens: z.int().min(0),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: Text })).min(1),
  system: Text.optional(),
  stop_sequences: z.array(z.string()).optional(),
  tools: z.custom<object>(isEmpty, "to be empty or left out: the model calls no tools").optional(),
  top_k: z.custom<never>(() => false, "to be left out: use top_p").optional(),
});

/** The body of the chat request. @throws ApiError 400. */
export function chatOfMessages(json: unknown): object {
  const { system, messages, stop_sequences } = checkedBy(MessagesRequest, json);
  return {
    ...without(json as object, ["system", "stop_sequences"]), // checked to be an object
    messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...messages],
    ...(stop_sequences !== undefined && stop_sequences.length > 0 && { stop: stop_sequences }),
  };
}

function endOf({ finish, stop }: Piece) {
  const reason = finish === "length" ? "max_tokens" : "stop_sequence"; // there is no end token
  return { stop_reason: finish && reason, stop_sequence: stop ?? null };
}

const messageOf = (
  { id, model }: Head,
  content: readonly object[],
  piece: Piece,
  read: number,
  made: number,
) => ({
  ...{ id, type: "message", role: "assistant", model, content, ...endOf(piece) },
  usage: { input_tokens: read, output_tokens: made },
});

export const messagesForm: Form = {
  prefix: "msg_",
  whole: (head, [reply], { prompt_tokens, completion_tokens }) =>
    messageOf(head, [{ type: "text", text: reply.text }], reply, prompt_tokens, completion_tokens),
  stream(head) {
    const pieces: Piece[] = [];
    const start = { text: "", tokens: [], finish: null };
    return {
      piece(_, piece) {
        const opening =
          pieces.length > 0
            ? ""
            : typedEvent("message_start", { message: messageOf(head, [], start, head.promptTokens, 0) }) +
              typedEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
        pieces.push(piece);
        return (
          opening +
          typedEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece.text } })
        );
      },
      end: ({ completion_tokens }: Usage) =>
        typedEvent("content_block_stop", { index: 0 }) +
        typedEvent("message_delta", {
          delta: endOf(joinPieces(pieces)),
          usage: { output_tokens: completion_tokens },
        }) +
        typedEvent("message_stop", {}),
    };
  },
};

/** An error in this protocol's form. */
export const messagesError = (error: ApiError) => ({ type: "error", ...error.body() });

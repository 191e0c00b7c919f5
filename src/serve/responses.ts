/**
 * @file The Responses protocol of OpenAI, without its stored responses: a request becomes one of a chat.
 *
 *     {"model": "tracker", "instructions": "...", "input": ">>> a = 2\n...", "max_output_tokens": 1}
 *     {"model": "tracker", "max_tokens": 1, "messages": [{"role": "system", ...}, {"role": "user", ...}]}
 *
 * Source: OpenAI API reference, "Responses" and its streaming events.
 */

import { z } from "zod";
import type { Piece } from "./completion.ts";
import { type Form, type Head, joinPieces, typedEvent, type Usage } from "./openai-format.ts";
import { checkedBy, isEmpty } from "./request.ts";

const Part = z.object({ type: z.enum(["input_text", "output_text"]), text: z.string() });
const Item = z.object({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.union([z.string(), z.array(Part)]),
});

const ResponsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(Item).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(0).nullish(),
  previous_response_id: z.custom<never>(() => false, "to be left out: responses are not stored").nullish(),
  tools: z.custom<object>(isEmpty, "to be empty or left out: the model calls no tools").nullish(),
  text: z.object({ format: z.object({ type: z.literal("text") }).optional() }).nullish(),
});

/** The body of the chat request. @throws ApiError 400. */
export function chatOfResponses(json: unknown): object {
  const { input, instructions, max_output_tokens } = checkedBy(ResponsesRequest, json);
  const said = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const messages = said.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
  }));
  return {
    ...without(json as object, [
      "input",
      "instructions",
      "max_output_tokens",
      "previous_response_id",
      "text",
    ]), // checked to be an object
    messages: [...(instructions == null ? [] : [{ role: "system", content: instructions }]), ...messages],
    max_tokens: max_output_tokens,
  };
}

/** Fields of a chat that this protocol does not have, or has with another meaning, do not reach it. */
export const without = (object: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => ![...names, ...others].includes(name)));
const others = ["n", "echo", "logprobs", "top_logprobs", "max_completion_tokens", "stream_options"];

const partOf = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

function itemOf({ id }: Head, content: readonly object[], status: string) {
  return { type: "message", id: `msg_${id}`, status, role: "assistant", content };
}

/** `usage`: of a finished response. */
function responseOf(head: Head, { text, finish }: Piece, usage?: Usage) {
  const cut = finish === "length";
  const status = usage === undefined ? "in_progress" : cut ? "incomplete" : "completed";
  return {
    ...{ id: head.id, object: "response", created_at: head.created, model: head.model, status, error: null },
    incomplete_details: usage !== undefined && cut ? { reason: "max_output_tokens" } : null,
    output: usage === undefined ? [] : [itemOf(head, [partOf(text)], status)],
    ...{ instructions: null, metadata: {}, parallel_tool_calls: false, tool_choice: "none", tools: [] },
    usage: usage && {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
    },
  };
}

export const responsesForm: Form = {
  prefix: "resp_",
  whole: (head, [reply], usage) => responseOf(head, reply, usage),
  stream(head) {
    const pieces: Piece[] = [];
    let number = 0;
    const event = (type: string, data: object) =>
      typedEvent(`response.${type}`, { ...data, sequence_number: number++ });
    const item = { item_id: `msg_${head.id}`, output_index: 0 };
    const place = { ...item, content_index: 0 };
    return {
      piece(_, piece) {
        const opening =
          pieces.length > 0
            ? ""
            : event("created", { response: responseOf(head, piece) }) +
              event("in_progress", { response: responseOf(head, piece) }) +
              event("output_item.added", { output_index: 0, item: itemOf(head, [], "in_progress") }) +
              event("content_part.added", { ...place, part: partOf("") });
        pieces.push(piece);
        return opening + event("output_text.delta", { ...place, delta: piece.text, logprobs: [] });
      },
      end(usage) {
        const response = responseOf(head, joinPieces(pieces), usage);
        const text = joinPieces(pieces).text;
        return (
          event("output_text.done", { ...place, text, logprobs: [] }) +
          event("content_part.done", { ...place, part: partOf(text) }) +
          event("output_item.done", { output_index: 0, item: response.output[0] }) +
          event(response.status, { response })
        );
      },
    };
  },
};

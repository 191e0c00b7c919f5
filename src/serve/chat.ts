/**
 * @file Chat requests, converted to completion requests: a template joins the messages into one text.
 *
 *     {"messages": [{"role": "user", "content": ">>> a = 2\n..."}], "max_tokens": 1}
 *     {"prompt": ">>> a = 2\n...", "max_tokens": 1}
 *
 * The default template concatenates the contents without separators, since a tracker's vocabulary has no words for roles. Another one
 * is a file: {"system": "# {content}\n", "user": "{content}", "assistant": "{content}\n", "reply": ""}.
 */

import { z } from "zod";
import { ApiError } from "./api-error.ts";
import { checkedBy, isEmpty } from "./request.ts";

export const ChatTemplate = z.strictObject({
  system: z.string().default("{content}"),
  user: z.string().default("{content}"),
  assistant: z.string().default("{content}"),
  /** Text before the reply. */
  reply: z.string().default(""),
});
export type ChatTemplate = z.infer<typeof ChatTemplate>;
export const plainTemplate: ChatTemplate = ChatTemplate.parse({});

const Part = z.object({ type: z.literal("text"), text: z.string() });
const Message = z
  .object({
    role: z.enum(["system", "developer", "user", "assistant"]),
    content: z.union([z.string(), z.array(Part)]).nullish(),
  })
  .superRefine(({ role, content }, context) => {
    // an assistant without text has null, or no content at all
    if (role !== "assistant" && content == null)
      context.addIssue({
        ...{ code: "custom", path: ["content"] },
        message: "to be a text or a list of parts of type text",
      });
  });

/** The other fields are those of a completion, with the same meaning. */
const ChatRequest = z.object({
  messages: z.array(Message).min(1),
  max_completion_tokens: z.int().min(0).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  response_format: z.object({ type: z.literal("text") }).nullish(),
  tools: z.custom<object>(isEmpty, "to be empty or left out: the model calls no tools").nullish(),
});

/** Only in chats: not passed on. */
const own = Object.keys(ChatRequest.shape);

/** @throws ApiError 400. */
export function parseCompletion(json: unknown, template: ChatTemplate): Record<string, unknown> {
  const { messages, max_completion_tokens, logprobs, top_logprobs } = checkedBy(ChatRequest, json);
  if (top_logprobs != null && !logprobs)
    throw new ApiError(400, "top_logprobs: expected logprobs to be true beside it, got none", {
      param: "top_logprobs",
    });
  const said = messages.map(({ role, content }) => {
    const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("");
    return template[role === "developer" ? "system" : role].replaceAll("{content}", () => text);
  });
  const rest = Object.entries(json as object).filter(([name]) => !own.includes(name)); // checked to be an object
  return {
    ...Object.fromEntries(rest),
    prompt: said.join("") + template.reply,
    ...(max_completion_tokens != null && { max_tokens: max_completion_tokens }),
    ...(logprobs && { logprobs: top_logprobs ?? 0 }),
  };
}

/**
 * @file Message lists of the OpenAI-compatible chat form: a list, `{"messages": [...]}` (with the reply in `choices` or without), or one a line.
 *
 *     [{"role": "user", "content": "..."}, {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "bash", "arguments": "{...}"}}]}]
 */

import { z } from "zod";
import { parseWith } from "../../core/settings.ts";
import { hasFields, type Message, makeTranscript, parseJsonText, type TranscriptReader } from "./message.ts";

const Part = z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() });
const Content = z.union([z.string(), z.null(), z.array(z.union([z.string(), Part]))]).optional();
const CalledFunction = z.looseObject({
  name: z.string(),
  arguments: z.union([z.string(), z.json()]).optional(),
});

export const ChatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: Content,
  reasoning_content: z.string().nullish(),
  name: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ function: CalledFunction })).nullish(),
  function_call: CalledFunction.nullish(),
});
type ChatMessage = z.infer<typeof ChatMessage>;

export const openai: TranscriptReader = {
  summary: "OpenAI message lists, one or one per line",
  read(text, at) {
    const json = parseJsonText(text);
    if (json === undefined) return undefined;
    const lists = (json.lines ?? [json.one]).map(messagesIn);
    if (lists.length === 0 || lists.some((list) => list === undefined)) return undefined;
    return lists.map((list, i) => {
      const where = lists.length === 1 ? at : `${at}, line ${i + 1}`;
      const messages = parseWith(z.array(ChatMessage), list, where);
      return {
        transcript: makeTranscript("openai", lists.length === 1 ? "" : String(i + 1), asSteps(messages)),
      };
    });
  },
};

/** The list of messages, with the reply appended if a whole exchange was stored; undefined if there is none. */
function messagesIn(value: unknown): unknown[] | undefined {
  if (isList(value))
    return value.length > 0 && value.every((each) => hasFields(each, "role")) ? value : undefined;
  if (!hasFields(value, "messages") || Object.hasOwn(value, "epoch")) return undefined;
  const messages = messagesIn(value.messages);
  if (messages === undefined) return undefined;
  const choices = Array.isArray(value.choices) ? value.choices : [];
  const [reply] = choices.flatMap((choice: unknown) =>
    hasFields(choice, "message") ? [choice.message] : [],
  );
  return reply === undefined ? messages : [...messages, reply];
}

/** `Array.isArray` narrows to `any[]`. */
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function asSteps(messages: readonly ChatMessage[]): Message[] {
  return messages.map((message) => {
    const text = contentText(message.content);
    switch (message.role) {
      case "system":
      case "developer":
      case "user":
        return { role: "asked", text };
      case "tool":
      case "function":
        return { role: "answered", text, ...(message.name != null && { tool: message.name }) };
      case "assistant": {
        const called = [
          ...(message.tool_calls ?? []).map((call) => call.function),
          ...(message.function_call == null ? [] : [message.function_call]),
        ];
        const thought = message.reasoning_content ?? "";
        return {
          role: "said",
          text: [thought, text].filter((each) => each !== "").join("\n"),
          calls: called.map(({ name, arguments: given = "" }) => ({
            name,
            arguments: typeof given === "string" ? given : JSON.stringify(given),
          })),
        };
      }
      default:
        return message.role satisfies never;
    }
  });
}

export function contentText(content: z.infer<typeof Content>): string {
  if (content == null) return "";
  if (typeof content === "string") return content;
  return content
    .map((part) => (typeof part === "string" ? part : (part.text ?? part.refusal ?? "")))
    .filter((each) => each !== "")
    .join("\n");
}

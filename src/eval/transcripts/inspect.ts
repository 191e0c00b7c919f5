/**
 * @file Logs of inspect_ai, version 2, as JSON: a transcript for each sample and epoch.
 *
 *     {"version": 2, "eval": {...}, "samples": [{"id": "s", "epoch": 1, "messages": [{"role": "assistant", "content": "...", "tool_calls": [...]}]}]}
 *
 * Source: its `inspect_ai/log/_log.py` and `inspect_ai/model/_chat_message.py`: a call of a tool has `function` and `arguments`.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { hasFields, type Message, makeTranscript, parseJsonText, type TranscriptReader } from "./message.ts";

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  reasoning: z.string().optional(),
});
const LogMessage = z.looseObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(Part)]),
  function: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ function: z.string(), arguments: z.json().optional() })).nullish(),
});
const Sample = z.looseObject({
  id: z.union([z.string(), z.int()]),
  epoch: z.int(),
  messages: z.array(LogMessage),
});
const Log = z.looseObject({ version: z.int(), eval: z.looseObject({}), samples: z.array(Sample) });

export const inspect: TranscriptReader = {
  summary: "logs of Inspect",
  read(text, at) {
    const json = parseJsonText(text);
    if (!hasFields(json?.one, "version", "eval")) return undefined;
    if (!hasFields(json.one, "samples"))
      return fail(
        at,
        "a log with its samples",
        "one without",
        "It may be a header without its log",
        "corrupt",
      );
    const { samples } = parseWith(Log, json.one, at);
    return samples.map(({ id, epoch, messages }) => ({
      transcript: makeTranscript("inspect", `${id}/${epoch}`, messages.map(asStep)),
    }));
  },
};

function asStep({ role, content, tool_calls, function: tool }: z.infer<typeof LogMessage>): Message {
  const text =
    typeof content === "string"
      ? content
      : content
          .map((part) => part.reasoning ?? part.text ?? "")
          .filter(Boolean)
          .join("\n");
  switch (role) {
    case "system":
    case "user":
      return { role: "asked", text };
    case "tool":
      return { role: "answered", text, ...(tool != null && { tool }) };
    case "assistant":
      return {
        role: "said",
        text,
        calls: (tool_calls ?? []).map((call) => ({
          name: call.function,
          arguments: JSON.stringify(call.arguments ?? {}),
        })),
      };
    default:
      return role satisfies never;
  }
}

/**
 * @file How each kind of server is asked, and how its reply is read. To add one: one entry in `protocols`.
 *
 *     chat          POST BASE/chat/completions   {model, messages, ...}    choices[0].message.content
 *     completion    POST BASE/completions        {model, prompt, ...}      choices[0].text
 *     ollama        POST BASE/api/chat           {model, messages, ...}    message.content
 */

import { z } from "zod";
import { type Ask, type Outcome, trouble } from "./endpoint.ts";

export interface Protocol {
  readonly path: string;
  body(ask: Ask, model: string): unknown;
  read(json: unknown): Outcome;
}

const Count = z.int().min(0).nullish();
const Text = z.string().nullish();
const Usage = z.looseObject({ prompt_tokens: Count, completion_tokens: Count }).nullish();
const Message = z.looseObject({
  content: Text,
  refusal: Text,
  reasoning: Text,
  reasoning_content: Text,
  thinking: Text,
});
const ChatReply = z.looseObject({
  choices: z.array(z.looseObject({ message: Message, finish_reason: Text })),
  usage: Usage,
});
const CompletionReply = z.looseObject({
  choices: z.array(z.looseObject({ text: Text, finish_reason: Text })),
  usage: Usage,
});
const OllamaReply = z.looseObject({
  message: Message,
  done: z.boolean(),
  done_reason: Text,
  prompt_eval_count: Count,
  eval_count: Count,
});

const messages = (prompt: string) => [{ role: "user", content: prompt }];

function common({ parameters, sample }: Ask, model: string) {
  const { temperature, maximumTokens, stop, seed } = parameters;
  return {
    model,
    temperature,
    max_tokens: maximumTokens,
    ...(stop.length > 0 && { stop }),
    ...(seed !== null && { seed: seed + sample }),
    stream: false,
  };
}

export const protocols = {
  chat: {
    path: "chat/completions",
    body: (ask, model) => ({ ...common(ask, model), messages: messages(ask.prompt) }),
    read: (json) =>
      parsed(ChatReply, json, ({ choices: [first], usage }) =>
        first === undefined
          ? noChoice()
          : answered(first.message, first.finish_reason, usage?.prompt_tokens, usage?.completion_tokens),
      ),
  },
  completion: {
    path: "completions",
    body: (ask, model) => ({ ...common(ask, model), prompt: ask.prompt }),
    read: (json) =>
      parsed(CompletionReply, json, ({ choices: [first], usage }) =>
        first === undefined
          ? noChoice()
          : answered(
              { content: first.text },
              first.finish_reason,
              usage?.prompt_tokens,
              usage?.completion_tokens,
            ),
      ),
  },
  ollama: {
    path: "api/chat",
    body: ({ prompt, parameters, sample }, model) => ({
      model,
      messages: messages(prompt),
      stream: false,
      options: {
        temperature: parameters.temperature,
        num_predict: parameters.maximumTokens,
        stop: parameters.stop,
        ...(parameters.contextTokens !== null && { num_ctx: parameters.contextTokens }),
        ...(parameters.seed !== null && { seed: parameters.seed + sample }),
      },
    }),
    read: (json) =>
      parsed(OllamaReply, json, ({ message, done, done_reason, prompt_eval_count, eval_count }) =>
        done
          ? answered(message, done_reason, prompt_eval_count, eval_count)
          : trouble("truncated", "the reply is not done"),
      ),
  },
} as const satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

function parsed<T>(schema: z.ZodType<T>, json: unknown, read: (reply: T) => Outcome): Outcome {
  const result = schema.safeParse(json);
  if (result.success) return read(result.data);
  const { path, message } = result.error.issues[0];
  return trouble("wrong-form", `${path.join(".") || "the reply"}: ${message}`);
}

const noChoice = () => trouble("empty-choices", "choices is empty");

function answered(
  { content, refusal, reasoning, reasoning_content, thinking }: z.infer<typeof Message>,
  finish: string | null | undefined,
  promptTokens: number | null | undefined,
  replyTokens: number | null | undefined,
): Outcome {
  const ended = finish === null || finish === undefined ? "" : `; it ended by "${finish}"`;
  if (typeof content !== "string" || content === "") {
    if (refusal) return trouble("refusal", refusal.slice(0, 200));
    if (reasoning || reasoning_content || thinking)
      return trouble("reasoning-only", `no answer after the reasoning${ended}`);
    // An empty text is what a model said, when the server says that it stopped by itself.
    if (content !== "" || finish !== "stop")
      return trouble("no-content", `content is ${JSON.stringify(content ?? null)}${ended}`);
  }
  return {
    kind: "reply",
    text: content,
    finish: finish ?? null,
    promptTokens: promptTokens ?? null,
    replyTokens: replyTokens ?? null,
  };
}

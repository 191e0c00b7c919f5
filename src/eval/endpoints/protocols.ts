/**
 * @file Requests and replies of each kind of server. To add one: one entry in `protocols`.
 *
 *     chat          POST BASE/chat/completions   {model, messages, ...}    choices[0].message.content
 *     completion    POST BASE/completions        {model, prompt, ...}      choices[0].text
 *     ollama        POST BASE/api/chat           {model, messages, ...}    message.content
 */

import { z } from "zod";
import { errorInReply, isFiltered, replyEnd } from "./api-errors.ts";
import { type Message as ChatMessage, renderChat } from "./chat-template.ts";
import type { Manner } from "./compatibility.ts";
import { type Ask, type Outcome, type Reply, trouble } from "./endpoint.ts";

export interface Protocol {
  readonly path: string;
  /** `stream`: the reply is to come in pieces. */
  body(ask: Ask, model: string, manner: Manner, stream: boolean): Record<string, unknown>;
  read(json: unknown): Outcome;
}

const Count = z.int().min(0).nullish().catch(null);
const Text = z.string().nullish();
/** A text, or parts of it as some servers send them; parts of another kind are no text. */
const Part = z.looseObject({ type: z.string(), text: Text, refusal: Text, thinking: z.unknown().optional() });
const Content = z.union([z.string(), z.array(Part)]).nullish();
const Usage = z.looseObject({ prompt_tokens: Count, completion_tokens: Count }).nullish().catch(null);
const Model = z.string().nullish().catch(null);
const Message = z.looseObject({
  content: Content,
  refusal: Text,
  reasoning: Text,
  reasoning_content: Text,
  thinking: Text,
  tool_calls: z.array(z.unknown()).nullish(),
  function_call: z.unknown().optional(),
});
const Choice = { index: z.int().nullish().catch(null), finish_reason: Text, error: z.unknown().optional() };
const ChatReply = z.looseObject({
  choices: z.array(z.looseObject({ ...Choice, message: Message })),
  usage: Usage,
  model: Model,
});
const CompletionReply = z.looseObject({
  choices: z.array(z.looseObject({ ...Choice, text: Text, reasoning: Text, reasoning_content: Text })),
  usage: Usage,
  model: Model,
});
const OllamaReply = z.looseObject({
  message: Message,
  done: z.boolean(),
  done_reason: Text,
  prompt_eval_count: Count,
  eval_count: Count,
  model: Model,
});

const messages = ({ prompt, parameters: { system } }: Ask, manner?: Manner): ChatMessage[] =>
  system !== undefined && manner?.system === "prompt"
    ? [{ role: "user", content: `${system}\n\n${prompt}` }]
    : [
        ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
        { role: "user", content: prompt },
      ];

/** Fields of all OpenAI-compatible requests, as far as the model supports them. */
function common({ parameters, sample }: Ask, model: string, { tokens, without }: Manner, stream: boolean) {
  const { temperature, maximumTokens, stop, seed, topP, reasoningEffort, extraBody } = parameters;
  return {
    model,
    ...(!without.has("temperature") && { temperature }),
    ...(topP !== undefined && !without.has("top_p") && { top_p: topP }),
    [tokens]: maximumTokens,
    ...(stop.length > 0 && !without.has("stop") && { stop }),
    ...(seed !== null && !without.has("seed") && { seed: seed + sample }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    stream,
    // Token counts come with the last event if requested.
    ...(stream && !without.has("stream_options") && { stream_options: { include_usage: true } }),
    ...extraBody,
  };
}

/** The choice that was asked for: of several the one with the lowest index. */
function firstOf<Choice extends { readonly index?: number | null | undefined }>(
  choices: readonly Choice[],
): Choice | undefined {
  return choices.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))[0];
}

export const protocols = {
  chat: {
    path: "chat/completions",
    body: (ask, model, manner, stream) => ({
      ...common(ask, model, manner, stream),
      messages: messages(ask, manner),
    }),
    read: (json) =>
      parsed(ChatReply, json, ({ choices, usage, model }) => {
        const first = firstOf(choices);
        return first === undefined
          ? noChoice()
          : answered({
              ...{ message: first.message, finish: first.finish_reason, error: first.error, model },
              ...{ promptTokens: usage?.prompt_tokens, replyTokens: usage?.completion_tokens },
            });
      }),
  },
  completion: {
    path: "completions",
    body: (ask, model, manner, stream) => {
      const { chatTemplate } = ask.parameters;
      const prompt = chatTemplate === undefined ? ask.prompt : renderChat(chatTemplate, messages(ask));
      return { ...common(ask, model, manner, stream), prompt };
    },
    read: (json) =>
      parsed(CompletionReply, json, ({ choices, usage, model }) => {
        const first = firstOf(choices);
        if (first === undefined) return noChoice();
        const { text, reasoning, reasoning_content, finish_reason, error } = first;
        return answered({
          ...{
            isText: true,
            message: { content: text, reasoning, reasoning_content },
            finish: finish_reason,
            error,
            model,
          },
          ...{ promptTokens: usage?.prompt_tokens, replyTokens: usage?.completion_tokens },
        });
      }),
  },
  ollama: {
    path: "api/chat",
    body: (ask, model, manner, stream) => {
      const { without } = manner;
      const { parameters, sample } = ask;
      const { temperature, topP, contextTokens, seed, reasoningEffort, extraBody } = parameters;
      return {
        model,
        messages: messages(ask, manner),
        stream,
        ...(reasoningEffort !== undefined && { think: reasoningEffort }),
        options: {
          ...(!without.has("temperature") && { temperature }),
          ...(topP !== undefined && !without.has("top_p") && { top_p: topP }),
          num_predict: parameters.maximumTokens,
          ...(!without.has("stop") && { stop: parameters.stop }),
          ...(contextTokens !== null && { num_ctx: contextTokens }),
          ...(seed !== null && !without.has("seed") && { seed: seed + sample }),
        },
        ...extraBody,
      };
    },
    read: (json) =>
      parsed(OllamaReply, json, ({ message, done, done_reason, prompt_eval_count, eval_count, model }) =>
        done
          ? answered({
              ...{ message, finish: done_reason, error: undefined, model },
              ...{ promptTokens: prompt_eval_count, replyTokens: eval_count },
            })
          : trouble("truncated", "the reply is not done"),
      ),
  },
} as const satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

function parsed<T>(schema: z.ZodType<T>, json: unknown, read: (reply: T) => Outcome): Outcome {
  const error = errorInReply(json);
  if (error !== undefined) return error;
  const result = schema.safeParse(json);
  if (result.success) return read(result.data);
  const { path, message } = result.error.issues[0];
  return trouble("wrong-form", `${path.join(".") || "the reply"}: ${message}`);
}

const noChoice = () => trouble("empty-choices", "choices is empty");

interface Said {
  /** For completions: an empty text is a valid reply. */
  readonly isText?: boolean;
  readonly message: Partial<z.infer<typeof Message>>;
  readonly finish: string | null | undefined;
  /** For a failed choice. */
  readonly error: unknown;
  readonly model: string | null | undefined;
  readonly promptTokens: number | null | undefined;
  readonly replyTokens: number | null | undefined;
}

/** A reply, or the error that explains its absence. Running out of tokens is always a reply. */
function answered({
  isText = false,
  message,
  finish,
  error,
  model,
  promptTokens,
  replyTokens,
}: Said): Outcome {
  const failed = errorInReply({ error });
  if (failed !== undefined) return failed;
  const end = replyEnd(finish);
  const ended = finish === null || finish === undefined ? "" : `; it ended by "${finish.slice(0, 60)}"`;
  if (end === "cut")
    return isFiltered(finish ?? "")
      ? trouble("content-filter", `a filter cut the reply${ended}`)
      : trouble("cut-off", `the server cut the reply${ended}`);
  const { text, thought, refusal } = contentOf(message);
  if (refusal !== "" || /refus/i.test(finish ?? ""))
    return trouble("refusal", (refusal || text || "the server names no reason").slice(0, 200));
  const reasoning = [message.reasoning ?? message.reasoning_content ?? message.thinking ?? "", thought].join(
    "",
  );
  const reply: Reply = {
    kind: "reply",
    text: text ?? "",
    finish: finish ?? null,
    promptTokens: promptTokens ?? null,
    replyTokens: replyTokens ?? null,
    ...(reasoning !== "" && { reasoning }),
    ...(typeof model === "string" && model !== "" && { model }),
  };
  if (end === "out-of-tokens") return reply;
  if (text === undefined || text.trim() === "") {
    if ((message.tool_calls?.length ?? 0) > 0 || message.function_call)
      return trouble("tool-call", `a call of a tool in the place of an answer${ended}`);
    if (reasoning !== "") return trouble("reasoning-only", `no answer after the reasoning${ended}`);
    if (text === undefined || !isText || finish !== "stop")
      return trouble("no-content", `content is ${JSON.stringify(text ?? null)}${ended}`);
  }
  if (/[\ud800-\udfff]/u.test(reply.text))
    return trouble("undecodable", "half of a surrogate pair in the reply");
  return reply;
}

function contentOf({ content, refusal }: Said["message"]): {
  readonly text: string | undefined;
  readonly thought: string;
  /** Why nothing is answered; of a message that has a text it says nothing. */
  readonly refusal: string;
} {
  const only = refusal ?? "";
  if (content === null || content === undefined) return { text: undefined, thought: "", refusal: only };
  if (typeof content === "string")
    return { text: content, thought: "", refusal: content.trim() === "" ? only : "" };
  const texts = content.flatMap(({ type, text }) => (/text$/.test(type) && text ? [text] : []));
  const thoughts = content.flatMap(({ thinking }) =>
    typeof thinking === "string"
      ? [thinking]
      : (Part.array()
          .safeParse(thinking)
          .data?.map(({ text }) => text ?? "") ?? []),
  );
  const refusals = content.map((part) => part.refusal ?? "").join("");
  return {
    text: texts.length === 0 ? undefined : texts.join(""),
    thought: thoughts.join(""),
    refusal: texts.join("").trim() === "" ? refusals || only : "",
  };
}

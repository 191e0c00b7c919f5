/**
 * @file Renders chat messages with the Jinja template of a tokenizer.
 *
 *     {% for message in messages %}<|{{ message.role }}|>{{ message.content }}</s>{% endfor %}<|assistant|>
 *     [{role: "user", content: "1 + 1?"}]   ->   "<|user|>1 + 1?</s><|assistant|>"
 *
 * For servers that only offer completions, and when the exact text must be known. Templates are those of Hugging Face
 * (`tokenizer_config.json`, `chat_template.jinja`).
 */

import { Template } from "@huggingface/jinja";
import { z } from "zod";
import { fail } from "../../core/error.ts";

export interface ChatTemplate {
  readonly template: string;
  readonly bosToken: string;
  readonly eosToken: string;
}

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

const Token = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content), z.null()])
  .optional();
const Named = z.array(z.looseObject({ name: z.string(), template: z.string() }));
const TokenizerConfig = z.looseObject({
  chat_template: z.union([z.string(), Named]),
  bos_token: Token,
  eos_token: Token,
});

/** Reads a `tokenizer_config.json` or a template. `at` is the name in errors. */
export function parseChatTemplate(text: string, at: string): ChatTemplate {
  const parsed = text.trimStart().startsWith("{") ? configIn(text) : undefined;
  const config = parsed === undefined ? undefined : TokenizerConfig.safeParse(parsed);
  if (config?.success === false)
    return fail(
      at,
      "a chat_template",
      Object.keys(parsed as object),
      "A template may also be a separate file",
    );
  const { chat_template: given = text, bos_token: bos, eos_token: eos } = config?.data ?? {};
  const template =
    typeof given === "string"
      ? given
      : (given.find(({ name }) => name === "default")?.template ??
        fail(
          at,
          "a chat_template named default",
          given.map(({ name }) => name),
        ));
  const chat = { template, bosToken: bos ?? "", eosToken: eos ?? "" };
  const probe = "the probe";
  if (!renderChat(chat, [{ role: "user", content: probe }], at).includes(probe))
    fail(at, "a chat template in Jinja with the user's message", "one without");
  return chat;
}

/** JSON, if the text is: a template may begin with a brace, too. */
function configIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Templates are untrusted programs: Node stops one that loops; browsers have their own limit. */
function bounded<Result>(work: () => Result): Result {
  const vm = globalThis.process?.getBuiltinModule?.("node:vm");
  if (vm === undefined) return work();
  return vm.runInNewContext("work()", { work }, { timeout: milliseconds }) as Result; // it is what work returns
}
const milliseconds = 1000;

/**
 * The messages and the beginning of the reply. @throws LabError if the template rejects them, fails, or takes over a
 * second.
 */
export function renderChat(
  { template, bosToken, eosToken }: ChatTemplate,
  messages: readonly Message[],
  at = "--chat-template",
): string {
  try {
    return bounded(() =>
      new Template(template).render({
        messages: messages.map((message) => ({ ...message })),
        ...{ add_generation_prompt: true, bos_token: bosToken, eos_token: eosToken },
      }),
    );
  } catch (error) {
    // Messages of the template's raise_exception are shown to the user.
    return fail(at, "a chat template that takes these messages", (error as Error).message);
  }
}

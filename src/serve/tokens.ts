/**
 * @file Tokenization over HTTP, for harnesses that count tokens before a request.
 *
 *     POST /tokenize     {"prompt": "a = 1"}     {"tokens": [1, 2, 3], "count": 3, "max_model_len": 2048}
 *     POST /detokenize   {"tokens": [1, 2, 3]}   {"prompt": "a = 1"}
 *     GET  /tokenizer_info   {"eos_token": null, "bos_token": null, "chat_template": "{%- for ...", ...}
 *
 * Compatible with vLLM, which lm-evaluation-harness queries with `tokenizer_backend=remote`.
 */

import { z } from "zod";
import { type ChatTemplate, parseCompletion } from "./chat.ts";
import type { Served } from "./completions.ts";
import { asPrompt, checkedBy } from "./request.ts";

const Text = z.object({ prompt: z.string() });
const Ids = z.object({ tokens: z.array(z.int().min(0)) });

/** A text, or the messages of a chat. */
export function tokenized(json: unknown, { tokenizer, context }: Served, template: ChatTemplate) {
  const isChat = typeof json === "object" && json !== null && "messages" in json;
  const { prompt } = checkedBy(Text, isChat ? parseCompletion(json, template) : json);
  const tokens = asPrompt("prompt", tokenizer, prompt, () => tokenizer.encode(prompt));
  return { tokens, count: tokens.length, max_model_len: context };
}

export function detokenized(json: unknown, { tokenizer }: Served) {
  const { tokens } = checkedBy(Ids, json);
  return { prompt: asPrompt("tokens", tokenizer, "", () => tokenizer.decode(tokens)) };
}

/** A tracker has no beginning- or end-of-sequence token: null makes harnesses omit them. */
export function tokenizerInfo({ tokenizer, context }: Served, template: ChatTemplate) {
  return {
    ...{ tokenizer_class: "PreTrainedTokenizerFast", vocab_size: tokenizer.tokens.length },
    ...{ bos_token: null, eos_token: null, pad_token: null, model_max_length: context },
    chat_template: jinjaOf(template),
  };
}

/** The same template in Jinja, for clients that render messages themselves. */
function jinjaOf(template: ChatTemplate): string {
  const pieces = (text: string) =>
    text
      .split("{content}")
      .map((piece) => (piece === "" ? "" : `{{ ${JSON.stringify(piece)} }}`))
      .join("{{ message['content'] }}");
  return [
    "{%- for message in messages -%}",
    `{%- if message['role'] == 'user' -%}${pieces(template.user)}`,
    `{%- elif message['role'] == 'assistant' -%}${pieces(template.assistant)}`,
    `{%- else -%}${pieces(template.system)}{%- endif -%}`,
    "{%- endfor -%}",
    template.reply === ""
      ? ""
      : `{%- if add_generation_prompt -%}{{ ${JSON.stringify(template.reply)} }}{%- endif -%}`,
  ].join("");
}

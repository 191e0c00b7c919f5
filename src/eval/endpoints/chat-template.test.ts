import { expect, test } from "vitest";
import { parseChatTemplate, renderChat } from "./chat-template.ts";
import { protocols } from "./protocols.ts";

/** ChatML as published: whitespace after blocks is trimmed. */
const chatml =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
const messages = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "1 + {{ 1 }}?" },
] as const;
const rendered =
  "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n1 + {{ 1 }}?<|im_end|>\n<|im_start|>assistant\n";

test("ChatML by a template of its own and by a tokenizer's file is the published text; what is said is no template", () => {
  expect(renderChat(parseChatTemplate(chatml, "file"), messages)).toBe(rendered);
  const named = [
    { name: "tool_use", template: "no" },
    { name: "default", template: chatml },
  ];
  for (const chat_template of [chatml, named])
    expect(renderChat(parseChatTemplate(JSON.stringify({ chat_template }), "file"), messages)).toBe(rendered);
});

test("bos_token and eos_token come from the tokenizer's file, as texts or as objects", () => {
  const config = {
    chat_template:
      "{{ bos_token }}{% for m in messages %}[INST] {{ m.content }} [/INST]{{ eos_token }}{% endfor %}",
    ...{ bos_token: { content: "<s>", lstrip: false }, eos_token: "</s>" },
  };
  const template = parseChatTemplate(JSON.stringify(config), "file");
  expect(renderChat(template, [{ role: "user", content: "hi" }])).toBe("<s>[INST] hi [/INST]</s>");
});

test("what is no template, or refuses what it is given, is said in one sentence", () => {
  const refusing = "{{ raise_exception('roles must alternate') }}";
  expect(() => parseChatTemplate(refusing, "t.jinja")).toThrow(/t\.jinja: expected .*roles must alternate/);
  expect(() => parseChatTemplate("{% for %}", "t.jinja")).toThrow("t.jinja: expected a chat template");
  expect(() => parseChatTemplate("hello", "t.jinja")).toThrow("one without");
  expect(() => parseChatTemplate('{"model_max_length": 5}', "t.json")).toThrow("expected a chat_template");
  const other = JSON.stringify({ chat_template: [{ name: "rag", template: chatml }] });
  expect(() => parseChatTemplate(other, "t.json")).toThrow('named default, got ["rag"]');
});

test.each([
  "{{ range(1000000000) | length }}",
  "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
])("a template that does not end is ended: %s", (endless) => {
  const started = performance.now();
  expect(() => parseChatTemplate(`${endless}${chatml}`, "t.jinja")).toThrow(/t\.jinja: .*timed out/);
  expect(performance.now() - started).toBeLessThan(10_000); // a second, and what a busy machine makes of it
});

test("a completion by a template is the text of the chat, with --system in it", () => {
  const parameters = {
    ...{ temperature: 0, maximumTokens: 5, stop: [], contextTokens: null, seed: null },
    ...{ system: "Be brief.", chatTemplate: parseChatTemplate(chatml, "file") },
  };
  const manner = { tokens: "max_tokens", without: new Set<never>(), system: "message" } as const;
  const ask = { prompt: "1 + {{ 1 }}?", sample: 0, parameters };
  expect(protocols.completion.body(ask, "m", manner, false).prompt).toBe(rendered);
  const { chatTemplate: _, ...plain } = parameters;
  const without = { ...ask, parameters: plain };
  expect(protocols.completion.body(without, "m", manner, false).prompt).toBe(ask.prompt);
});

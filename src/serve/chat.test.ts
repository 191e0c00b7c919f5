import { afterAll, expect, test } from "vitest";
import { modelOf, serve, session, tokenizer } from "./served.test-helper.ts";

const ignored: string[] = [];
const server = await serve(modelOf("deltanet"), {
  ...{ slots: 2, context: 300, onIgnored: (name) => ignored.push(name) },
  template: { system: "{content}", user: ">>> {content}", assistant: "{content}\n", reply: "\n" },
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into as a client does
async function post(path: string, body: object): Promise<{ status: number; json: any; id: string | null }> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "tiny", ...body }),
  });
  const id = response.headers.get("x-request-id");
  return { status: response.status, json: await response.json(), id };
}

test("a chat is the completion of the text that its template makes, whole and streamed", async () => {
  const asked = { max_tokens: 6, temperature: 0 };
  const text = ">>> a = 2\n>>> b = 3\n";
  const plain = await server.complete({ ...asked, prompt: text, logprobs: 2 });
  const messages = [
    { role: "user", content: [{ type: "text", text: "a = 2" }] },
    { role: "assistant", content: "" },
    { role: "user", content: "b = 3" },
  ];
  const { json } = await post("/v1/chat/completions", {
    messages,
    temperature: 0,
    max_completion_tokens: 6,
    logprobs: true,
    top_logprobs: 2,
  });
  const [choice] = json.choices;
  expect(json).toMatchObject({ object: "chat.completion", model: "tiny", usage: plain.usage });
  expect(choice).toMatchObject({
    message: { role: "assistant", content: plain.choices[0].text, refusal: null },
    finish_reason: "length",
  });
  const told = choice.logprobs.content as { token: string; logprob: number; top_logprobs: object[] }[];
  expect(told.map(({ token }) => token)).toEqual(plain.choices[0].logprobs?.tokens);
  expect(told.map(({ logprob }) => logprob)).toEqual(plain.choices[0].logprobs?.token_logprobs);
  expect(told.every(({ top_logprobs }) => top_logprobs.length >= 2)).toBe(true);

  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({
      model: "tiny",
      messages,
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  const events = (await response.text())
    .trimEnd()
    .split("\n\n")
    .map((event) => event.replace(/^data: /, ""));
  expect(events.pop()).toBe("[DONE]");
  const chunks = events.map((event) => JSON.parse(event));
  expect(new Set(chunks.map(({ id, object }) => `${object} ${id}`)).size).toBe(1);
  expect(chunks[0].choices[0].delta.role).toBe("assistant");
  expect(
    chunks
      .flatMap(({ choices }) => choices.map((each: { delta: { content: string } }) => each.delta.content))
      .join(""),
  ).toBe(plain.choices[0].text);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plain.usage });
});

test("ids are unique, requests have one, and the client's own is kept", async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => post("/v1/completions", { prompt: session, max_tokens: 1 })),
  );
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(4);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(4);
  const named = await fetch(`${server.url}/health`, { headers: { "x-request-id": "mine-7" } });
  expect(named.headers.get("x-request-id")).toBe("mine-7");
  const odd = await fetch(`${server.url}/health`, { headers: { "x-request-id": "mine 7" } });
  expect(odd.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
});

test("fields that nobody knows are ignored, and said once", async () => {
  for (let i = 0; i < 3; i++)
    expect(
      (await post("/v1/completions", { prompt: session, max_tokens: 1, top_k: 5, min_p: 0 })).status,
    ).toBe(200);
  expect(
    (
      await post("/v1/chat/completions", {
        messages: [{ role: "system", content: session }],
        top_k: 1,
        store: true,
      })
    ).status,
  ).toBe(200);
  expect(ignored).toEqual(["top_k", "min_p", "store"]);
});

test("HEAD is GET without a body", async () => {
  for (const path of ["/health", "/v1/models", "/v1/models/tiny"]) {
    const [head, get] = await Promise.all(
      ["HEAD", "GET"].map((method) => fetch(`${server.url}${path}`, { method })),
    );
    expect([head.status, await head.text(), head.headers.get("content-type")]).toEqual([
      200,
      "",
      get.headers.get("content-type"),
    ]);
    await get.text();
  }
  expect((await fetch(`${server.url}/v1/models/none`, { method: "HEAD" })).status).toBe(404);
  expect((await fetch(`${server.url}/v1/completions`, { method: "HEAD" })).status).toBe(405);
});

test("a text is told as tokens, and tokens as a text", async () => {
  const { json } = await post("/tokenize", { prompt: session });
  const tokens = tokenizer.encode(session);
  expect(json).toEqual({ tokens, count: tokens.length, max_model_len: 300 });
  expect((await post("/detokenize", { tokens })).json).toEqual({ prompt: session });
  const chat = await post("/tokenize", { messages: [{ role: "user", content: "a = 2" }] });
  expect(chat.json.tokens).toEqual(tokenizer.encode(">>> a = 2\n"));
  expect((await post("/detokenize", { tokens: [9999] })).json.error.code).toBe("untokenizable_prompt");
});

test("what is not in the vocabulary is answered by the words that are not", async () => {
  const { status, json } = await post("/v1/completions", { prompt: ">>> a = 2\nWhat is a now? a = 77" });
  expect([status, json.error.code]).toEqual([400, "untokenizable_prompt"]);
  expect(json.error.message).toMatch(/Not in the vocabulary: "What"/);
  const chat = await post("/v1/chat/completions", { messages: [{ role: "user", content: "hello there" }] });
  expect([chat.status, chat.json.error.message]).toEqual([400, expect.stringContaining('"hello"')]);
});

test.each([
  [{}, "messages"],
  [{ messages: [] }, "messages"],
  [{ messages: [{ role: "robot", content: "x" }] }, "messages"],
  [{ messages: [{ role: "user", content: [{ type: "image_url", image_url: {} }] }] }, "messages"],
  [{ messages: [{ role: "user", content: "a = 2" }], top_logprobs: 2 }, "top_logprobs"],
  [
    { messages: [{ role: "user", content: "a = 2" }], response_format: { type: "json_object" } },
    "response_format",
  ],
  [{ messages: [{ role: "user", content: null }] }, "messages"],
  [{ messages: [{ role: "system" }] }, "messages"],
  [{ messages: [{ role: "user", content: "a = 2" }], tools: [{ type: "function" }] }, "tools"],
  [{ messages: [{ role: "user", content: "a = 2" }], logit_bias: { 3: 5 } }, "logit_bias"],
])("a chat %j is refused by its field, in plain words", async (body, param) => {
  const { status, json } = await post("/v1/chat/completions", body);
  expect([status, json.error.param, json.error.code]).toEqual([400, param, "invalid_value"]);
  expect(json.error.message).not.toMatch(/never|no keys/);
});

test.each([{ content: null }, {}, { content: [] }])(
  "an assistant's message that says nothing, %j, is one with an empty text",
  async (silent) => {
    const said = { role: "user", content: "a = 2" };
    const replies = [{ content: "" }, silent].map((each) =>
      post("/tokenize", { messages: [said, { role: "assistant", ...each }] }),
    );
    const [one, other] = await Promise.all(replies);
    expect([other.status, other.json.tokens]).toEqual([200, one.json.tokens]);
  },
);

test("tools and logit_bias that are empty ask for nothing", async () => {
  const messages = [{ role: "user", content: "a = 2" }];
  const { status } = await post("/v1/chat/completions", {
    messages,
    tools: [],
    logit_bias: {},
    max_tokens: 1,
  });
  expect(status).toBe(200);
});

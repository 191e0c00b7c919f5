import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI, OpenAI as LangchainOpenAI } from "@langchain/openai";
import { APICallError, generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Completion, modelOf, serve, session } from "./served.test-helper.ts";

/** Clients as their packages are, against a tracker: what they give is what the protocol's own documents hold. */
const ignored = new Set<string>();
let server: Awaited<ReturnType<typeof serve>>;
let text: string;
const key = "a-key-of-some-length";

beforeAll(async () => {
  server = await serve(modelOf("deltanet"), { key, onIgnored: (name) => ignored.add(name) });
  const body = { prompt: session, max_tokens: 4, temperature: 0 };
  const response = await server.post(body, { authorization: `Bearer ${key}` });
  const completion = (await response.json()) as Completion;
  text = completion.choices[0].text;
  expect(text.length).toBeGreaterThan(0);
});
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

test("openai: models, completions, chats, streams and its classes of errors", async () => {
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["tiny"]);
  expect((await client.models.retrieve("tiny")).owned_by).toBe("statelab");
  await expect(client.models.retrieve("none")).rejects.toMatchObject({
    ...{ constructor: OpenAI.NotFoundError, code: "model_not_found", param: "model" },
    requestID: expect.stringMatching(/^req_/),
  });

  const settings = { model: "tiny", max_tokens: 4, temperature: 0 };
  const completion = await client.completions.create({ ...settings, prompt: session });
  expect([completion.choices[0].text, completion.usage?.completion_tokens]).toEqual([text, 4]);
  expect(completion._request_id).toMatch(/^req_/);
  const messages = [{ role: "user" as const, content: session }];
  const chat = await client.chat.completions.create({ ...settings, messages });
  expect(chat.choices[0].message).toMatchObject({ role: "assistant", content: text });

  const stream = client.chat.completions.stream({ ...settings, messages });
  const pieces: string[] = [];
  stream.on("content", (delta) => pieces.push(delta));
  const whole = await stream.finalChatCompletion();
  expect([pieces.join(""), whole.choices[0].message.content]).toEqual([text, text]);

  const refused = client.chat.completions.create({
    ...settings,
    messages: [{ role: "user", content: "What is a?" }],
  });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  await expect(refused).rejects.toThrow(/Not in the vocabulary: "What"/);
  const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "another-key", maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});

test("openai: responses, whole and streamed, and what is refused", async () => {
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 });
  const settings = { model: "tiny", max_output_tokens: 4, temperature: 0 };
  const [first, ...rest] = session.split(/(?<=\n)/);
  const response = await client.responses.create({ ...settings, instructions: first, input: rest.join("") });
  expect(response).toMatchObject({
    ...{ output_text: text, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    usage: { output_tokens: 4 },
  });
  const input = [{ role: "user" as const, content: [{ type: "input_text" as const, text: session }] }];
  const types: string[] = [];
  const stream = client.responses.stream({ ...settings, input });
  stream.on("event", ({ type }) => types.push(type));
  expect((await stream.finalResponse()).output_text).toBe(text);
  expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
  expect(types.at(-1)).toBe("response.incomplete");
  await expect(
    client.responses.create({ ...settings, input: session, previous_response_id: "resp_1" }),
  ).rejects.toThrow("expected previous_response_id to be left out: responses are not stored");
  await expect(client.responses.create({ ...settings, input: "What is a?" })).rejects.toThrow(
    'Not in the vocabulary: "What"',
  );
});

test("Anthropic: messages, whole and streamed, a stop sequence, and its classes of errors", async () => {
  const client = new Anthropic({ baseURL: server.url, apiKey: key, maxRetries: 0 });
  const settings = { model: "tiny", max_tokens: 4, temperature: 0 };
  const messages = [{ role: "user" as const, content: session }];
  const message = await client.messages.create({ ...settings, messages });
  expect(message).toMatchObject({
    ...{ content: [{ type: "text", text }], stop_reason: "max_tokens", stop_sequence: null },
    usage: { output_tokens: 4 },
  });
  const stream = client.messages.stream({ ...settings, messages });
  expect(await stream.finalMessage()).toMatchObject({ content: message.content, usage: message.usage });
  const stop_sequences = ["not here", text.slice(-2)];
  expect(await client.messages.create({ ...settings, messages, stop_sequences })).toMatchObject({
    ...{ stop_reason: "stop_sequence", stop_sequence: text.slice(-2) },
  });
  const refused = client.messages.create({ ...settings, model: "none", messages });
  await expect(refused).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  await expect(refused).rejects.toMatchObject({
    error: { type: "error", error: { code: "model_not_found" } },
  });
  const stranger = new Anthropic({ baseURL: server.url, apiKey: "another-key", maxRetries: 0 });
  await expect(stranger.messages.create({ ...settings, messages })).rejects.toBeInstanceOf(
    Anthropic.AuthenticationError,
  );
});

test("LangChain: a chat model and a text model, whole and streamed", async () => {
  const settings = {
    ...{ model: "tiny", apiKey: key, maxTokens: 4, temperature: 0, maxRetries: 0 },
    configuration: { baseURL: `${server.url}/v1` },
  };
  const chat = new ChatOpenAI(settings);
  const reply = await chat.invoke([new HumanMessage(session)]);
  expect(reply).toMatchObject({ content: text, usage_metadata: { output_tokens: 4 } });
  const pieces: unknown[] = [];
  for await (const { content } of await chat.stream([new HumanMessage(session)])) pieces.push(content);
  expect(pieces.join("")).toBe(text);
  expect(await new LangchainOpenAI(settings).invoke(session)).toBe(text);
});

test("the AI SDK: chats, whole and streamed, and its errors", async () => {
  const openai = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: key });
  const settings = { prompt: session, maxOutputTokens: 4, temperature: 0, maxRetries: 0 };
  const model = openai.chat("tiny");
  const { text: said, usage } = await generateText({ model, ...settings });
  expect([said, usage.outputTokens]).toEqual([text, 4]);
  expect(await streamText({ model, ...settings }).text).toBe(text);
  const later = openai("tiny"); // of the Responses protocol
  expect((await generateText({ model: later, ...settings })).text).toBe(text);
  expect(await streamText({ model: later, ...settings }).text).toBe(text);
  // its completions write a conversation around the prompt, in words that no tracker has
  await expect(generateText({ model: openai.completion("tiny"), ...settings })).rejects.toThrow(
    'Not in the vocabulary: "user", ":", "assistant"',
  );
  const refused = generateText({ model: openai.chat("none"), ...settings });
  await expect(refused).rejects.toBeInstanceOf(APICallError);
  await expect(refused).rejects.toMatchObject({ statusCode: 404 });
});

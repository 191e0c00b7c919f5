import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Ask } from "./endpoint.ts";
import { assembled, isStreamed } from "./event-stream.ts";
import { httpEndpoint, parseBaseUrl } from "./http-endpoint.ts";
import { type ProtocolName, protocols } from "./protocols.ts";
import { type Behaviour, chatReply, json, type Server, serverThat } from "./server.test-helper.ts";
import { collectSpeeds } from "./usage.ts";

const ask: Ask = {
  prompt: "what is six times seven",
  sample: 0,
  parameters: { temperature: 0, maximumTokens: 9, stop: [], contextTokens: null, seed: null },
};
const never = new AbortController().signal;
const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function asked(behaves: Behaviour, protocol: ProtocolName = "chat", stream = true) {
  const server = await serverThat(behaves);
  open.push(server);
  const endpoint = httpEndpoint({
    ...{ baseUrl: parseBaseUrl(server.url), protocol: protocols[protocol], model: "m", key: undefined },
    ...{ checkPrompt: true, idleSeconds: 5, totalSeconds: 10, stream },
  });
  return { outcome: await endpoint(ask, never), server };
}

/** Sends parts of a body, so many milliseconds apart. */
const inParts =
  (parts: readonly string[], pause = 0): Behaviour =>
  async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of parts) {
      response.write(part);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    response.end();
  };
const event = (data: unknown) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const chat = (content: string | null, more: object = {}) => ({
  model: "m-1",
  choices: [{ index: 0, delta: { content }, finish_reason: null, ...more }],
});
const usage = { choices: [], usage: { prompt_tokens: 50, completion_tokens: 3 } };

describe("a streamed reply is read as the whole one would be", () => {
  test("of a chat, with its reasoning, counts, and the time of the first token", async () => {
    const parts = [
      ": a comment\n\n",
      event(chat("", { delta: { role: "assistant", content: "" } })),
      event(chat(null, { delta: { reasoning_content: "6 x 7" } })),
      event(chat("4")),
      event(chat("2", { finish_reason: "stop" })),
      event(usage),
      event("[DONE]"),
    ];
    const { outcome, server } = await asked(inParts(parts, 30));
    expect(outcome).toMatchObject({
      ...{ kind: "reply", text: "42", finish: "stop", reasoning: "6 x 7", model: "m-1" },
      ...{ promptTokens: 50, replyTokens: 3 },
    });
    expect(server.asked[0].body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    const { seconds, firstTokenSeconds } = outcome.kind === "reply" ? outcome.timing! : expect.fail();
    expect(firstTokenSeconds).toBeGreaterThan(0.05); // the third part, 30 ms after the second
    expect(firstTokenSeconds).toBeLessThan(seconds - 0.08);
  });

  test("of a completion", async () => {
    const piece = (text: string, finish_reason: string | null = null) => ({
      choices: [{ text, finish_reason }],
    });
    const { outcome } = await asked(inParts([event(piece("4")), event(piece("2", "length"))]), "completion");
    expect(outcome).toMatchObject({ kind: "reply", text: "42", finish: "length" });
  });

  test("with NaN among log-probabilities, which are not read", async () => {
    const piece = event(chat("42", { finish_reason: "stop", logprobs: { content: [{ logprob: 0.5 }] } }));
    const { outcome } = await asked(inParts([piece.replace("0.5", "NaN"), event("[DONE]")]));
    expect(outcome).toMatchObject({ kind: "reply", text: "42" });
  });

  test("of Ollama, one JSON a line", async () => {
    const lines = [
      { model: "m", message: { content: "4" }, done: false },
      { model: "m", message: { content: "2" }, done: false },
      {
        ...{ model: "m", message: { content: "" }, done: true, done_reason: "stop" },
        ...{ prompt_eval_count: 7, eval_count: 2 },
      },
    ].map((line) => `${JSON.stringify(line)}\n`);
    const { outcome } = await asked(inParts(lines, 5), "ollama");
    const counts = { promptTokens: 7, replyTokens: 2 };
    expect(outcome).toMatchObject({ kind: "reply", text: "42", finish: "stop", ...counts });
    expect(outcome).toHaveProperty("timing.firstTokenSeconds");
  });

  test("where the server sends a whole one all the same", async () => {
    const { outcome } = await asked(json(chatReply("42")));
    expect(outcome).toMatchObject({ kind: "reply", text: "42", timing: { seconds: expect.any(Number) } });
    expect(outcome).not.toHaveProperty("timing.firstTokenSeconds");
  });

  test("and one that was not asked for is none", async () => {
    const { outcome } = await asked(inParts([event(chat("42")), event("[DONE]")]), "chat", false);
    expect(outcome).toMatchObject({ kind: "trouble", class: "not-json" });
  });
});

test.each([
  ["ends early", [event(chat("4"))], "truncated"],
  ["ends within a piece", [event(chat("4")), 'data: {"choices": [{"del'], "truncated"],
  ["has a piece that is no JSON", [event("<html>"), event(chat("4")), event("[DONE]")], "not-json"],
  ["has a piece that is no object", [event("[1]"), event("[DONE]")], "wrong-form"],
  ["has an error", [event(chat("4")), event({ error: { message: "gone", code: 500 } })], "error-reply"],
  ["is an error event", ['event: error\ndata: {"message": "overloaded"}\n\n'], "error-reply"],
  ["has an error event in words", [event(chat("4")), "event: error\ndata: overloaded\n\n"], "error-reply"],
  ["has an object called error", [event({ object: "error", message: "overloaded" })], "error-reply"],
  ["has no choice", [event("[DONE]")], "empty-choices"],
  [
    "is cut by a filter",
    [event(chat("4", { finish_reason: "content_filter" })), event("[DONE]")],
    "content-filter",
  ],
  [
    "is a call of a tool",
    [event(chat(null, { delta: { tool_calls: [{ index: 0 }] }, finish_reason: "tool_calls" }))],
    "tool-call",
  ],
] as const)("a stream that %s is trouble of its class", async (_, parts, kind) => {
  const { outcome } = await asked(inParts(parts));
  expect(outcome).toMatchObject({ kind: "trouble", class: kind });
});

test("a server that refuses stream_options is asked without them, and that is told", async () => {
  const behaves: Behaviour = (one, response, ...rest) =>
    "stream_options" in one.body
      ? json({ error: { message: "Unrecognized request argument: stream_options" } }, 400)(
          one,
          response,
          ...rest,
        )
      : inParts([event(chat("42", { finish_reason: "stop" })), event("[DONE]")])(one, response, ...rest);
  const { outcome } = await asked(behaves);
  expect(outcome).toMatchObject({ kind: "reply", text: "42", adapted: ["no stream_options"] });
});

test("however a text is cut into pieces, and they into packets, the same text comes out and the first token's time is right", () => {
  const words = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      words,
      fc.array(fc.nat(400), { maxLength: 8 }),
      fc.constantFrom("\n", "\r", "\r\n"),
      (texts, cuts, end) => {
        const body = [...texts.map((text) => event(chat(text))), event("[DONE]")]
          .join("")
          .replaceAll("\n", end);
        expect(isStreamed(body)).toBe(true);
        const bytes = new TextEncoder().encode(body);
        const ends = [
          ...new Set([...cuts.filter((cut) => cut < bytes.length && cut > 0), bytes.length]),
        ].sort((a, b) => a - b);
        const arrivals = ends.map((each, i) => ({ bytes: each, seconds: i }));
        const found = assembled(body, arrivals);
        if (found.kind === "trouble") expect.fail(found.words);
        expect(protocols.chat.read(found.json)).toMatchObject(
          texts.join("").trim() === "" ? {} : { text: texts.join("") },
        );
        // The first event ends with its blank line.
        const first = new TextEncoder().encode(
          body.slice(0, body.indexOf(end + end) + 2 * end.length),
        ).length;
        expect(found.firstTokenSeconds).toBe(ends.findIndex((each) => each >= first));
      },
    ),
    { numRuns: 200, seed: 9 },
  );
});

test("speeds are medians over the replies whose first token was seen", () => {
  const speeds = collectSpeeds();
  expect(speeds.result()).toBeNull();
  for (const firstTokenSeconds of [0.1, 0.2, 0.3])
    speeds.add({ timing: { seconds: 1.3, firstTokenSeconds }, replyTokens: 11 });
  speeds.add({ timing: { seconds: 9 }, replyTokens: 11 });
  speeds.add({ replyTokens: 11 });
  const found = speeds.result()!;
  expect(found.replies).toBe(3);
  expect(found.firstToken.median).toBeCloseTo(0.2, 9);
  expect(found.tokensPerSecond?.median).toBeCloseTo(10 / 1.1, 9);
});

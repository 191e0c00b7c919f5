import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { connectionWith } from "../../app/llm/connection.ts";
import type { Ask } from "./endpoint.ts";
import { type HttpOptions, httpEndpoint, parseBaseUrl } from "./http-endpoint.ts";
import { protocols } from "./protocols.ts";
import { type Behaviour, chatReply, json, type Server, serverThat } from "./server.test-helper.ts";

const key = "sk-verySecret-0123456789";
const ask: Ask = {
  prompt: "what does the program give after the loop has ended and the list is sorted",
  sample: 2,
  parameters: { temperature: 0.5, maximumTokens: 77, stop: ["[/ANSWER]"], contextTokens: 4096, seed: 40 },
};
const never = new AbortController().signal;
const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const endpointAt = (url: string, options: Partial<HttpOptions> = {}) =>
  httpEndpoint({
    ...{ baseUrl: parseBaseUrl(url), protocol: protocols.chat, model: "m", key, checkPrompt: true },
    ...{ idleSeconds: 10, totalSeconds: 20 },
    ...options,
  });

async function opened(behaves: Behaviour): Promise<Server> {
  const server = await serverThat(behaves);
  open.push(server);
  return server;
}

async function asked(behaves: Behaviour, options: Partial<HttpOptions> = {}) {
  const server = await opened(behaves);
  const began = performance.now();
  const outcome = await endpointAt(server.url, options)(ask, never);
  expect(performance.now() - began).toBeLessThan(15_000);
  expect(JSON.stringify(outcome)).not.toContain(key);
  return { outcome, server };
}

const ollamaReply = (message: object, more: object = {}) => ({ model: "m", message, done: true, ...more });
describe("a request", () => {
  test("of a chat carries prompt, parameters and the key, and its reply is read", async () => {
    const usage = { prompt_tokens: 60, completion_tokens: 3 };
    const { outcome, server } = await asked(json(chatReply("42", {}, usage)));
    expect(outcome).toEqual({ kind: "reply", text: "42", finish: "stop", promptTokens: 60, replyTokens: 3 });
    const message = { role: "user", content: ask.prompt };
    expect(server.asked).toEqual([
      {
        path: "/v1/chat/completions",
        authorization: `Bearer ${key}`,
        body: {
          ...{ model: "m", messages: [message], stream: false },
          ...{ temperature: 0.5, max_tokens: 77, stop: ["[/ANSWER]"], seed: 42 },
        },
      },
    ]);
  });

  test("of a completion carries the prompt as it is", async () => {
    const reply = { choices: [{ text: " 42", finish_reason: "length" }] };
    const { outcome, server } = await asked(json(reply), { protocol: protocols.completion, key: undefined });
    expect(outcome).toMatchObject({ kind: "reply", text: " 42", finish: "length", promptTokens: null });
    expect(server.asked[0]).toMatchObject({
      path: "/v1/completions",
      authorization: undefined,
      body: { prompt: ask.prompt },
    });
  });

  test("to Ollama uses its own names", async () => {
    const reply = ollamaReply(
      { content: "42" },
      { done_reason: "stop", prompt_eval_count: 99, eval_count: 2 },
    );
    const { outcome, server } = await asked(json(reply), { protocol: protocols.ollama });
    expect(outcome).toMatchObject({ kind: "reply", text: "42", promptTokens: 99, replyTokens: 2 });
    const options = { temperature: 0.5, num_predict: 77, stop: ["[/ANSWER]"], num_ctx: 4096, seed: 42 };
    expect(server.asked[0]).toMatchObject({
      path: "/v1/api/chat",
      body: { model: "m", stream: false, options },
    });
  });
});

describe("a value that a server refuses", () => {
  test.each([
    [422, { error: "Input validation error: `temperature` must be strictly positive" }],
    [422, { detail: [{ loc: ["body", "temperature"], msg: "Input should be greater than 0", input: 0 }] }],
    [400, { error: { message: "temperature should be in (0, 1], got 0.0" } }],
    [400, { error: { message: "temperature is out of range" } }],
  ])("of temperature, by %i %j, is left out, and that is said", async (status, refusal) => {
    const { outcome, server } = await asked((one, ...rest) =>
      ("temperature" in one.body ? json(refusal, status) : json(chatReply("42")))(one, ...rest),
    );
    expect(outcome).toMatchObject({ kind: "reply", text: "42", adapted: ["no temperature"] });
    expect(server.asked).toHaveLength(2);
  });

  test.each([
    [400, "System role not supported"],
    [500, "invalid operation: System role not supported (in chat:1)"],
    [422, "Conversation roles must alternate user/assistant/user/assistant/..."],
    [400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."],
    [400, "Only user and assistant roles are supported!"],
    [400, "Developer instruction is not enabled for models/gemma-3-1b-it"],
    [400, 'unexpected role "system"'],
  ])("of a role, by %i %j, goes before the prompt", async (status, message) => {
    const server = await opened((one, ...rest) => {
      const roles = (one.body.messages as { role: string }[]).map(({ role }) => role);
      (roles.includes("system") ? json({ error: { message } }, status) : json(chatReply("42")))(one, ...rest);
    });
    const brief = { ...ask, parameters: { ...ask.parameters, system: "Be brief." } };
    const outcome = await endpointAt(server.url)(brief, never);
    expect(outcome).toMatchObject({
      text: "42",
      adapted: ["the system message before the prompt, in one message"],
    });
    expect(server.asked[1].body.messages).toEqual([{ role: "user", content: `Be brief.\n\n${ask.prompt}` }]);
  });

  test("is not the system message where the server itself fails, or where none was sent", async () => {
    const failing = json({ error: { message: "the system is overloaded" } }, 500);
    expect((await asked(failing)).outcome).toMatchObject({ class: "server-error" });
    const roles = json({ error: { message: "System role not supported" } }, 400);
    expect((await asked(roles)).outcome).toMatchObject({ class: "bad-request" });
  });
});

const flood: Behaviour = (_, response) => {
  const chunk = Buffer.alloc(1 << 16, "a");
  const more = () => {
    while (!response.destroyed && response.write(chunk)) {
      /* as fast as it is taken */
    }
    if (!response.destroyed) response.once("drain", more);
  };
  more();
};
describe("a server that", () => {
  // all others are in misbehaviors.test-helper.ts
  test.each<[string, Behaviour, string]>([
    ["asks for a key", json({ error: `Incorrect API key provided: ${key}` }, 401), "unauthorized"],
    ["forbids", json({}, 403), "unauthorized"],
    ["refuses", json(chatReply(null, { refusal: `I will not, ${key}` })), "refusal"],
    ["sends without an end", flood, "too-large"],
  ])(
    "%s is told from the others, in bounded time, and the key stays out of it",
    async (_, behaves, expected) => {
      expect((await asked(behaves)).outcome).toMatchObject({ kind: "trouble", class: expected });
    },
  );

  test("repeats the key in its answer has given no answer: a reply is never changed, and the key never kept", async () => {
    const escaped = `"${Array.from(key, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
    const spelled: Behaviour = (_, response) =>
      response.end(JSON.stringify(chatReply("KEY")).replace(`"KEY"`, escaped));
    for (const behaves of [
      json(chatReply(`your key is ${key}`)),
      spelled,
      json(chatReply("1", { reasoning: key })),
    ])
      expect((await asked(behaves)).outcome).toMatchObject({ kind: "trouble", class: "key-in-reply" });
  });

  test("repeats a key with escapes in an error is not repeated here", async () => {
    const slashed = "sk-a/very+secret/one";
    for (const said of [
      slashed.replaceAll("/", "\\/"),
      slashed.replaceAll("/", "\\u002F"),
      encodeURIComponent(slashed),
      slashed.replaceAll("/", "&#47;"),
    ])
      for (const body of [
        `{"error": {"message": "no such key: ${said}"}}`,
        `<html>no such key: ${said}</html>`,
      ]) {
        const { outcome } = await asked((_, response) => response.writeHead(401).end(body), { key: slashed });
        expect(outcome).toMatchObject({ class: "unauthorized", words: expect.stringContaining("[key]") });
        expect(JSON.stringify(outcome)).not.toMatch(/very|secret/);
      }
  });

  test("counts no tokens is believed, and so is one that is not to be checked", async () => {
    const { outcome } = await asked(json(chatReply("42", {}, { prompt_tokens: 0 })));
    expect(outcome).toMatchObject({ kind: "reply" });
    const unchecked = await asked(json(chatReply("42", {}, { prompt_tokens: 5 })), { checkPrompt: false });
    expect(unchecked.outcome).toMatchObject({ kind: "reply" });
  });

  test("of Ollama is not done yet, or only thinks, has given no answer", async () => {
    const protocol = protocols.ollama;
    const begun = json({ ...ollamaReply({ content: "4" }), done: false });
    expect((await asked(begun, { protocol })).outcome).toMatchObject({ class: "truncated" });
    const thinks = await asked(json(ollamaReply({ content: "", thinking: "hm" })), { protocol });
    expect(thinks.outcome).toMatchObject({ class: "reasoning-only" });
  });

  test("asks to come back later is heard, in seconds or as a date", async () => {
    for (const said of ["90", new Date(Date.now() + 90_000).toUTCString()]) {
      const { outcome } = await asked(json({}, 429, { "retry-after": said }));
      const { retryAfterSeconds = -1 } = outcome as { retryAfterSeconds?: number };
      expect(Math.abs(retryAfterSeconds - 90)).toBeLessThanOrEqual(2);
    }
  });

  test("never takes the connection is given up after the time to connect", async () => {
    const { port, end } = await deafListener();
    const { fetch, close } = connectionWith(0.5);
    try {
      const endpoint = endpointAt(`http://127.0.0.1:${port}`, { fetch, idleSeconds: 20 });
      const began = performance.now();
      const outcome = await endpoint(ask, never);
      expect(outcome).toMatchObject({ kind: "trouble", class: "connect-timeout" });
      expect(performance.now() - began).toBeLessThan(5000);
    } finally {
      end();
      await close();
    }
  });

  test("does not exist is unreachable", async () => {
    const server = await serverThat(() => {});
    await server.close();
    const outcome = await endpointAt(server.url, { idleSeconds: 5, totalSeconds: 5 })(ask, never);
    expect(outcome).toMatchObject({ kind: "trouble", class: "unreachable" });
  });
});

describe("a body that is not what its Content-Encoding says", () => {
  const behind =
    (coding: string, bytes: Buffer | string): Behaviour =>
    (_, response) => {
      response.writeHead(200, { "content-encoding": coding, "content-length": String(bytes.length) });
      response.flushHeaders();
      setTimeout(() => response.write(bytes), 30); // and the connection stays open
    };
  const reply = JSON.stringify(chatReply("42"));

  test("is undecodable, by Node's own fetch at the tool's time-out", async () => {
    const { outcome } = await asked(behind("gzip", reply), { idleSeconds: 0.5, totalSeconds: 5 });
    expect(outcome).toMatchObject({ kind: "trouble", class: "undecodable" });
  });

  test.each(["gzip", "br", "deflate", "x-gzip", "gzip, br"])(
    "%s: is undecodable at once, by the lab's",
    async (coding) => {
      const { fetch, close } = connectionWith(5);
      const began = performance.now();
      const { outcome } = await asked(behind(coding, reply), { fetch });
      await close();
      expect(outcome).toMatchObject({ kind: "trouble", class: "undecodable" });
      expect(performance.now() - began).toBeLessThan(5_000);
    },
  );

  test("a fetch that knows nothing of its signal is given up all the same", async () => {
    const deaf = (() => new Promise(() => {})) as typeof fetch;
    const { outcome } = await asked(json({}), { fetch: deaf, idleSeconds: 0.2, totalSeconds: 1 });
    expect(outcome).toMatchObject({ class: "idle-timeout" });
    const silent = async () => new Response(new ReadableStream({}));
    const body = await asked(json({}), { fetch: silent as typeof fetch, idleSeconds: 0.2, totalSeconds: 1 });
    expect(body.outcome).toMatchObject({ class: "idle-timeout" });
  });
});

test("a request that is stopped from outside rejects with the reason and leaves no connection", async () => {
  let closed = false;
  const server = await opened((_, response) => {
    response.on("close", () => {
      closed = true;
    });
  });
  const controller = new AbortController();
  const running = endpointAt(server.url, { idleSeconds: 20 })(ask, controller.signal);
  setTimeout(() => controller.abort(new Error("enough")), 100);
  await expect(running).rejects.toThrow("enough");
  await expect.poll(() => closed).toBe(true);
});

test.each([
  "localhost:8000",
  "ftp://x/v1",
  `http://${key}@x/v1`,
  `http://x/v1?key=${key}`,
  `not a url ${key}`,
])("the address %s is refused without repeating what may be a key", (text) => {
  expect(() => parseBaseUrl(text)).toThrow(/--base-url: expected/);
  try {
    parseBaseUrl(text);
  } catch (error) {
    expect(String(error)).not.toContain(key);
  }
});

/** A process that listens and never takes a connection, its queue filled, so that the next one hangs. */
async function deafListener() {
  const source = `const s=require("net").createServer();s.listen({port:0,host:"127.0.0.1",backlog:1},()=>{
    require("fs").writeSync(1,s.address().port+"\\n");Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,60000)})`;
  const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) =>
    child.stdout.once("data", (bytes) => resolve(Number(bytes))),
  );
  const sockets: Socket[] = [];
  for (let i = 0; i < 4; i++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    sockets.push(socket);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    end() {
      for (const socket of sockets) socket.destroy();
      child.kill("SIGKILL");
    },
  };
}

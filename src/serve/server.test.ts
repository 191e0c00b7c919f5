import { connect } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { rawRequest } from "../../test/kit/http.ts";
import { until } from "../../test/kit/until.ts";
import { looksAt, modelOf, serve, session, tokenizer } from "./served.test-helper.ts";

const model = modelOf("transformer");
const server = await serve(model, { slots: 2, context: 300, queue: 2, mostBytes: 4000 });
afterAll(async () => {
  await server.close();
  expect(server.faults).toEqual([]);
});

interface Refusal {
  readonly error: { readonly message: string; readonly code: string | null };
}

test("health and the model are told", async () => {
  const get = async (path: string) => (await fetch(`${server.url}${path}`)).json();
  expect(await get("/health")).toEqual({ status: "ok" });
  const described = { id: "tiny", object: "model", created: 1, owned_by: "statelab", max_model_len: 300 };
  expect(await get("/v1/models")).toEqual({ object: "list", data: [described] });
  expect(await get("/v1/models/tiny")).toEqual(described);
});

const ask = { model: "tiny", prompt: session };
const tooMany = `got ${tokenizer.encode(session).length} in the prompt and 260 to be made`;
const unread =
  'prompt.1: word tokenizer: expected text made of its tokens, at character 8, got "x". Not in the vocabulary: "x"';
test.each<[body: unknown, message: string, param: string | null, code?: string, status?: number]>([
  ["{", "body: expected JSON, got", null, "invalid_json"],
  ["", "body: expected JSON, got an empty body", null, "invalid_json"],
  ["[]", "request: expected the whole to be an object, got []", null],
  [{ prompt: "x" }, "request: expected model (a string), got", "model"],
  [{ model: "tiny" }, "request: expected prompt", "prompt"],
  [{ ...ask, model: "gpt" }, 'model: expected "tiny", got "gpt"', "model", "model_not_found", 404],
  [{ ...ask, max_tokens: "3" }, "expected max_tokens to be a number", "max_tokens"],
  [{ ...ask, max_tokens: -1 }, "expected max_tokens to be at least 0", "max_tokens"],
  [{ ...ask, temperature: -1 }, "expected temperature to be at least 0", "temperature"],
  [{ ...ask, top_p: 0 }, "expected top_p to be more than 0", "top_p"],
  [{ ...ask, presence_penalty: 1 }, "expected presence_penalty to be 0", "presence_penalty"],
  [{ ...ask, n: 500 }, "expected at most 256 replies, got 500", "n", "invalid_value"],
  [{ ...ask, stop: "" }, "stop: expected texts that are not empty", "stop", "invalid_value"],
  [{ ...ask, stream_options: {} }, "expected stream to be true", "stream_options", "invalid_value"],
  [{ ...ask, prompt: "" }, "prompt: expected at least one token", "prompt", "invalid_value"],
  [{ ...ask, logit_bias: { 3: 5 } }, "logit_bias to be empty or left out", "logit_bias"],
  [{ ...ask, prompt: [">>> a", ">>> a = x"] }, unread, "prompt", "untokenizable_prompt"],
  [{ ...ask, prompt: [3, 99] }, "expected ids 0 to 13, got 99", "prompt"],
  [{ ...ask, max_tokens: 260 }, `at most 300 tokens, ${tooMany}`, "max_tokens", "context_length_exceeded"],
  ["x".repeat(5000), "body: expected at most 4000 bytes", null, "request_too_large", 413],
  ["x".repeat(500_000), "body: expected at most 4000 bytes", null, "request_too_large", 413],
])("request %# is refused with the reason", async (body, message, param, code, status = 400) => {
  const response = await server.post(typeof body === "string" ? body : JSON.stringify(body));
  const { error } = (await response.json()) as Refusal;
  expect(error.message).toContain(message);
  expect(response.status).toBe(status);
  expect(error).toMatchObject({ type: "invalid_request_error", param, ...(code !== undefined && { code }) });
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
});

test.each([
  [Buffer.from([0xff, 0xfe])],
  [Buffer.from(`{"prompt": "\u00e9"}`, "latin1")],
  [Buffer.from(`{"prompt": "\u00e9"}`).subarray(0, -3)],
])("a body that is no UTF-8 is refused (%#)", async (body) => {
  const response = await fetch(`${server.url}/v1/completions`, { method: "POST", body });
  const { error } = (await response.json()) as Refusal;
  expect([response.status, error.code]).toEqual([400, "invalid_json"]);
  expect(error.message).toContain("expected JSON in UTF-8");
});

test("paths and methods are refused with what to do instead", async () => {
  const statusOf = async (path: string, method = "GET") => {
    const response = await fetch(`${server.url}${path}`, { method });
    return [
      response.status,
      ((await response.json()) as Refusal).error.message,
      response.headers.get("allow"),
    ];
  };
  expect(await statusOf("/v1/completion")).toEqual([404, expect.stringContaining("/v1/completions?"), null]);
  expect(await statusOf("/v1/models/other")).toEqual([404, 'model: expected "tiny", got "other"', null]);
  expect(await statusOf("/v1/completions")).toEqual([405, expect.any(String), "POST"]);
  expect(await statusOf("/health", "DELETE")).toEqual([405, expect.any(String), "GET"]);
  expect(await statusOf("/v1/chat/completions")).toEqual([405, expect.any(String), "POST"]);
});

test.each([
  [{ host: "evil.example" }, 403],
  [{ host: "evil.example:80" }, 403],
  [{ host: "127.0.0.1.evil.example" }, 403],
  [{ host: "evil.example@127.0.0.1" }, 403],
  [{ host: "127.0.0.1", origin: "http://evil.example" }, 403],
  [{ host: "127.0.0.1:8000", origin: "http://127.0.0.1:9000" }, 403],
  [{ host: "127.0.0.1", origin: "null" }, 403],
  [{ host: "localhost:8000", origin: "http://localhost:8000" }, 200],
  [{ host: "127.0.0.1" }, 200],
  [{ host: "[::1]:8000" }, 200],
])("a request with %j is answered by %i, and no other origin is let read it", async (headers, status) => {
  const answer = await rawRequest(server.url, { path: "/health", headers });
  expect(answer.status, answer.text).toBe(status);
  if (status === 403) expect(JSON.parse(answer.text).error.type).toBe("permission_error");
  const preflight = await rawRequest(server.url, {
    ...{ path: "/v1/completions", method: "OPTIONS" },
    headers: { host: "127.0.0.1", origin: "http://evil.example" },
  });
  expect(preflight.status).toBe(403);
});

test("a client that goes away, streaming or waiting for the whole, frees its slots", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 2, context: 1e6 });
  for (const stream of [true, false]) {
    const controller = new AbortController();
    const body = { prompt: session, max_tokens: 900_000, n: 2, stream };
    const asked = fresh.post(body, {}, controller.signal);
    if (stream) await (await asked).body?.getReader().read();
    await until(() => fresh.engine.busy === 2, "the engine", looksAt(fresh.engine));
    controller.abort();
    if (!stream) await expect(asked).rejects.toThrow();
    await until(() => fresh.engine.busy === 0, "the engine", looksAt(fresh.engine));
  }
  expect((await fresh.complete({ prompt: session, max_tokens: 2 })).choices).toHaveLength(1);
  expect(fresh.server.totals).toMatchObject({ requests: 3, left: 2, errors: 0 });
  await fresh.close();
});

test("a request beyond the queue is sent away with 429 and a time to wait", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 1, context: 1e6, queue: 1 });
  const controller = new AbortController();
  const long = { prompt: session, max_tokens: 900_000 };
  const running = fresh.post(long, {}, controller.signal).catch(() => "gone");
  await until(() => fresh.engine.busy === 1, "the engine", looksAt(fresh.engine));
  const waiting = fresh.post({ prompt: session, max_tokens: 1 });
  await until(() => fresh.engine.waiting === 1, "the engine", looksAt(fresh.engine));
  const refused = await fresh.post({ prompt: session });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(((await refused.json()) as Refusal).error).toMatchObject({
    type: "rate_limit_error",
    code: "queue_full",
  });
  controller.abort();
  expect([await running, (await waiting).status]).toEqual(["gone", 200]);
  await fresh.close();
});

const large = { max_tokens: 900_000, logprobs: 0 };
test.each([
  ["/v1/completions", { prompt: session, n: 256, max_tokens: 999_000, logprobs: 100 }],
  ["/v1/completions", { prompt: session, n: 256, max_tokens: 999_000 }],
  ["/v1/completions", { prompt: session, max_tokens: 900_000, logprobs: 5 }],
  ["/v1/completions", { prompt: new Array(100).fill(session), max_tokens: 30_000 }],
  ["/v1/completions", { prompt: new Array(400_000).fill(0), max_tokens: 0, echo: true, logprobs: 5 }],
  ["/v1/completions", { prompt: new Array(400_000).fill(0), echo: true, logprobs: 5, stream: true }],
  [
    "/v1/chat/completions",
    {
      messages: [{ role: "user", content: session }],
      ...{ max_completion_tokens: 500_000, logprobs: true, top_logprobs: 20 },
    },
  ],
])("%s %#: an answer that would not fit into the memory is refused before it begins", async (path, body) => {
  const fresh = await serve(modelOf("deltanet"), { slots: 1, context: 1e6 });
  const response = await fetch(fresh.url + path, {
    ...{ method: "POST", body: JSON.stringify({ model: "tiny", ...body }) },
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(400);
  expect(((await response.json()) as Refusal).error).toMatchObject({
    ...{ type: "invalid_request_error", param: "max_tokens", code: "answer_too_large" },
    message: expect.stringContaining("an answer of at most 2097152 tokens and log-probabilities"),
  });
  expect([fresh.engine.busy, fresh.engine.waiting]).toEqual([0, 0]);
  await fresh.close();
});

test("answers that are large together are sent away with 429, and taken when there is room again", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 4, context: 1e6 });
  const controller = new AbortController();
  const first = [1, 2].map(() =>
    fresh.post({ prompt: session, ...large }, {}, controller.signal).catch(() => "gone"),
  );
  await until(() => fresh.engine.busy === 2, "the engine", looksAt(fresh.engine));
  const refused = await fresh.post({ prompt: session, ...large });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await fresh.post({ prompt: session, max_tokens: 1, stream: true })).status).toBe(200);
  controller.abort();
  expect(await Promise.all(first)).toEqual(["gone", "gone"]);
  await until(() => fresh.engine.busy === 0, "the engine", looksAt(fresh.engine));
  const again = new AbortController();
  const taken = fresh.post({ prompt: session, ...large }, {}, again.signal).catch(() => "gone");
  await until(() => fresh.engine.busy === 1, "the engine", looksAt(fresh.engine));
  again.abort();
  expect(await taken).toBe("gone");
  await fresh.close();
});

test.each([
  { prompt: "x".repeat(900_000) },
  { prompt: session, model: "y".repeat(900_000) },
  { prompt: session, stop: new Array(2).fill("z".repeat(900_000)) },
  { prompt: session, user: new Array(300_000).fill(1) },
])("%#: an error repeats little of what was asked", async (body) => {
  const fresh = await serve(modelOf("deltanet"), {});
  const response = await fresh.post(body);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect((await response.text()).length).toBeLessThan(10_000);
  await fresh.close();
});

test("a short request is not kept waiting by one of many replies", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 1, context: 1e6 });
  let done = 0;
  const many = fresh.complete({ prompt: session, max_tokens: 100, n: 30 }).then(() => done++);
  await until(() => fresh.engine.busy === 1, "the engine", looksAt(fresh.engine));
  await fresh.complete({ prompt: session, max_tokens: 1 });
  expect(done).toBe(0);
  await many;
  await fresh.close();
});

test("a server that is closed ends what is under way, in the protocol's form", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 2, context: 1e6 });
  const long = { prompt: session, max_tokens: 900_000 };
  const whole = fresh.post(long);
  const stream = await fresh.post({ ...long, stream: true });
  await until(() => fresh.engine.busy === 2, "the engine", looksAt(fresh.engine));
  await fresh.server.close(20);
  const answer = await whole;
  expect([answer.status, ((await answer.json()) as Refusal).error.code]).toEqual([503, "stopping"]);
  const text = await stream.text();
  expect(text).not.toContain("[DONE]");
  expect(JSON.parse(text.trimEnd().split("\n\ndata: ").at(-1) ?? "").error.code).toBe("stopping");
  await expect(fetch(`${fresh.url}/health`)).rejects.toThrow();
});

test("requests under way may end before the server closes", async () => {
  const fresh = await serve(modelOf("deltanet"), { slots: 1, context: 1e6 });
  const asked = fresh.complete({ prompt: session, max_tokens: 200 });
  await until(() => fresh.engine.busy === 1, "the engine", looksAt(fresh.engine));
  await fresh.server.close(10_000);
  expect((await asked).usage?.completion_tokens).toBe(200);
});

describe("with a key", () => {
  test("only its bearer is answered; a host for others demands one", async () => {
    const closed = await serve(model, { key: "secret-key" });
    const status = async (headers: Record<string, string>) =>
      (await closed.post({ prompt: session, max_tokens: 1 }, headers)).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer secret-kez" })).toBe(401);
    expect(await status({ authorization: "secret-key" })).toBe(401);
    expect(await status({ authorization: "Bearer secret-key" })).toBe(200);
    expect((await fetch(`${closed.url}/health`)).headers.get("www-authenticate")).toBe("Bearer");
    await closed.close();
    await expect(serve(model, { host: "0.0.0.0" })).rejects.toThrow(
      'serve: expected a key for a host that others can reach, got "0.0.0.0". Name its variable: --api-key-env NAME',
    );
  });
});

test("what is no HTTP is answered by 400 and closed", async () => {
  const { port } = new URL(server.url);
  const said = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("close", () => resolve(text));
  });
  expect(said).toMatch(/^HTTP\/1\.1 400 /);
});

/**
 * @file The ways in which endpoints misbehave, as one table: what each does, where it must end, and whether it is asked again.
 *
 * `ends`: a class of trouble (lost to the endpoint), `out-of-tokens`, or `answered` where the oddity does no harm. Every one
 * that is answered answers right, so any that is counted as wrong or unreadable shows.
 */

import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { ApiErrorKind } from "./endpoint.ts";
import { type Behaviour, chatReply, json, promptOf } from "./server.test-helper.ts";

export interface Misbehaviour {
  readonly name: string;
  /** `right` is the content of a right answer. */
  readonly behaves: (right: string) => Behaviour;
  readonly ends: ApiErrorKind | "out-of-tokens" | "answered";
  readonly retried: boolean;
  /** It ends the asking for all. */
  readonly fatal?: true;
}

const body =
  (text: string | Buffer, headers: Record<string, string> = {}, status = 200): Behaviour =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text);
  };
const finished = (content: unknown, finish: string | null, message: object = {}) => ({
  ...chatReply(content),
  choices: [{ index: 0, message: { role: "assistant", content, ...message }, finish_reason: finish }],
});
const whole = (right: string) => JSON.stringify(chatReply(right));
/** Writes a whole response of HTTP by hand. */
const raw =
  (text: (right: string) => string | Buffer) =>
  (right: string): Behaviour =>
  (_, response) => {
    response.socket?.end(text(right));
  };
const cutAfter =
  (share: number, end: (response: ServerResponse) => void) =>
  (right: string): Behaviour =>
  (_, response) => {
    const text = whole(right);
    response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) });
    response.write(text.slice(0, text.length * share));
    setTimeout(() => end(response), 20);
  };
const silence: Behaviour = (_, response) => void response.on("close", () => {});
const drip: Behaviour = (_, response) => {
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
};
/** The header in one packet, the body in another; the connection is kept. */
const headerFirst =
  (bytes: Buffer, coding: string): Behaviour =>
  (_, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-encoding": coding,
      "content-length": String(bytes.length),
    });
    response.flushHeaders();
    setTimeout(() => response.end(bytes), 30);
  };
const error = (code: unknown, message = "it failed") => ({ error: { message, type: "x", code } });

const lost = (ends: ApiErrorKind, retried: boolean) => (name: string, behaves: Misbehaviour["behaves"]) => ({
  ...{ name, behaves, ends, retried },
});
const same =
  (value: unknown, status = 200, headers?: Record<string, string>) =>
  () =>
    json(value, status, headers);
const harmless = (name: string, behaves: Misbehaviour["behaves"]): Misbehaviour => ({
  ...{ name, behaves, ends: "answered", retried: false },
});
const exhausted = (name: string, behaves: Misbehaviour["behaves"]): Misbehaviour => ({
  ...{ name, behaves, ends: "out-of-tokens", retried: false },
});

export const misbehaviours: readonly Misbehaviour[] = [
  // statuses
  lost("bad-request", false)("400", same(error("bad"), 400)),
  lost("prompt-filtered", false)("400 by a content filter", same(error("content_filter"), 400)),
  lost("bad-request", false)("422 with another form of error", same({ detail: [{ msg: "no" }] }, 422)),
  lost("bad-request", false)("413", same({}, 413)),
  lost("server-error", true)("408", same({}, 408)),
  lost("server-error", true)("409", same({}, 409)),
  lost("server-error", true)("500", same(error("oops"), 500)),
  lost("server-error", true)("502 with a page", () =>
    body("<html>Bad gateway</html>", { "content-type": "text/html" }, 502),
  ),
  lost("server-error", true)("503 with Retry-After in seconds", same({}, 503, { "retry-after": "0" })),
  lost("server-error", true)("529, overloaded", same({}, 529)),
  lost("rate-limited", true)("429", same(error("rate_limit_exceeded"), 429)),
  lost("rate-limited", true)(
    "429 with Retry-After as a date",
    same({}, 429, { "retry-after": new Date().toUTCString() }),
  ),
  lost("rate-limited", true)(
    "429 with Retry-After as nonsense",
    same({}, 429, { "retry-after": "soon, -5" }),
  ),
  lost("rate-limited", true)("429 with retry-after-ms", same({}, 429, { "retry-after-ms": "3" })),
  { ...lost("no-credit", false)("402", same(error("x"), 402)), fatal: true },
  {
    ...lost("no-credit", false)("429 insufficient_quota", same(error("insufficient_quota"), 429)),
    fatal: true,
  },
  { ...lost("unauthorized", false)("401", same(error("invalid_api_key"), 401)), fatal: true },
  { ...lost("redirected", false)("301", same({}, 301, { location: "http://127.0.0.1:1/" })), fatal: true },
  { ...lost("redirected", false)("307", same({}, 307, { location: "/elsewhere" })), fatal: true },
  lost("not-found", true)("404, once", same(error("model_not_found"), 404)),
  // bodies
  lost("not-json", true)("a page in the place of JSON", () =>
    body("<!doctype html><title>Sign in</title>", { "content-type": "text/html" }),
  ),
  lost("not-json", true)("nothing at all", () => body("")),
  lost("not-json", true)("204", () => (_, response) => void response.writeHead(204).end()),
  lost("not-json", true)("a stream, though none was asked for", (right) =>
    body(`data: ${whole(right)}\n\ndata: [DONE]\n\n`),
  ),
  lost("not-json", true)("two documents in one body", (right) => body(whole(right) + whole("7"))),
  lost("not-json", true)("NaN in the JSON", (right) =>
    body(whole(right).replace(`"index":0`, `"index":NaN`)),
  ),
  lost("truncated", true)("half of a body that ends well", (right) => body(whole(right).slice(0, 60))),
  lost("truncated", true)(
    "a content-length that is too short",
    raw((right) => `HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n${whole(right)}`),
  ),
  lost("truncated", true)(
    "a content-length that is too long",
    raw((right) => `HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${whole(right)}`),
  ),
  lost("truncated", true)(
    "a reset in the middle of the body",
    cutAfter(0.5, (response) => response.socket?.resetAndDestroy()),
  ),
  lost("truncated", true)(
    "an end in the middle of the body",
    cutAfter(0.9, (response) => response.destroy()),
  ),
  lost("truncated", true)(
    "a chunk that does not end",
    raw((right) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n${whole(right)}`),
  ),
  lost("unreachable", true)("a connection that is closed at once", () => (_, response) => response.destroy()),
  lost("unreachable", true)(
    "what is no HTTP",
    raw(() => "SSH-2.0-OpenSSH_9.2\r\n"),
  ),
  lost("idle-timeout", true)("silence", () => silence),
  lost("idle-timeout", true)(
    "silence behind the header",
    () => (_, response) => response.writeHead(200).flushHeaders(),
  ),
  lost("total-timeout", true)("a drip without an end", () => drip),
  lost("undecodable", true)("broken UTF-8", (right) =>
    body(
      Buffer.concat([
        Buffer.from(whole(right).slice(0, -2)),
        Buffer.from(`,"x":"`),
        Buffer.from([0xc3, 0x28]),
        Buffer.from(`"}`),
      ]),
    ),
  ),
  lost("undecodable", true)("UTF-8 that is cut inside of a character", (right) =>
    body(Buffer.from(whole(`${right} \u00e9`).replace(/\u00e9.*/, "\u00e9")).subarray(0, -1)),
  ),
  lost("undecodable", true)("Latin-1, and it says so", (right) =>
    body(Buffer.from(whole(`${right} # \u00e9`), "latin1"), {
      "content-type": "application/json; charset=iso-8859-1",
    }),
  ),
  lost("undecodable", true)("UTF-16", (right) =>
    body(Buffer.from(whole(right), "utf16le"), { "content-type": "application/json; charset=utf-16" }),
  ),
  lost("undecodable", true)("half of a surrogate pair", () =>
    body(whole("HALF").replace("HALF", "1 # \\ud83d")),
  ),
  lost("undecodable", true)("a gzip that is none", (right) =>
    body(whole(right), { "content-encoding": "gzip" }),
  ),
  lost("truncated", true)("a gzip that is cut", (right) =>
    body(gzipSync(whole(right)).subarray(0, 60), { "content-encoding": "gzip" }),
  ),
  ...["gzip", "br", "deflate", "x-gzip", "gzip, br"].map((coding) =>
    lost("undecodable", true)(`${coding} that is none, behind its header`, (right) =>
      headerFirst(Buffer.from(whole(right)), coding),
    ),
  ),
  lost("undecodable", true)("a gzip that breaks in its middle", (right) => {
    const broken = gzipSync(whole(right));
    broken.fill(0x55, 20, 40);
    return headerFirst(broken, "gzip");
  }),
  lost("truncated", true)("a gzip that is cut, behind its header", (right) =>
    headerFirst(gzipSync(whole(right)).subarray(0, 60), "gzip"),
  ),
  lost("truncated", true)("a br that is cut, behind its header", (right) =>
    headerFirst(brotliCompressSync(whole(right)).subarray(0, 40), "br"),
  ),
  // replies of another form
  lost("error-reply", true)("200 with an error", same(error(502, "upstream failed"))),
  lost("error-reply", true)("200 with an error as a text", same({ error: "model is loading" })),
  lost("rate-limited", true)("200 with an error of status 429", same(error(429))),
  lost("error-reply", true)("a choice with an error", (right) =>
    json({ choices: [{ ...chatReply(right).choices[0], error: { message: "lost" } }] }),
  ),
  lost("empty-choices", true)("no choices", same({ choices: [] })),
  lost("wrong-form", true)("choices that are null", same({ choices: null })),
  lost("wrong-form", true)("choices of another form", same({ choices: ["1"] })),
  lost("wrong-form", true)("an array", same([1, 2])),
  lost("wrong-form", true)("a number as the content", same(chatReply(1))),
  lost("no-content", true)("null as the content", same(chatReply(null))),
  lost("no-content", true)(
    "no content",
    same({ choices: [{ message: { role: "assistant" }, finish_reason: "stop" }] }),
  ),
  lost("no-content", true)("an empty content without a reason", same(finished("", null))),
  lost("no-content", true)("an empty content that stopped by itself", same(finished("", "stop"))),
  lost("no-content", true)("a blank content that stopped by itself", same(finished(" \n", "stop"))),
  lost("no-content", true)("an empty list of parts", same(chatReply([]))),
  lost("no-content", true)(
    "the prompt alone",
    () =>
      (asked, ...rest) =>
        json(chatReply(promptOf(asked)))(asked, ...rest),
  ),
  lost("error-reply", true)(
    "200 with an object called error",
    same({ object: "error", message: "overloaded" }),
  ),
  lost("refusal", false)(
    "a refusal as a part",
    same(chatReply([{ type: "refusal", refusal: "I will not" }])),
  ),
  lost("refusal", false)("finish_reason refusal", same(finished("", "refusal"))),
  lost("tool-call", false)(
    "calls of tools alone",
    same(finished(null, "tool_calls", { tool_calls: [{ id: "a", type: "function" }] })),
  ),
  lost("refusal", false)("a refusal", same(chatReply(null, { refusal: "I will not" }))),
  lost("reasoning-only", false)(
    "reasoning alone, ended by itself",
    same(finished(null, "stop", { reasoning_content: "hm" })),
  ),
  lost("shortened-prompt", false)("a prompt that was cut", (right) =>
    json(chatReply(right, {}, { prompt_tokens: 3 })),
  ),
  // ends of replies: what was said up to there looks like a wrong answer
  lost("content-filter", true)("finish_reason content_filter", same(finished("7", "content_filter"))),
  lost("cut-off", true)("finish_reason error", same(finished("7", "error"))),
  lost("cut-off", true)("finish_reason abort", same(finished("", "abort"))),
  lost("content-filter", true)("finish_reason SAFETY", same(finished(null, "SAFETY"))),
  exhausted("length, as a text", same(finished("7", "length"))),
  exhausted(
    "length, with null and reasoning_content",
    same(finished(null, "length", { reasoning_content: "so 7 ..." })),
  ),
  exhausted("length, blank beside reasoning", same(finished(" \n", "length", { reasoning: "so 7 ..." }))),
  exhausted("length, with nothing", same(finished(null, "length"))),
  exhausted("length, inside of <think>", same(finished("<think>so 7 ...", "length"))),
  exhausted("MAX_TOKENS", same(finished("7", "MAX_TOKENS"))),
  ..."token_limit|maxTokens|max-output-tokens|context_length_exceeded|model_context_window_exceeded"
    .split("|")
    .map((word) => exhausted(word, same(finished("7", word)))),
  exhausted(
    "a stop at the last token there may be",
    same(chatReply("assert p == ", {}, { completion_tokens: 20 })),
  ),
  // oddities that do no harm
  harmless("length behind the closing tag", (right) =>
    json(finished(`${right}\n[/ANSWER]\n\n[PYTHON]\nx = 7`, "length")),
  ),
  harmless("content in parts", (right) => json(chatReply([{ type: "text", text: right }]))),
  harmless("reasoning in the text", (right) => json(chatReply(`<think>Is it 7?\n</think>\n\n${right}`))),
  harmless("reasoning beside the text", (right) =>
    json(finished(right, "stop", { reasoning_content: "Is it 7?" })),
  ),
  harmless("choices in another order", (right) => {
    const { message } = chatReply(right).choices[0];
    return json({
      choices: [
        { index: 1, message: { ...message, content: "7" } },
        { index: 0, message, finish_reason: "stop" },
      ],
    });
  }),
  harmless("a byte order mark", (right) =>
    body(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(whole(right))])),
  ),
  harmless("another charset for bytes that are all ASCII", (right) =>
    body(whole(right), { "content-type": "text/plain; charset=iso-8859-1" }),
  ),
  harmless("a finish_reason that nobody knows", (right) => json(finished(right, "eos_token_hit"))),
  harmless("no finish_reason", (right) => json(finished(right, null))),
  harmless("usage of another form", (right) =>
    json({ ...chatReply(right), usage: { prompt_tokens: "many" } }),
  ),
  harmless("a true gzip", (right) => body(gzipSync(whole(right)), { "content-encoding": "gzip" })),
  harmless("a true br", (right) => headerFirst(brotliCompressSync(whole(right)), "br")),
  harmless("a true deflate", (right) => headerFirst(deflateSync(whole(right)), "deflate")),
  harmless("a true gzip, byte for byte", (right) => (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "GZIP" });
    const bytes = gzipSync(whole(right));
    for (let i = 0; i < bytes.length; i += 40) setTimeout(() => response.write(bytes.subarray(i, i + 40)), i);
    setTimeout(() => response.end(), bytes.length + 40);
  }),
  harmless(
    "the prompt, and the answer behind it",
    (right) =>
      (asked, ...rest) =>
        json(chatReply(promptOf(asked) + right))(asked, ...rest),
  ),
  harmless("NaN among log-probabilities", (right) =>
    body(
      whole(right).replace(
        `"finish_reason"`,
        `"logprobs":{"content":[{"token":"NaN","logprob":NaN,"top_logprobs":[{"logprob":-Infinity}]}]},"finish_reason"`,
      ),
    ),
  ),
  harmless("keep-alive that is not kept", (right) => (_, response) => {
    response.writeHead(200, { connection: "keep-alive", "content-type": "application/json" });
    response.end(whole(right), () => setTimeout(() => response.socket?.destroy(), 5));
  }),
  harmless(
    "a second response behind the first",
    raw((right) => {
      const response = (text: string) =>
        `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
      return response(whole(right)) + response(whole("7"));
    }),
  ),
];

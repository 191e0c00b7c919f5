/**
 * @file The HTTP server: a trained model with the OpenAI-compatible protocol.
 *
 *     GET  /health             {"status": "ok"}
 *     GET  /v1/models          the served model
 *     GET  /v1/models/NAME
 *     POST /v1/completions     prompt in, text out, whole or as a stream
 *     POST /v1/chat/completions   messages in, joined by a template
 *     POST /v1/responses, /v1/messages   the same in the later protocol of OpenAI, and in Anthropic's
 *     POST /v1/judge           a benchmark, a question and a reply in, the verdict out
 *     POST /tokenize, /detokenize; GET /tokenizer_info
 *
 * A disconnected client frees its slots at once. Requests beyond the queue get 429.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { suggest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { rngFrom } from "../core/rng.ts";
import { ApiError } from "./api-error.ts";
import { checkCaller, isLoopback } from "./auth.ts";
import { jsonBody } from "./body.ts";
import { type ChatTemplate, parseCompletion, plainTemplate } from "./chat.ts";
import { answerCompletion, type Served } from "./completions.ts";
import { type ConnectionLimits, gone, type Turn, watchConnections } from "./connections.ts";
import { chatOfMessages, messagesError, messagesForm } from "./messages.ts";
import { chatForm, type Form, freshId, requestId, serverSentEvent, textForm } from "./openai-format.ts";
import { mostKept } from "./request.ts";
import { chatOfResponses, responsesForm } from "./responses.ts";
import { detokenized, tokenized, tokenizerInfo } from "./tokens.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Required unless the host is this machine. */
  readonly key: string | undefined;
  /** Maximum number of requests waiting for a slot. */
  readonly queue: number;
  /** Base seed for requests without one, combined with their number. */
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly mostBytes?: number;
  readonly connections?: ConnectionLimits;
  /** The chat template; by default contents are concatenated. */
  readonly template?: ChatTemplate;
  /** Called once for each ignored field. */
  readonly onIgnored?: (name: string) => void;
  readonly onEnd?: (ended: Ended) => void;
  /** Answers /v1/judge. @throws ApiError */
  readonly judge?: (json: unknown) => Promise<object>;
  /** Called with internal errors. */
  readonly onFault: (error: unknown) => void;
}

/** A finished request. */
export interface Ended {
  readonly method: string;
  readonly path: string;
  /** null: the client disconnected first. */
  readonly status: number | null;
  readonly milliseconds: number;
}

/** Totals since the start of the server. */
export interface Totals {
  requests: number;
  /** Those answered with an error. */
  errors: number;
  /** Those whose client disconnected. */
  left: number;
  tokens: number;
}

interface RunningServer {
  /** http://127.0.0.1:8000 */
  readonly url: string;
  readonly totals: Readonly<Totals>;
  /** Stops accepting, waits this long for active requests, then aborts them. */
  close(graceMilliseconds: number): Promise<void>;
}

const messagesPath = "/v1/messages";
const responsesPath = "/v1/responses";
const headerMilliseconds = 10_000;
const requestMilliseconds = 60_000;
const flushMilliseconds = 1000;

type Handler = (request: IncomingMessage, response: ServerResponse, signal: AbortSignal) => Promise<void>;

export async function startServer(served: Served, options: ServerOptions): Promise<RunningServer> {
  const { host, port, key, queue, seed, now, mostBytes = 4 * 2 ** 20, onEnd, onFault } = options;
  if (!isLoopback(host) && key === undefined)
    fail("serve", "a key for a host that others can reach", host, "Name its variable: --api-key-env NAME");
  const totals: Totals = { requests: 0, errors: 0, left: 0, tokens: 0 };
  const underWay = new Set<AbortController>();
  const draws = rngFrom(seed).fork("serve");
  const model = { id: served.name, object: "model", created: served.created, owned_by: "statelab" };
  const described = { ...model, max_model_len: served.context };
  const template = options.template ?? plainTemplate;
  const ignored = new Set<string>();
  const room = { left: 2 * mostKept };
  const onIgnored = (names: readonly string[]) => {
    for (const name of names) {
      // clients choose the names: remember only so many
      if (ignored.has(name) || ignored.size >= 100) continue;
      ignored.add(name);
      options.onIgnored?.(name);
    }
  };
  const answering =
    (form: Form, completion: (json: unknown) => unknown): Handler =>
    async (request, response, signal) => {
      const number = totals.requests;
      checkQueue(); // reject before reading a body that would only wait
      const json = completion(await jsonBody(request, mostBytes, signal));
      checkQueue();
      const id = freshId();
      const own = { rng: draws.fork(number), now: Math.floor(now() / 1000) };
      const asked = { form, id, onIgnored, ...own, signal, room };
      const { read, made } = await answerCompletion(json, served, asked, response);
      totals.tokens += read + made;
    };
  const told =
    (answer: (json: unknown) => object | Promise<object>): Handler =>
    async (request, response, signal) =>
      reply(response, 200, await answer(await jsonBody(request, mostBytes, signal)));

  const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
    "/health": { GET: async (_, response) => reply(response, 200, { status: "ok" }) },
    "/v1/models": {
      GET: async (_, response) => reply(response, 200, { object: "list", data: [described] }),
    },
    [`/v1/models/${encodeURIComponent(served.name)}`]: {
      GET: async (_, response) => reply(response, 200, described),
    },
    "/v1/completions": { POST: answering(textForm, (json) => json) },
    "/v1/chat/completions": { POST: answering(chatForm, (json) => parseCompletion(json, template)) },
    [responsesPath]: {
      POST: answering(responsesForm, (json) => parseCompletion(chatOfResponses(json), template)),
    },
    [messagesPath]: {
      POST: answering(messagesForm, (json) => parseCompletion(chatOfMessages(json), template)),
    },
    "/tokenizer_info": { GET: async (_, response) => reply(response, 200, tokenizerInfo(served, template)) },
    "/tokenize": { POST: told((json) => tokenized(json, served, template)) },
    ...(options.judge !== undefined && { "/v1/judge": { POST: told(options.judge) } }),
    "/detokenize": { POST: told((json) => detokenized(json, served)) },
  };

  function checkQueue(): void {
    if (served.engine.waiting < queue || served.engine.isFree()) return;
    throw new ApiError(429, `queue: expected at most ${queue} waiting requests, got one more`, {
      code: "queue_full",
      headers: { "retry-after": "1" },
    });
  }

  function handlerOf({ method = "", url = "" }: IncomingMessage): Handler {
    const path = url.split("?")[0];
    const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const other = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
    if (methods === undefined && other !== undefined && (method === "GET" || method === "HEAD"))
      throw new ApiError(
        404,
        `model: expected "${served.name}", got ${JSON.stringify(other.slice(0, 100))}`,
        {
          ...{ param: "model", code: "model_not_found" },
        },
      );
    if (methods === undefined)
      throw new ApiError(404, `path: got ${path.slice(0, 100)}. ${suggest(path, Object.keys(routes))}`, {
        code: "unknown_path",
      });
    const allow = Object.keys(methods).join(", ");
    // Node sends the header of a HEAD response without its body
    if (method === "HEAD" && methods.GET !== undefined) return methods.GET;
    if (!Object.hasOwn(methods, method))
      throw new ApiError(405, `method: expected ${allow} for ${path}, got ${method}`, {
        code: "method_not_allowed",
        headers: { allow },
      });
    return methods[method];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    const began = now();
    underWay.add(controller);
    totals.requests++;
    response.setHeader("x-request-id", requestId(request.headers["x-request-id"]));
    response.on("error", () => {}); // the client disconnected during a write
    let turn: Turn | undefined;
    try {
      turn = await connections.turn(request.socket, controller);
      checkCaller(request.headers, { host, key });
      await handlerOf(request)(request, response, controller.signal);
    } catch (error) {
      if (error === gone || (request.destroyed && !request.complete)) totals.left++;
      else {
        totals.errors++;
        if (!(error instanceof ApiError)) onFault(error);
        refuse(response, request.url ?? "", error instanceof ApiError ? error : fault);
      }
    } finally {
      turn?.end();
      underWay.delete(controller);
      const { method = "", url: path = "" } = request;
      const status = response.headersSent ? response.statusCode : null;
      onEnd?.({ method, path: path.slice(0, 100), status, milliseconds: now() - began });
    }
  }

  const server = createServer(
    {
      headersTimeout: headerMilliseconds,
      requestTimeout: requestMilliseconds,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => void handle(request, response),
  );
  const connections = watchConnections(server, options.connections);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
    const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
    const large = error.code === "HPE_HEADER_OVERFLOW";
    socket.end(
      `HTTP/1.1 ${late ? "408 Request Timeout" : large ? "431 Request Header Fields Too Large" : "400 Bad Request"}\r\nconnection: close\r\n\r\n`,
    );
  });
  await listening(server, host, port);
  const address = server.address() as AddressInfo; // listening on a port
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    totals,
    async close(graceMilliseconds) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const deadline = performance.now() + graceMilliseconds;
      while (underWay.size > 0 && performance.now() < deadline) await pause(10);
      const ending = new ApiError(503, "the server is being stopped", { code: "stopping" });
      for (const controller of underWay) controller.abort(ending);
      while (underWay.size > 0) await pause(10);
      connections.destroy("soon");
      // A client that does not read would keep the unsent data, and the server, forever.
      const last = setTimeout(() => connections.destroy("now"), flushMilliseconds);
      await closed;
      clearTimeout(last);
    },
  };
}

function listening(server: ReturnType<typeof createServer>, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const hint =
        error.code === "EADDRINUSE"
          ? "Another program listens there; use --port 0 for a free port"
          : undefined;
      try {
        fail("serve", `to listen on ${host}, port ${port}`, error.code ?? error.message, hint);
      } catch (mistake) {
        reject(mistake);
      }
    });
    server.listen(port, host, resolve);
  });
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, url: string, error: ApiError): void {
  const path = url.split("?")[0];
  const typed = path === messagesPath || path === responsesPath;
  const body = typed ? messagesError(error) : error.body();
  if (!response.headersSent) reply(response, error.status, body, error.headers);
  // A started stream cannot change its status: it sends the error and ends without [DONE].
  else response.end((typed ? "event: error\n" : "") + serverSentEvent(body));
}

/** An internal error: its message may include paths and is not sent. */
const fault = new ApiError(500, "the server failed; its own log says more");

/**
 * @file The MCP server on standard input and output, and as streamable HTTP on this machine.
 *
 *     POST /mcp      a message; a call is answered by server-sent events (progress, then its response), a notification by 202
 *     DELETE /mcp    ends the session that Mcp-Session-Id names
 *
 * Source: modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LabError } from "../../core/error.ts";
import { ApiError } from "../../serve/api-error.ts";
import { checkCaller } from "../../serve/auth.ts";
import { jsonBody } from "../../serve/body.ts";
import { connectionLimits, gone, watchConnections } from "../../serve/connections.ts";
import { debuggerTools } from "./debugger-tools.ts";
import type { McpOptions } from "./programs.ts";
import { Connection, codes, errorMessage, protocolVersions, type Tools } from "./protocol.ts";
import { Recordings } from "./recordings.ts";
import { runTools } from "./run-tools.ts";

const LONGEST_MESSAGE = 8 * 2 ** 20;
const HOST = "127.0.0.1";
/** The version of a client that names none. */
const UNNAMED = "2025-03-26";
/** With one more the one that was used least recently ends. */
const MOST_SESSIONS = 100;

export function mcpTools(options: McpOptions): Tools {
  return { ...debuggerTools(options, new Recordings(options.sessions)), ...runTools(options) };
}

type OnFault = (error: unknown) => void;

/** Serves one client until its input ends and its calls are answered, or until `signal` aborts. */
export async function serveMcpStdio(
  options: McpOptions,
  streams: {
    readonly input: AsyncIterable<string>;
    readonly write: (line: string) => void;
    readonly onFault: OnFault;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { input, write, onFault, signal } = streams;
  const connection = new Connection(mcpTools(options), onFault);
  const send = (message: object) => write(`${JSON.stringify(message)}\n`);
  const open = new Set<Promise<void>>();
  const stop = () => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of linesOf(input)) {
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        send(errorMessage(null, codes.parse, "expected one JSON message per line"));
        continue;
      }
      const handled = connection.handle(message, send).finally(() => open.delete(handled));
      open.add(handled);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await Promise.all(open);
  signal.removeEventListener("abort", stop);
}

/** Lines that are not empty. A line that is too long is cut, and so is no JSON. */
async function* linesOf(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of input) {
    const [first, ...others] = chunk.split("\n");
    if (rest.length <= LONGEST_MESSAGE) rest += first;
    for (const next of others) {
      if (rest.trim() !== "") yield rest.slice(0, LONGEST_MESSAGE);
      rest = next;
    }
  }
  if (rest.trim() !== "") yield rest;
}

export interface McpServer {
  /** http://127.0.0.1:8719/mcp */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves HTTP on 127.0.0.1 until `close`. @throws LabError where the port is taken */
export async function startMcp(
  options: McpOptions & { readonly port: number; readonly onFault: OnFault },
): Promise<McpServer> {
  const tools = mcpTools(options);
  const sessions = new Map<string, Connection>();

  function begin(): [string, Connection] {
    const [[oldest, ended] = []] = sessions.size >= MOST_SESSIONS ? sessions : [];
    if (oldest !== undefined) sessions.delete(oldest);
    ended?.close();
    const [id, connection] = [randomUUID(), new Connection(tools, options.onFault)];
    sessions.set(id, connection);
    return [id, connection];
  }

  function sessionIn({ headers }: IncomingMessage): [string, Connection] {
    const id = headers["mcp-session-id"];
    if (typeof id !== "string")
      throw new ApiError(400, "Mcp-Session-Id: expected a session, got none. Send initialize");
    const found = sessions.get(id);
    if (found === undefined) throw new ApiError(404, "Mcp-Session-Id: no such session. Send initialize");
    sessions.delete(id);
    sessions.set(id, found);
    return [id, found];
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { method, headers } = request;
    checkCaller(headers, { host: HOST, key: undefined });
    if (request.url !== "/mcp") throw new ApiError(404, "path: expected /mcp");
    const version = headers["mcp-protocol-version"];
    if (version !== undefined && ![...protocolVersions, UNNAMED].includes(String(version)))
      throw new ApiError(400, `MCP-Protocol-Version: expected ${protocolVersions.join(" or ")}`);
    if (method === "DELETE") {
      const [id, ended] = sessionIn(request);
      sessions.delete(id);
      ended.close();
      response.end();
      return;
    }
    if (method !== "POST")
      throw new ApiError(405, "method: expected POST or DELETE", { headers: { allow: "POST, DELETE" } });
    if (!/^application\/json\b/i.test(headers["content-type"] ?? ""))
      throw new ApiError(415, "content-type: expected application/json");
    const body = Object(await jsonBody(request, LONGEST_MESSAGE, signal)) as Record<string, unknown>;
    const [id, connection] = body.method === "initialize" ? begin() : sessionIn(request);
    const isCall = body.method === "tools/call";
    response.setHeader("mcp-session-id", id);
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-type", isCall ? "text/event-stream" : "application/json");
    if (isCall) response.flushHeaders();
    let isAnswered = isCall;
    await connection.handle(body, (message) => {
      isAnswered = true;
      response.write(
        isCall ? `event: message\ndata: ${JSON.stringify(message)}\n\n` : JSON.stringify(message),
      );
    });
    if (!isAnswered) response.writeHead(202);
    response.end();
  }

  const server = createServer(async (request, response) => {
    const controller = new AbortController();
    try {
      const turn = await connections.turn(request.socket, controller);
      response.once("close", () => turn.end());
      await answer(request, response, controller.signal);
    } catch (error) {
      if (error === gone || controller.signal.aborted) return;
      if (!(error instanceof ApiError)) options.onFault(error);
      const [status, sentence, more] =
        error instanceof ApiError
          ? [error.status, error.message, error.headers]
          : [500, "a fault of the server", {}];
      if (response.headersSent) response.destroy();
      else {
        response.writeHead(status, { ...more, "content-type": "application/json" });
        const isJson = !(error instanceof ApiError && error.code === "invalid_json");
        response.end(JSON.stringify(errorMessage(null, isJson ? codes.request : codes.parse, sentence)));
      }
    }
  });
  const connections = watchConnections(server, { ...connectionLimits, most: 2 * MOST_SESSIONS });
  await new Promise<void>((ready, refuse) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE" ? "it is taken" : error.message;
      refuse(new LabError(`--port ${options.port}: ${taken}. Choose another, or 0 for a free one`));
    });
    server.listen(options.port, HOST, ready);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      for (const connection of sessions.values()) connection.close();
      connections.destroy("now");
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** @file A real HTTP server for tests with scripted behavior: correct, or one of the ways in which servers misbehave. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** Answers one request; `count` is how many came before. */
export type Behaviour = (
  asked: Asked,
  response: ServerResponse,
  count: number,
  request: IncomingMessage,
) => void;

export interface Server {
  /** http://127.0.0.1:PORT/v1 */
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

export async function serverThat(behaves: Behaviour): Promise<Server> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { url: path = "", headers } = request;
      const one = { path, authorization: headers.authorization, body: text === "" ? {} : JSON.parse(text) };
      asked.push(one);
      behaves(one, response, asked.length - 1, request);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

export const chatReply = (content: unknown, more: object = {}, usage?: object) => ({
  id: "x",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason: "stop" }],
  ...(usage !== undefined && { usage }),
});

/** What the prompt of a request says, in either protocol. */
export function promptOf({ body }: Asked): string {
  const { prompt, messages } = body as { prompt?: string; messages?: { content: string }[] };
  return prompt ?? messages?.at(-1)?.content ?? "";
}

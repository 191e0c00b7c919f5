/**
 * @file fetch by Node's own HTTP client: its time to connect is bounded, its time to reply is not, and a body that cannot be
 * decompressed ends with an error.
 *
 * Node's fetch gives up on a server that is silent for five minutes; a slow model takes longer. Where the body of a reply is not
 * what its Content-Encoding says, Node's fetch may never end, not even by its signal (undici#2603).
 */

import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { pipeline, Readable, type Transform } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface Connection {
  /** Takes a URL, and of its options method, headers, a text as body, and signal; redirects are not followed. */
  readonly fetch: typeof fetch;
  /** Closes the connections that are kept open. */
  close(): Promise<void>;
}

export function connectionWith(connectSeconds: number): Connection {
  const agents = {
    "http:": new Agent({ keepAlive: true }),
    "https:": new SecureAgent({ keepAlive: true }),
  };
  const fetched = async (url: URL, init: RequestInit): Promise<Response> => {
    for (;;) {
      const sent = send(url, init, agents, connectSeconds);
      try {
        return responseOf(await sent.answer);
      } catch (cause) {
        // The server closed a connection while it was idle: this request never reached it.
        const stale = sent.request.reusedSocket && (cause as NodeJS.ErrnoException).code === "ECONNRESET";
        if (!stale || init.signal?.aborted) throw new TypeError("fetch failed", { cause });
      }
    }
  };
  return {
    fetch: (input, init = {}) => fetched(new URL(String(input)), init),
    async close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function send(
  url: URL,
  { method = "GET", headers, body, signal }: RequestInit,
  agents: { readonly "http:": Agent; readonly "https:": SecureAgent },
  connectSeconds: number,
): { readonly request: ClientRequest; readonly answer: Promise<IncomingMessage> } {
  const options = {
    method,
    headers: { ...(headers as Record<string, string>), "accept-encoding": "gzip, br" }, // as post gives them
    ...(signal != null && { signal }),
  };
  const isSecure = url.protocol === "https:";
  const sent = isSecure
    ? secureRequest(url, { ...options, agent: agents["https:"] })
    : request(url, { ...options, agent: agents["http:"] });
  sent.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      const words = `no connection in ${connectSeconds} s`;
      sent.destroy(Object.assign(new Error(words), { code: "ETIMEDOUT" }));
    }, connectSeconds * 1000);
    const stop = () => clearTimeout(timer);
    socket.once(isSecure ? "secureConnect" : "connect", stop).once("close", stop);
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve);
    sent.on("error", reject); // after the response, its stream emits the error as well
  });
  sent.end(body);
  return { request: sent, answer };
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
  if ([204, 205, 304].includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(decompressed(answer)) as ReadableStream<Uint8Array>; // of bytes, as HTTP has them
  return new Response(body as globalThis.ReadableStream, { status, headers });
}

/** A coding that is not known is left as it is: then the body is no JSON. */
function decompressed(answer: IncomingMessage): Readable {
  const codings = (answer.headers["content-encoding"] ?? "").toLowerCase().split(",").reverse();
  return codings.reduce<Readable>((body, coding) => {
    const decoder = decoders[coding.trim()];
    return decoder === undefined ? body : pipeline(body, decoder(), () => {}); // an error of one is an error of the next
  }, answer);
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** @file The body of a request as JSON, of bounded size. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { ApiError } from "./api-error.ts";
import { jsonSize } from "./json-limits.ts";

/** No request of the protocol nests deeper than a list of lists in an object. */
const deepest = 16;
/** Lists of prompts and their like; of numbers in them there may be many more. */
const mostContainers = 10_000;

/** @throws ApiError 413 for a body that is too large, 400 for one that is no JSON in UTF-8. */
export async function jsonBody(
  request: IncomingMessage,
  mostBytes: number,
  signal: AbortSignal,
): Promise<unknown> {
  addAbortSignal(signal, request); // a server that stops waits for no body
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // What is too much is read and forgotten: a client that still writes would not see the answer.
    if (bytes <= mostBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > mostBytes)
    throw new ApiError(413, `body: expected at most ${mostBytes} bytes, got more`, {
      code: "request_too_large",
    });
  const body = Buffer.concat(chunks);
  if (!isUtf8(body))
    throw new ApiError(400, "body: expected JSON in UTF-8, got bytes that are no UTF-8", {
      code: "invalid_json",
    });
  const { depth, containers } = jsonSize(body);
  const [size, most, what] =
    depth > deepest ? [depth, deepest, "levels"] : [containers, mostContainers, "lists and objects"];
  if (size > most)
    throw new ApiError(400, `body: expected at most ${most} ${what} of JSON, got ${size}`, {
      code: "request_too_large",
    });
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    const got = text === "" ? "an empty body" : JSON.stringify(text.slice(0, 40));
    // JSON.parse throws SyntaxErrors alone
    throw new ApiError(400, `body: expected JSON, got ${got}. ${(error as Error).message}`, {
      code: "invalid_json",
    });
  }
}

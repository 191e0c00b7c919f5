/** @file The body of a request as JSON, of bounded size. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { ApiError } from "./api-error.ts";

/** No valid request nests deeper than a list of lists in an object. */
const deepest = 16;
/** Limits for lists of prompts and similar; lists of numbers may be much longer. */
const mostContainers = 10_000;

/** @throws ApiError 413 for a body that is too large, 400 for invalid JSON or UTF-8. */
export async function jsonBody(
  request: IncomingMessage,
  mostBytes: number,
  signal: AbortSignal,
): Promise<unknown> {
  addAbortSignal(signal, request); // a stopping server waits for no body
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Read and discard the excess: a client that is still writing would not see the response.
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
    // JSON.parse throws only SyntaxErrors
    throw new ApiError(400, `body: expected JSON, got ${got}. ${(error as Error).message}`, {
      code: "invalid_json",
    });
  }
}

/*
 * The size of a JSON text, measured before parsing: depth, number of values, number of lists and objects.
 *
 *     jsonSize('{"a": [1, 2]}')     { depth: 2, containers: 2, values: 4 }    every comma and every container counts as a value
 *
 * Two bytes can become an object of a hundred, so a limit on bytes alone bounds neither memory nor time.
 */

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Takes UTF-8, in which these bytes occur in no other character. The result for invalid JSON is meaningless. */
export function jsonSize(bytes: Uint8Array) {
  let [depth, deepest, containers, commas] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === COMMA) commas++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      containers++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  // The number of values is an upper bound.
  return { depth: deepest, containers, values: containers + commas + 1 };
}

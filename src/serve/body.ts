/** @file The body of a request as JSON, of bounded size. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { ApiError } from "./api-error.ts";

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

/*
 * How large a JSON text is before it is parsed: how deep, how many values, how many of them lists and objects.
 *
 *     jsonSize('{"a": [1, 2]}')     { depth: 2, containers: 2, values: 4 }    every comma and every container counts for a value
 *
 * Two bytes can be an object of a hundred, so that a bound on bytes alone bounds neither memory nor time.
 */

export interface JsonSize {
  readonly depth: number;
  readonly containers: number;
  /** Never fewer than there are. */
  readonly values: number;
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Of UTF-8, in which no byte of another character looks like one of these. Of what is no JSON it says something, too. */
export function jsonSize(bytes: Uint8Array): JsonSize {
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
  return { depth: deepest, containers, values: containers + commas + 1 };
}

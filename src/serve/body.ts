/** @file The body of a request as JSON, of bounded size. */

import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";

/** @throws ApiError 413 for a body that is too large, 400 for one that is no JSON. */
export async function jsonBody(request: IncomingMessage, mostBytes: number): Promise<unknown> {
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
  const text = Buffer.concat(chunks).toString("utf8");
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

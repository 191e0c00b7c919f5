/**
 * @file A server as an endpoint: one POST a question, its time and size bounded, each way to fail told from the others.
 *
 * The key goes into one header and nowhere else: it is taken out of whatever the server sends back, so that no reply,
 * log or error can hold it.
 */

import { fail } from "../records/error.ts";
import { type Ask, type Endpoint, type Outcome, type Trouble, trouble } from "./endpoint.ts";
import { retryAfterSeconds } from "./patience.ts";
import type { Protocol } from "./protocols.ts";

export interface HttpOptions {
  /** Up to the protocol's path: http://localhost:8000/v1. */
  readonly baseUrl: URL;
  readonly protocol: Protocol;
  readonly model: string;
  /** undefined: none is sent. */
  readonly key: string | undefined;
  /** From the question to the first byte, and between two bytes. */
  readonly idleSeconds: number;
  readonly totalSeconds: number;
  /** Compare the prompt with the number of tokens that the server says it read. */
  readonly checkPrompt: boolean;
  readonly fetch?: typeof fetch;
}

/** A reply of a hundred thousand tokens with its log-probabilities is smaller. */
const largestBody = 16 * 2 ** 20;
/** Of what a server says in an error, for people. */
const quoted = 200;

/** @throws LabError. It never repeats the text, which may hold a key. */
export function parseBaseUrl(text: string): URL {
  const hint = "Write it as http://localhost:8000/v1; a key goes into the environment";
  const url = URL.canParse(text) ? new URL(text) : fail("--base-url", "a URL", "other text", hint);
  if (!/^https?:$/.test(url.protocol)) fail("--base-url", "http or https", url.protocol, hint);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    fail("--base-url", "a URL without user, password, query and fragment", "one with", hint);
  return new URL(url.href.replace(/\/*$/, "/"));
}

export function httpEndpoint(options: HttpOptions): Endpoint {
  const { baseUrl, protocol, model, key, checkPrompt } = options;
  const url = new URL(protocol.path, baseUrl);
  const clean = (text: string) => (key === undefined ? text : text.replaceAll(key, "[key]"));
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  return async (ask, signal) => {
    const outcome = await post(
      url,
      { headers, body: JSON.stringify(protocol.body(ask, model)) },
      options,
      signal,
      clean,
    );
    if (outcome.kind === "trouble") return { ...outcome, words: clean(outcome.words) };
    const read = parseBody(outcome.text, protocol);
    if (read.kind === "trouble") return { ...read, words: clean(read.words) };
    return (checkPrompt ? shortened(ask, read.promptTokens) : undefined) ?? read;
  };
}

function parseBody(text: string, protocol: Protocol): Outcome {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    const start = text.trimStart();
    return /^[{[]/.test(start)
      ? trouble("truncated", `JSON that ends after ${text.length} characters`)
      : trouble("not-json", `a body that begins with ${JSON.stringify(start.slice(0, 40))}`);
  }
  return protocol.read(json);
}

/**
 * No tokenizer in use puts two words into one token, so a prompt has more tokens than runs of letters; a server that
 * counted fewer has cut it. A count that is missing or zero says nothing.
 */
function shortened({ prompt }: Ask, promptTokens: number | null): Trouble | undefined {
  if (promptTokens === null || promptTokens === 0) return undefined;
  const words = prompt.match(/\p{L}+/gu)?.length ?? 0;
  if (promptTokens >= words) return undefined;
  return trouble(
    "shortened-prompt",
    `the server counted ${promptTokens} tokens in a prompt of ${words} words`,
  );
}

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function post(
  url: URL,
  request: Request,
  { idleSeconds, totalSeconds, fetch: fetching = fetch }: HttpOptions,
  outer: AbortSignal,
  clean: (text: string) => string,
): Promise<{ readonly kind: "body"; readonly text: string } | Trouble> {
  outer.throwIfAborted();
  const controller = new AbortController();
  let late: Trouble | undefined;
  const giveUp = (kind: "idle-timeout" | "total-timeout", seconds: number) => () => {
    late ??= trouble(kind, `nothing more after ${seconds} s`);
    controller.abort();
  };
  const total = setTimeout(giveUp("total-timeout", totalSeconds), totalSeconds * 1000);
  let idle = setTimeout(giveUp("idle-timeout", idleSeconds), idleSeconds * 1000);
  const heard = () => {
    clearTimeout(idle);
    idle = setTimeout(giveUp("idle-timeout", idleSeconds), idleSeconds * 1000);
  };
  const stop = () => controller.abort();
  outer.addEventListener("abort", stop, { once: true });
  let response: Response | undefined;
  try {
    response = await fetching(url, {
      method: "POST",
      ...request,
      redirect: "manual",
      signal: controller.signal,
    });
    heard();
    const text = clean(await bodyOf(response, heard));
    if (response.status >= 200 && response.status < 300) return { kind: "body", text };
    return refused(response, text);
  } catch (error) {
    if (outer.aborted) throw outer.reason;
    if (error instanceof TooLarge) return trouble("too-large", `more than ${largestBody} bytes`);
    return late ?? broken(error, response !== undefined);
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
    outer.removeEventListener("abort", stop);
    controller.abort(); // whatever is left of the body is not wanted
  }
}

class TooLarge extends Error {}

async function bodyOf(response: Response, heard: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  if (response.body === null) return "";
  for await (const chunk of response.body) {
    heard();
    bytes += chunk.byteLength;
    if (bytes > largestBody) throw new TooLarge();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function refused({ status, headers }: Response, text: string): Trouble {
  const said = text.trim() === "" ? "" : `: ${text.trim().replaceAll(/\s+/g, " ").slice(0, quoted)}`;
  const words = `status ${status}${said}`;
  const after = retryAfterSeconds(headers.get("retry-after"), Date.now());
  if (status === 401 || status === 403) return trouble("unauthorized", words);
  if (status === 404 || status === 410) return trouble("not-found", words);
  if (status === 429) return trouble("rate-limited", words, after);
  if (status >= 500 || status === 408 || status === 409 || status === 425)
    return trouble("server-error", words, after);
  return trouble(status >= 400 ? "bad-request" : "redirected", words);
}

/** fetch says what went wrong in the cause of its error. */
function broken(error: unknown, answering: boolean): Trouble {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }; // an Error
  const code = cause?.code ?? "";
  const words = [code, cause?.message ?? message].filter((part) => part).join(": ");
  if (code === "UND_ERR_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && !answering))
    return trouble("connect-timeout", words);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return trouble("idle-timeout", words);
  return trouble(answering ? "truncated" : "unreachable", words);
}

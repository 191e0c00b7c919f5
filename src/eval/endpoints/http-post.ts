/** @file One POST, its time and size bounded: what came back as text, or how it went wrong. */

import { type Trouble, trouble } from "./endpoint.ts";
import type { Arrival } from "./event-stream.ts";

export interface Bounds {
  /** Limit from the request to the first byte, and between two bytes. */
  readonly idleSeconds: number;
  readonly totalSeconds: number;
}

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** When how much of the body had come, and the last of it, from the question on. */
  readonly arrivals: readonly Arrival[];
  readonly seconds: number;
}

/** A reply of a hundred thousand tokens with its log-probabilities is smaller. */
const largestBody = 16 * 2 ** 20;

/** Rejects only when `outer` aborts, with its reason. */
export async function post(
  url: URL,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { idleSeconds, totalSeconds }: Bounds,
  outer: AbortSignal,
  fetching: typeof fetch,
): Promise<Answer | Trouble> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  let late: { readonly kind: "idle-timeout" | "total-timeout"; readonly words: string } | undefined;
  const giveUp = (kind: "idle-timeout" | "total-timeout", seconds: number) => () => {
    late ??= { kind, words: `nothing more after ${seconds} s` };
    controller.abort();
  };
  const total = setTimeout(giveUp("total-timeout", totalSeconds), totalSeconds * 1000);
  let idle = setTimeout(giveUp("idle-timeout", idleSeconds), idleSeconds * 1000);
  const heard = () => {
    clearTimeout(idle);
    if (!signal.aborted) idle = setTimeout(giveUp("idle-timeout", idleSeconds), idleSeconds * 1000);
  };
  const stop = () => controller.abort();
  outer.addEventListener("abort", stop, { once: true });
  let response: Response | undefined;
  const asked = performance.now();
  const arrivals: Arrival[] = [];
  const since = () => (performance.now() - asked) / 1000;
  const exchange = async (): Promise<Answer | Trouble> => {
    response = await fetching(url, { method: "POST", ...request, redirect: "manual", signal });
    heard();
    const { status, headers } = response;
    const bytes = await bytesOf(response, (length) => {
      heard();
      arrivals.push({ bytes: length, seconds: since() });
    });
    const text = decoded(bytes, headers.get("content-type") ?? "");
    const answer = { kind: "answer", status, headers, arrivals, seconds: since() } as const;
    if (typeof text === "string") return { ...answer, text };
    // Error messages are only displayed, so broken characters are harmless.
    if (status < 200 || status > 299) return { ...answer, text: text.roughly };
    return trouble("undecodable", text.words);
  };
  // A fetch may not end by its signal: Node's waits for ever for a body that is not what its Content-Encoding says.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {}); // it is also aborted at the end, when nothing waits for it
  try {
    return await Promise.race([exchange(), aborted]);
  } catch (error) {
    if (outer.aborted) throw outer.reason;
    if (error instanceof TooLarge) return trouble("too-large", `more than ${largestBody} bytes`);
    if (late === undefined) return broken(error, response !== undefined);
    const coding = response?.headers.get("content-encoding") ?? "identity";
    return arrivals.length === 0 && !/^identity$/i.test(coding)
      ? trouble("undecodable", `nothing could be read of a body with Content-Encoding ${coding.slice(0, 40)}`)
      : trouble(late.kind, late.words);
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
    outer.removeEventListener("abort", stop);
    controller.abort(); // the rest of the body is not needed
  }
}

class TooLarge extends Error {}

async function bytesOf(response: Response, heard: (length: number) => void): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    heard(length);
    if (length > largestBody) throw new TooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** JSON is UTF-8. Another declared charset is accepted if every byte is ASCII. */
function decoded(bytes: Uint8Array, contentType: string): string | { words: string; roughly: string } {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  const roughly = new TextDecoder().decode(bytes);
  const ascii = bytes.every((byte) => byte < 128 && byte !== 0);
  if (!ascii && !/^utf-?8$/i.test(charset))
    return { words: `charset ${charset.slice(0, 40)}, not UTF-8`, roughly };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { words: "a body that is no UTF-8", roughly };
  }
}

/** fetch says what went wrong in the cause of its error, the stream of a body in the error itself. */
function broken(error: unknown, answering: boolean): Trouble {
  const { code = "", message } = (error as { cause?: Failure }).cause ?? (error as Failure); // an Error
  const words = [code, message].filter((part) => part).join(": ");
  if (code === "UND_ERR_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && !answering))
    return trouble("connect-timeout", words);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return trouble("idle-timeout", words);
  if (
    /^(?:Z_DATA_ERROR|Z_NEED_DICT|ERR_BROTLI|ERR__?ERROR_FORMAT|ZSTD)/.test(code) ||
    /incorrect header check|unknown compression/i.test(words)
  )
    return trouble("undecodable", words);
  return trouble(answering ? "truncated" : "unreachable", words);
}

interface Failure {
  readonly code?: string;
  readonly message?: string;
}

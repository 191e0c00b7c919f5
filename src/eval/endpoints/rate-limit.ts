/** @file Waiting times: what servers request, back-off with jitter, and a limit of requests per minute. */

import type { Rng } from "../../core/rng.ts";

/** Longer waits requested by a server are cut to this. */
const longestWait = 600;

/** `Retry-After` in seconds from now: "120", or a date. undefined if it cannot be parsed. */
export function retryAfterSeconds(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  // Date.parse accepts too much: "-5" is a day in May
  const date = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : (date - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(longestWait, Math.max(0, seconds)) : undefined;
}

/** The wait in the headers: in milliseconds, as some servers send it, or in the standard header. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(exact))
    return Math.min(longestWait, Number(exact) / 1000);
  return retryAfterSeconds(headers.get("retry-after"), now);
}

/** Seconds until a client that sent too many requests may come back: what the text of its refusal says, or the headers of its limits. */
export function waitSeconds(text: string, headers: Headers, now: number): number | undefined {
  const inText =
    /(?:again|retry|retry[_ -]?after|retry[_ -]?delay|wait)\W{1,4}(?:(?:again|in|after|for) )*((?:\d+(?:\.\d+)?\s?[a-z]+\s?)+)/i.exec(
      text,
    );
  const waits = [...headers].flatMap(([name, value]) => {
    if (!/ratelimit.*reset/.test(name)) return [];
    const left = headers.get(name.replace("reset", "remaining"));
    // a limit that is not used up asks for no wait
    return left !== null && Number(left) > 0 ? [] : (untilReset(value.trim(), now) ?? []);
  });
  const seconds = durationSeconds(inText?.[1] ?? "") ?? (waits.length === 0 ? undefined : Math.max(...waits));
  return seconds === undefined ? undefined : Math.min(longestWait, Math.max(0, seconds));
}

/** `6m0s`, `120ms`, seconds from now, seconds or milliseconds since 1970, or a date. */
function untilReset(text: string, now: number): number | undefined {
  const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (number === undefined)
    return (
      durationSeconds(text) ?? (/^\d{4}-\d\d-\d\d/.test(text) ? (Date.parse(text) - now) / 1000 : undefined)
    );
  if (number > 1e11) return (number - now) / 1000;
  return number > 1e8 ? number - now / 1000 : number;
}

const units: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/i, 0.001],
  [/^(?:s|secs?|seconds?)$/i, 1],
  [/^(?:m|mins?|minutes?)$/i, 60],
  [/^(?:h|hours?)$/i, 3600],
];

/** `1m2.5s`, `20 seconds`. */
function durationSeconds(text: string): number | undefined {
  let sum: number | undefined;
  for (const [, count, word] of text.matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/gi)) {
    const unit = units.find(([name]) => name.test(word));
    if (unit === undefined) break;
    sum = (sum ?? 0) + Number(count) * unit[1];
  }
  return sum;
}

/**
 * Before attempt 2, 3, ...: between half and the whole of 1, 2, 4, ... units, so that requests that failed together
 * are spread; never less than the server requests.
 */
export function backOffSeconds(attempt: number, unit: number, rng: Rng, asked = 0): number {
  const whole = Math.min(60, unit * 2 ** (attempt - 2));
  return Math.max(asked * (1 + 0.1 * rng.next()), whole * (0.5 + 0.5 * rng.next()));
}

/** Resolves when a request may be sent: at most so many a minute, evenly spread. */
export function pacer(
  perMinute: number,
  now: () => number,
  sleep: Sleep,
): (signal: AbortSignal) => Promise<void> {
  let free = 0;
  return async (signal) => {
    if (perMinute === Number.POSITIVE_INFINITY) return;
    const at = Math.max(now(), free);
    free = at + 60_000 / perMinute;
    await sleep((at - now()) / 1000, signal);
  };
}

/** Rejects with the signal's reason when it aborts. */
export type Sleep = (seconds: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = (seconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener("abort", stop, { once: true });
  });

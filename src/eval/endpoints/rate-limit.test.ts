import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { backOffSeconds, pacer, retryAfterSeconds, waitSeconds } from "./rate-limit.ts";

test.each([
  ["7", 7],
  [" 0 ", 0],
  ["1.5", 1.5],
  ["Thu, 01 Jan 1970 00:01:30 GMT", 20],
  ["Thu, 01 Jan 1970 00:00:30 GMT", 0],
  ["1000000", 600],
  ["soon", undefined],
  ["-5", undefined],
  ["", undefined],
  [null, undefined],
])("Retry-After %j, seventy seconds after the epoch, is %s seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, 70_000)).toBe(seconds);
});

test.each<[string, Record<string, string>, number | undefined]>([
  ["Rate limit reached. Please try again in 2s. Visit ...", {}, 2],
  ["Please try again in 1m2.5s.", {}, 62.5],
  ["Please retry after 20 seconds.", {}, 20],
  ['{"@type": "RetryInfo", "retryDelay": "34s"}', {}, 34],
  ["Please try again in 120ms.", {}, 0.12],
  ["too many requests, try again later", {}, undefined],
  ["limit of 60 requests a minute", {}, undefined],
  ["", { "x-ratelimit-reset": "15" }, 15],
  ["", { "x-ratelimit-reset": "90" }, 90],
  ["", { "x-ratelimit-reset": "1700000020" }, 20],
  ["", { "x-ratelimit-reset": "1700000030000" }, 30],
  ["", { "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "3" }, undefined],
  ["", { "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "7.5s" }, 7.5],
  ["", { "anthropic-ratelimit-tokens-reset": "2023-11-14T22:13:45Z" }, 25],
  ["", { "ratelimit-reset": "soon" }, undefined],
])("a 429 that says %j with %j asks for %s seconds", (text, headers, seconds) => {
  const waited = waitSeconds(text, new Headers(headers), 1_700_000_000_000);
  if (seconds === undefined) expect(waited).toBeUndefined();
  else expect(waited).toBeCloseTo(seconds, 6);
});

test("back-off doubles, is spread over its upper half, ends at a minute, and never comes before the server wants it", () => {
  const rng = rngFrom(1);
  for (const [attempt, whole] of [
    [2, 1],
    [3, 2],
    [5, 8],
    [30, 60],
  ]) {
    const waits = Array.from({ length: 200 }, () => backOffSeconds(attempt, 1, rng));
    expect([Math.min(...waits) >= whole / 2, Math.max(...waits) <= whole]).toEqual([true, true]);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(whole * 0.4);
  }
  const asked = Array.from({ length: 50 }, () => backOffSeconds(2, 1, rng, 20));
  expect([Math.min(...asked) >= 20, Math.max(...asked) <= 22, new Set(asked).size]).toEqual([true, true, 50]);
});

test("at 120 a minute the requests of a crowd are half a second apart", async () => {
  const waits: number[] = [];
  const pace = pacer(
    120,
    () => 1000,
    async (seconds) => void waits.push(seconds),
  );
  const { signal } = new AbortController();
  await Promise.all([pace(signal), pace(signal), pace(signal), pace(signal)]);
  expect(waits).toEqual([0, 0.5, 1, 1.5]);
});

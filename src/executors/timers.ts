/** @file Timers: a timeout for an unresponsive Redis, and an abortable pause. */

import { setTimeout as timePasses } from "node:timers/promises";

/** After the signal: how long to wait for an unresponsive Redis. */
const partingMilliseconds = 3000;

/** Rejects if `signal` has aborted and Redis does not answer for a while. */
export function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((settle, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const hurry = () => {
      timer = setTimeout(() => reject(new Error("Redis does not answer")), partingMilliseconds);
    };
    if (signal.aborted) hurry();
    else signal.addEventListener("abort", hurry, { once: true });
    work.then(settle, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", hurry);
    });
  });
}

/** Resolves early when the signal aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await timePasses(milliseconds, undefined, { signal }).catch(() => {}); // it rejects only for the signal
}

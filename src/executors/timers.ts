/** @file Waiting with an end: for a Redis that may be silent, and for time to pass. */

import { setTimeout as timePasses } from "node:timers/promises";

/** After the signal: how long a Redis that is silent is waited for. */
const partingMilliseconds = 3000;

/** Rejects when `signal` has come and Redis says nothing for a while. */
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

/** Resolves early when the signal comes. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await timePasses(milliseconds, undefined, { signal }).catch(() => {}); // it rejects for the signal alone
}

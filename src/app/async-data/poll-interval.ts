/** @file The time that makers of blocks and a training go by: an argument, so that a test can have its own. */

import { pause } from "../../executors/timers.ts";

export interface Clock {
  /** Seconds. */
  now(): number;
  /** Resolves after so many seconds, at once when the signal is aborted. */
  pause(seconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now() / 1000,
  pause: (seconds, signal) => pause(seconds * 1000, signal),
};

/** Between two looks at a file that another process writes: soon at first, at most every twentieth of a second. */
export function looks(clock: Clock, signal: AbortSignal) {
  const started = clock.now();
  let seconds = 0.001;
  return {
    waited: () => clock.now() - started,
    async again() {
      await clock.pause(seconds, signal);
      seconds = Math.min(0.05, seconds * 1.5);
    },
  };
}

/** @file The windows of a training so far, and by them the shares of any step. The trainer's state holds them. */

import type { Window } from "./samplers/policy.ts";

export interface SharesLog {
  readonly windows: readonly Window[];
  /** Of all parts, by the window that a step is in; undefined before the first. */
  at(step: number): readonly number[] | undefined;
  load(windows: readonly Window[]): void;
}

export function sharesLog(): SharesLog {
  let windows: readonly Window[] = [];
  return {
    get windows() {
      return windows;
    },
    at: (step) => windows.findLast(({ from }) => from <= step)?.shares,
    load(others) {
      windows = others;
    },
  };
}

/** @file What `bench/train-step` compares: anything that can take whole training steps on a given problem, and say how long they took. */

import type { Problem } from "./problem.ts";

export interface Contender {
  readonly name: string;
  /** Builds and warms up; `skipped` says why this contender cannot run here (not installed). */
  prepare(problem: Problem): Promise<Prepared | Skipped>;
}

export interface Skipped {
  readonly skipped: string;
}

export interface Prepared {
  /** The losses of the first three training steps, from the problem's initial weights. */
  readonly firstLosses: readonly number[];
  /** Ways of running the same step ("1 thread", "2 threads"); a contender counts with its fastest. At least one. */
  readonly variants: readonly string[];
  /** Versions, kernels and choices, for the reader of the table. */
  readonly notes: string;
  /** Takes further training steps and returns the seconds of each. */
  run(variant: number, steps: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

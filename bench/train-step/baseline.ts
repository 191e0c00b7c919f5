/** @file The interface of the contenders of `bench/train-step`: training steps on a given problem, with their times. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fail } from "../../src/core/error.ts";
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

/** Path of a file in bench/, from bench/train-step/baseline.ts or dist/bench/train-step/files.js. */
export function benchFile(path: string): string {
  const candidates = ["../", "../../../bench/"].map((up) =>
    fileURLToPath(new URL(up + path, import.meta.url)),
  );
  const found = candidates.find((candidate) => existsSync(candidate));
  return (
    found ?? fail("bench", `the file bench/${path}`, "none", "Run it from a copy of the source repository")
  );
}

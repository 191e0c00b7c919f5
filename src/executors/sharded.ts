/**
 * @file Work that is split into tasks of an executor and put together when they have ended: a sweep, an evaluation, traces of a
 * benchmark. Its other half, what a task does in its folder, is a `JobHandler`.
 */

import { type Lock, lockFolder } from "../storage/index.ts";
import {
  isEnded,
  type Piece,
  type PieceState,
  type SuperviseOptions,
  superviseSubmission,
} from "./supervise.ts";

export interface Shardable<Result> {
  /** The folder of the submissions. */
  readonly home: string;
  /** Its lock, held from the split to the end. */
  readonly lock: string;
  /** What the tasks are called in messages: runs, shares. */
  readonly unit: string;
  /** The tasks that are left to do. The same on every call, but for what was done since. */
  split(lock: Lock): Promise<readonly Piece[]>;
  /** Puts together what the tasks have left in their folders; undefined if a failed one is needed for the result. */
  merge(pieces: readonly Piece[], states: readonly PieceState[], lock: Lock): Promise<Result | undefined>;
}

export interface Sharded<Result> {
  /** One per task that was left to do. */
  readonly states: readonly PieceState[];
  /** undefined while tasks are unfinished, or if one has failed. */
  readonly result: Result | undefined;
}

/** Submits what is not submitted yet, waits, and merges. A repeated call resumes. */
export async function runSharded<Result>(
  { home, lock: name, unit, split, merge }: Shardable<Result>,
  options: SuperviseOptions,
): Promise<Sharded<Result>> {
  const lock = await lockFolder(home, name);
  try {
    const pieces = await split(lock);
    const states = await superviseSubmission(pieces, { ...options, home, unit });
    return { states, result: states.every(isEnded) ? await merge(pieces, states, lock) : undefined };
  } finally {
    lock.release();
  }
}

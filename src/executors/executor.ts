/**
 * @file Where work is carried out: on this machine, or by a scheduler that people have. An engine says who may work; what has
 * come of it stands in the folders.
 *
 *     await engine.submit(submission)        it has the tasks now; this process may end
 *     await engine.poll(submission)          Map { 0 => running on n1, 2 => pending (Priority) }: 1 is done, or died
 *     await engine.cancel(submission)        what is at work saves and ends
 */

import type { ManifestHeader } from "../schemas/submission.ts";

/** Tasks that are handed over together, by their manifest. */
export interface Submission {
  /** Absolute. */
  readonly folder: string;
  /** The first 16 digits of the SHA-256 of its manifest. */
  readonly name: string;
  /** The folder that its tasks' folders are seen from; absolute. */
  readonly home: string;
  readonly header: ManifestHeader;
}

export interface Queued {
  readonly kind: "pending" | "running";
  /** Where it runs, or why it does not. */
  readonly note: string;
}

export interface Engine {
  readonly name: string;
  /** Whether its tasks go on when the process ends that submitted them. */
  readonly outlives: boolean;
  /** How often it is asked, while somebody stands by. */
  readonly everySeconds: number;
  /** Resolves when the engine has the tasks. Errors: LabError in the engine's own words where it refuses them. */
  submit(submission: Submission): Promise<void>;
  /**
   * What the engine has of the tasks, by index; what is missing it has no more, be it done or dead. undefined where it cannot be
   * asked now: then nothing is known.
   */
  poll(submission: Submission): Promise<ReadonlyMap<number, Queued> | undefined>;
  /** Asks what is at work to save and end, and forgets the rest. */
  cancel(submission: Submission): Promise<void>;
}

/** Files that an executor without a shared folder copies with a task. */
export interface TaskFiles {
  /** In the task's folder: the lock to take while its files are replaced. */
  readonly lock: string;
  /** In the folder of the submissions: what all tasks read. */
  readonly beside: readonly string[];
}

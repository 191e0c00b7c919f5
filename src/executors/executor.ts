/**
 * @file The executor interface: runs work on this machine or through a scheduler. An executor knows who is running; results are in the
 * folders.
 *
 *     await engine.submit(submission)        the executor has the tasks; this process may exit
 *     await engine.poll(submission)          Map { 0 => running on n1, 2 => pending (Priority) }: 1 has finished or died
 *     await engine.cancel(submission)        running tasks save and stop
 */

import type { ManifestHeader } from "../schemas/submission.ts";

/** Tasks submitted together, with their manifest. */
export interface Submission {
  /** Absolute. */
  readonly folder: string;
  /** The first 16 digits of the SHA-256 of its manifest. */
  readonly name: string;
  /** The base of the tasks' folders; absolute. */
  readonly home: string;
  readonly header: ManifestHeader;
}

export interface QueuedTask {
  readonly kind: "pending" | "running";
  /** The host it runs on, or why it is pending. */
  readonly note: string;
}

export interface Executor {
  readonly name: string;
  /** Whether tasks survive the submitting process. */
  readonly outlives: boolean;
  /** Its machines have the files of the submission's folder only, not those of the submitting machine. */
  readonly ownFilesOnly?: boolean;
  /** Poll interval while a process supervises. */
  readonly everySeconds: number;
  /** Called before a manifest is written. Errors: LabError if it would refuse any submission. */
  check?(): Promise<void>;
  /** Resolves when the executor has the tasks. Errors: LabError in the executor's own words if it refuses them. */
  submit(submission: Submission): Promise<void>;
  /**
   * Queued and running tasks, by index; a missing task has finished or died. undefined if the executor cannot be reached: then nothing
   * is known.
   */
  poll(submission: Submission): Promise<ReadonlyMap<number, QueuedTask> | undefined>;
  /** Asks running tasks to save and stop, and drops pending ones. */
  cancel(submission: Submission): Promise<void>;
}

/** Files that an executor without a shared folder copies with a task. */
export interface TaskFiles {
  /** In the task's folder: the lock to take while its files are replaced. */
  readonly lock: string;
  /** In the folder of the submissions: files that all tasks read. */
  readonly beside: readonly string[];
}

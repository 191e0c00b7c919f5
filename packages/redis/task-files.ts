/**
 * @file Transfer of task files between the submitting machine and workers: through a shared folder, or through an object store.
 *
 *     shared folder      nothing to transfer
 *     objects/           downloaded into a scratch folder, published while the task works, and collected
 */

import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Redis } from "ioredis";
import type { Submission } from "../../src/executors/executor.ts";
import { openSubmission } from "../../src/executors/manifest.ts";
import type { Claim } from "../../src/storage/index.ts";

/** File transfer on the submitting side. */
export interface FileTransport {
  /** Location of a submission's files, stored in Redis with its name. */
  placeOf(submission: Submission): string;
  /** Uploads files before the tasks are queued. Returns the indexes of tasks that were queued earlier. */
  offer(redis: Redis, submission: Submission): Promise<ReadonlySet<number>>;
  /** Downloads the results of tasks that have left the queue. */
  collect(redis: Redis, submission: Submission, hasEnded: (index: number) => Promise<boolean>): Promise<void>;
  /** After cancellation: waits for a while for what running tasks save. */
  part(redis: Redis, submission: Submission): Promise<void>;
}

export const sharedFolder: FileTransport = {
  placeOf: ({ folder }) => folder,
  offer: async () => new Set(),
  collect: async () => {},
  part: async () => {},
};

/** The local copy of a task's files. */
export interface Site {
  readonly submission: Submission;
  /** Called after the process has ended, to save its files. lost: another attempt counts. unkept: saving failed. */
  close(): Promise<"kept" | "unkept" | "lost">;
}

export interface Bringing {
  readonly submission: Submission;
  readonly index: number;
  readonly claim: Claim;
  /** Aborts when the user stops the work or the lease is lost. */
  readonly signal: AbortSignal;
  /** Called when another attempt turns out to count. */
  readonly onLost: () => void;
}

/** File transfer on the worker's side. */
export interface FileSource {
  /** Description of the location, for messages. */
  readonly words: string;
  /** Opens a submission by its location in Redis. Rejects with a message if it is not for this machine. */
  open(name: string, place: string): Promise<Submission>;
  /** put back: not transferred before the end was requested. given up: cannot be transferred; the reason is reported. */
  bring(bringing: Bringing): Promise<Site | "put back" | "given up" | "lost">;
}

export function fromFolder(folder: string): FileSource {
  return {
    words: resolve(folder),
    async open(name, place) {
      if (!isBelow(place, folder)) throw new Error(`it is not below ${resolve(folder)}`);
      const submission = openSubmission(place);
      if (submission.name !== name) throw new Error(`its manifest is that of ${submission.name}`);
      return submission;
    },
    bring: async ({ submission }) => ({ submission, close: async () => "kept" }),
  };
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(resolve(folder), path);
  return isAbsolute(path) && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

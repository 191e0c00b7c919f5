/**
 * @file How the files of a Redis's tasks come to the machine that carries a task out, and back: by a folder that all machines see,
 * or through a store of objects. Two sides, that of who submits and that of who lends.
 *
 *     shared folder      nothing is to be done: the task's folder is the one
 *     objects/           a task's files are brought into a scratch folder, published while it works, and collected
 */

import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Redis } from "ioredis";
import type { Claim } from "../storage/index.ts";
import type { Submission } from "./executor.ts";
import { openSubmission } from "./manifest.ts";

/** Of who submits. */
export interface Handing {
  /** What stands in Redis beside the name of a submission: where its files are. */
  placeOf(submission: Submission): string;
  /** Before the queue has any of it. The indexes of tasks that were begun already, and so were in the queue. */
  offer(redis: Redis, submission: Submission): Promise<ReadonlySet<number>>;
  /** What has come of tasks that the queue has no more, into the folders here. */
  collect(redis: Redis, submission: Submission, hasEnded: (index: number) => Promise<boolean>): Promise<void>;
  /** The queue is gone, and who is at work saves: what they save is waited for, for a while. */
  part(redis: Redis, submission: Submission): Promise<void>;
}

export const sharedFolder: Handing = {
  placeOf: ({ folder }) => folder,
  offer: async () => new Set(),
  collect: async () => {},
  part: async () => {},
};

/** A task's files, here. */
export interface Site {
  readonly submission: Submission;
  /** The process has ended, and all that it wrote is to be kept. lost: another attempt counts. unkept: it could not be. */
  close(): Promise<"kept" | "unkept" | "lost">;
}

export interface Bringing {
  readonly submission: Submission;
  readonly index: number;
  readonly claim: Claim;
  /** The work is to end: by the user, or since the lease is lost. */
  readonly signal: AbortSignal;
  /** Called when it is seen that another attempt counts. */
  readonly onLost: () => void;
}

/** Of who lends. */
export interface Supply {
  /** For people: where the work is carried out. */
  readonly words: string;
  /** Of a submission that Redis lists with this place. Rejects, in words, where it is none for this machine. */
  open(name: string, place: string): Promise<Submission>;
  /** put back: it could not be brought before the end was asked for. given up: it cannot be, and that is told. */
  bring(bringing: Bringing): Promise<Site | "put back" | "given up" | "lost">;
}

export function fromFolder(folder: string): Supply {
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

/**
 * @file What each kind of work leaves in its folder: by what it is seen that it is there still, and whose lock says who is at work;
 * and what it reads beside it.
 */

import type { ManifestTask, Work } from "../schemas/submission.ts";
import { runFiles } from "../storage/index.ts";
import type { TaskFiles } from "./executor.ts";

export interface Place {
  /** There when it is done: what was removed since is made anew. */
  readonly proof: string;
  readonly lock: string;
  /** In the folder of the submissions, where it is there: a store of objects carries it to all tasks. */
  readonly beside?: readonly string[];
}

export const shareFiles = {
  /** A folder, with one for each share. */
  all: "shares",
  calls: "calls.jsonl",
  traced: "progress.jsonl",
  traceLock: "trace.lock",
  answers: "answers.jsonl",
  askLock: "lock",
  fed: "fed.json",
  feedLock: "feed.lock",
  seen: "seen.json",
} as const;

export const places: Readonly<Record<Work["kind"], Place>> = {
  run: { proof: runFiles.config, lock: runFiles.lock },
  trace: { proof: shareFiles.traced, lock: shareFiles.traceLock },
  ask: { proof: shareFiles.answers, lock: shareFiles.askLock, beside: [shareFiles.answers] },
  part: { proof: runFiles.answered, lock: runFiles.lock },
  feed: { proof: shareFiles.fed, lock: shareFiles.feedLock },
  probe: { proof: shareFiles.seen, lock: runFiles.lock },
};

/** What a store of objects has to know of a task. */
export function taskFilesOf({ work }: ManifestTask): TaskFiles {
  const { lock, beside = [] } = places[work.kind];
  return { lock, beside };
}

/**
 * @file Per job kind: the file that proves completion, the lock file, and shared inputs.
 */

import type { ManifestTask, Work } from "../schemas/submission.ts";
import { runFiles } from "../storage/index.ts";
import type { TaskFiles } from "./executor.ts";

export interface JobOutputs {
  /** Exists when the job is done; if it was removed since, the job is repeated. */
  readonly proof: string;
  readonly lock: string;
  /** Files in the folder of the submissions that all tasks read: an object store copies them. */
  readonly beside?: readonly string[];
}

export const shareFiles = {
  /** A folder, with a folder for each shard. */
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

export const outputsByKind: Readonly<Record<Work["kind"], JobOutputs>> = {
  run: { proof: runFiles.config, lock: runFiles.lock },
  trace: { proof: shareFiles.traced, lock: shareFiles.traceLock },
  "llm-eval": { proof: shareFiles.answers, lock: shareFiles.askLock, beside: [shareFiles.answers] },
  part: { proof: runFiles.answered, lock: runFiles.lock },
  "data-worker": { proof: shareFiles.fed, lock: shareFiles.feedLock },
  probe: { proof: shareFiles.seen, lock: runFiles.lock },
};

/** The files that an object store has to transfer for a task. */
export function taskFiles({ work }: ManifestTask): TaskFiles {
  const { lock, beside = [] } = outputsByKind[work.kind];
  return { lock, beside };
}

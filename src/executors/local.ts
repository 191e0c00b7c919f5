/**
 * @file The local executor: one process per task, a bounded number at a time, while the submitting process lives.
 *
 *     HOME/submissions/3f2a.../local.lock        names that process: another process's `poll` checks whether it lives
 *
 * Its tasks save and stop when it exits; submitting them again resumes them.
 */

import { join } from "node:path";
import { semaphore } from "../core/semaphore.ts";
import { livingOwner, takeLock } from "../storage/index.ts";
import { readAttempts, taskState } from "./attempts.ts";
import type { Executor, QueuedTask, Submission } from "./executor.ts";
import { type Execute, runJobs } from "./pool.ts";

/** A task of a submission, to run in a child process. */
export interface TaskJob {
  /** The submission's folder. */
  readonly folder: string;
  readonly index: number;
}

interface LocalOptions<Progress> {
  /** Executes a task, which logs its own outcome. */
  readonly execute: Execute<TaskJob, Progress, void>;
  /** Limit across all submissions. */
  readonly atMost: number;
  readonly onProgress?: ((job: TaskJob, progress: Progress) => void) | undefined;
}

const lockOf = ({ folder }: Submission) => join(folder, "local.lock");

export function local<Progress>({ execute, atMost, onProgress }: LocalOptions<Progress>): Executor {
  const own = new Map<
    string,
    { left: Map<number, QueuedTask>; stop: AbortController; ended: Promise<unknown> }
  >();
  const shared = semaphore(atMost);
  return {
    name: "local",
    outlives: false,
    everySeconds: 1,

    async submit(submission) {
      const lock = takeLock(lockOf(submission));
      const left = new Map<number, QueuedTask>();
      const jobs = Array.from({ length: submission.header.tasks }, (_, index): TaskJob => {
        left.set(index, { kind: "pending", note: "waits for its turn" });
        return { folder: submission.folder, index };
      });
      const stop = new AbortController();
      const ended = runJobs(jobs, execute, {
        atMost: shared,
        signal: stop.signal,
        onStart: ({ index }) => left.set(index, { kind: "running", note: "here" }),
        onEnd: ({ index }) => left.delete(index),
        ...(onProgress && { onProgress }),
      }).finally(() => {
        left.clear();
        lock.release();
      });
      own.set(submission.name, { left, stop, ended });
    },

    async poll(submission) {
      const mine = own.get(submission.name);
      if (mine !== undefined) return new Map(mine.left);
      const owner = livingOwner(lockOf(submission));
      if (owner === undefined) return new Map();
      const note = `by process ${owner.pid}`;
      return new Map(
        Array.from({ length: submission.header.tasks }, (_, index) => index).flatMap(
          (index): [number, QueuedTask][] => {
            const { kind } = taskState(readAttempts(submission, index));
            if (kind === "begun") return [[index, { kind: "running", note }]];
            return kind === "new" ? [[index, { kind: "pending", note }]] : [];
          },
        ),
      );
    },

    async cancel(submission) {
      const mine = own.get(submission.name);
      if (mine !== undefined) {
        mine.stop.abort();
        await mine.ended;
        return;
      }
      const owner = livingOwner(lockOf(submission));
      if (owner !== undefined) process.kill(owner.pid, "SIGTERM");
    },
  };
}

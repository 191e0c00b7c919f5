/**
 * @file A bounded pool: runs a queue of jobs, a limited number at a time.
 *
 *     const outcomes = await runJobs(jobs, inChildProcess({ entry }), { atMost: 2, signal, onProgress });
 *
 * A worker is a function, `Execute`: a child process on this machine (fork.ts), or a remote one. A failed job is an outcome, never an
 * exception: the others continue.
 */

import { type ExitKind, LabError } from "../core/error.ts";
import { type Semaphore, semaphore } from "../core/semaphore.ts";

/** Executes one job. Rejects if it fails; after `signal` aborts it stops in its own time and rejects. */
export type Execute<Job, Progress, Result> = (
  job: Job,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
) => Promise<Result>;

export type Outcome<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** Stopped before it was done, or never started. */
  | { readonly kind: "stopped" };

/** Why a job failed, as plain data that can cross processes. */
export interface Failure {
  readonly message: string;
  /** Stack trace, unless it is a user error. */
  readonly stack?: string;
  /** The kind of a LabError. */
  readonly mistake?: ExitKind;
}

interface RunJobsOptions<Job, Progress, Result> {
  /** Maximum number of concurrent jobs, or a semaphore to share the limit with other calls. */
  readonly atMost: number | Semaphore;
  readonly signal?: AbortSignal;
  readonly onStart?: (job: Job) => void;
  readonly onProgress?: (job: Job, progress: Progress) => void;
  readonly onEnd?: (job: Job, outcome: Outcome<Result>) => void;
}

/** Runs all jobs, started in order. Outcomes are in the order of the jobs. */
export async function runJobs<Job, Progress, Result>(
  jobs: readonly Job[],
  execute: Execute<Job, Progress, Result>,
  {
    atMost,
    signal = new AbortController().signal,
    onStart,
    onProgress,
    onEnd,
  }: RunJobsOptions<Job, Progress, Result>,
): Promise<Outcome<Result>[]> {
  const outcomes = jobs.map((): Outcome<Result> => ({ kind: "stopped" }));
  const own = typeof atMost === "number" ? semaphore(atMost) : atMost;
  let next = 0;
  const work = async () => {
    while (next < jobs.length && (await own.take(signal))) {
      if (next === jobs.length) {
        own.release();
        break;
      }
      const index = next++;
      const job = jobs[index];
      onStart?.(job);
      outcomes[index] = await outcomeOf(
        execute(job, (progress) => onProgress?.(job, progress), signal),
        signal,
      );
      own.release();
      onEnd?.(job, outcomes[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(own.count, jobs.length) }, work));
  return outcomes;
}

async function outcomeOf<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Outcome<Result>> {
  try {
    return { kind: "done", result: await work };
  } catch (error) {
    // Report a worker's LabError even while everything stops.
    return signal.aborted && !(error instanceof LabError)
      ? { kind: "stopped" }
      : { kind: "failed", failure: toFailure(error) };
  }
}

export function toFailure(error: unknown): Failure {
  if (error instanceof LabError) return { message: error.message, mistake: error.kind };
  if (error instanceof Error) return { message: error.message, ...(error.stack && { stack: error.stack }) };
  return { message: String(error) };
}

/** Restores the error, so that the command line treats it as a local one. */
export function toError({ message, stack, mistake }: Failure): Error {
  if (mistake !== undefined) return new LabError(message, mistake);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

export type ToWorker =
  | { readonly kind: "start"; readonly job: unknown }
  | { readonly kind: "stop" }
  /** There is no further job. If the parent disconnected instead, Node would never report the child as closed. */
  | { readonly kind: "end" };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly progress: unknown }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly failure: Failure };

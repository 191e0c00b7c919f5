/** @file Executes one task of a submission, under any executor. */

import { join, resolve } from "node:path";
import { errorText, LabError } from "../core/error.ts";
import type { Work, WorkOf } from "../schemas/submission.ts";
import { forceUnlockVariable, LockLostError, leaseFromEnvironment } from "../storage/index.ts";
import { taskState } from "./attempts.ts";
import { outputsByKind } from "./job-outputs.ts";
import { submissionFiles } from "./manifest.ts";
import { localEnvironment, type WorkerEnvironment } from "./submission-store.ts";

/** Environment variable with the command on whose behalf a worker runs. */
export const commandVariable = "STATELAB_COMMAND";

/** Reports progress to the process that waits for the task. */
export type Tell = (progress: unknown) => void;

type TaskEnd = "done" | "failed" | "stopped" | "superseded";

/** How a kind of work is executed. */
export interface JobHandler<Kind extends Work["kind"]> {
  /** Progress of earlier attempts, in steps: an attempt that dies without more was in vain. */
  saved(folder: string): Promise<number>;
  /**
   * Executes the work, or the rest of it; its results are then in its folder. Rejects with a LabError for the user if it fails, and if
   * it is stopped, after saving. `home` is the folder of the submissions.
   */
  carryOut(
    task: { readonly folder: string; readonly home: string; readonly work: WorkOf<Kind> },
    tell: Tell,
    signal: AbortSignal,
  ): Promise<void>;
}

/**
 * One handler per kind, loaded on demand: tasks without training load no tensor library. The caller passes them, since some are in
 * src/app.
 */
export type JobHandlers = { readonly [Kind in Work["kind"]]: () => Promise<JobHandler<Kind>> };

const longestWords = 2000;
const isLocked = (error: unknown) => error instanceof LabError && error.kind === "locked";

/** Logs the start and the end of the task. Rejects only if the log cannot be written, or if there is no such task. */
export async function executeTask(
  path: string,
  index: number,
  handlers: JobHandlers,
  tell: Tell,
  signal: AbortSignal,
  desk: WorkerEnvironment = localEnvironment,
): Promise<{ readonly end: TaskEnd; readonly words: string }> {
  const { now, readTask, attemptsOf, keepAttempt, makeFolder, ownerAt, hostname, process } = desk;
  const { submission, task } = readTask(path, index);
  const { header, home, folder: own } = submission;
  const { work } = task;
  const handler = (await handlers[work.kind]()) as JobHandler<Work["kind"]>; // the one of this kind
  const folder = resolve(home, task.folder);
  if (taskState(attemptsOf(submission, index)).kind === "done") return { end: "done", words: "" };
  // Locks of owners that the executor reports as dead may be broken; the run records the originating command.
  process.env[forceUnlockVariable] ??= header.gone.join(" ");
  process.env[commandVariable] ??= JSON.stringify(header.command);
  await makeFolder(join(own, submissionFiles.tasks));
  const { claim } = leaseFromEnvironment(process.env);
  const step = await handler.saved(folder).catch(() => 0);
  const { job, epoch } = claim ?? { job: `process ${process.pid}`, epoch: 0 };
  keepAttempt(submission, index, { kind: "begun", at: now(), host: hostname(), job, epoch, step });
  try {
    signal.throwIfAborted();
    await handler.carryOut({ folder, home, work }, tell, signal);
    keepAttempt(submission, index, { kind: "done", at: now() });
    return { end: "done", words: "" };
  } catch (error) {
    // A superseded process does not decide the outcome of the task.
    if (error instanceof LockLostError) return { end: "superseded", words: error.message };
    if (signal.aborted && !(error instanceof LabError)) {
      keepAttempt(submission, index, { kind: "stopped", at: now() });
      return { end: "stopped", words: "" };
    }
    const words = errorText(error);
    // Another worker of this executor has the task, or had it: not a failure of the work.
    if (
      isLocked(error) &&
      claim &&
      ownerAt(join(folder, outputsByKind[work.kind].lock))?.claim?.engine === claim.engine
    ) {
      keepAttempt(submission, index, { kind: "stopped", at: now() });
      return { end: "stopped", words };
    }
    keepAttempt(submission, index, { kind: "failed", at: now(), words: words.slice(0, longestWords) });
    return { end: "failed", words };
  }
}

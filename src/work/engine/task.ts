/** @file One task of a submission carried out: what a process that an engine begins does, whatever the engine is. */

import { join, resolve } from "node:path";
import { stateOf } from "../../engines/attempts.ts";
import { submissionFiles } from "../../engines/manifest.ts";
import { LabError } from "../../records/error.ts";
import { runFiles, Superseded, standingOf, takeOverVariable } from "../../store/index.ts";
import { commandVariable } from "../run/origin.ts";
import type { Tell } from "../run/progress.ts";
import { atDesk, type Desk } from "./books.ts";

export type TaskEnd = "done" | "failed" | "stopped" | "superseded";

const longestWords = 2000;
const isLocked = (error: unknown) => error instanceof LabError && error.kind === "locked";

/** Writes down that it begins and how it ends. Rejects only where that cannot be written, or there is no such task. */
export async function carryOutTask(
  path: string,
  index: number,
  tell: Tell,
  signal: AbortSignal,
  desk: Desk = atDesk,
): Promise<{ readonly end: TaskEnd; readonly words: string }> {
  const { now, readTask, attemptsOf, keepAttempt, makeFolder, ownerAt, hostname, process } = desk;
  const { latestCheckpoint, answersOf } = desk;
  const { submission, task } = readTask(path, index);
  const { header, home, folder: own } = submission;
  const folder = resolve(home, task.folder);
  if (stateOf(attemptsOf(submission, index)).kind === "done") return { end: "done", words: "" };
  // Locks are taken by the engine's word that these owners are gone, and the run says by which command it was made.
  process.env[takeOverVariable] ??= header.gone.join(" ");
  process.env[commandVariable] ??= JSON.stringify(header.command);
  await makeFolder(join(own, submissionFiles.tasks));
  const { claim } = standingOf(process.env);
  const step = (await latestCheckpoint(folder).catch(() => undefined))?.step ?? 0;
  const { job, epoch } = claim ?? { job: `process ${process.pid}`, epoch: 0 };
  keepAttempt(submission, index, { kind: "begun", at: now(), host: hostname(), job, epoch, step });
  try {
    signal.throwIfAborted();
    await answersOf({ folder, config: task.work.config, overwrite: false }, tell, signal);
    keepAttempt(submission, index, { kind: "done", at: now() });
    return { end: "done", words: "" };
  } catch (error) {
    // What a process says that was superseded is not what came of the task.
    if (error instanceof Superseded) return { end: "superseded", words: error.message };
    if (signal.aborted && !(error instanceof LabError)) {
      keepAttempt(submission, index, { kind: "stopped", at: now() });
      return { end: "stopped", words: "" };
    }
    const words = error instanceof Error ? error.message : String(error);
    // Another one of this engine's works at it, or did: the engine knows which. It is no fault of the run.
    if (isLocked(error) && claim && ownerAt(join(folder, runFiles.lock))?.claim?.engine === claim.engine) {
      keepAttempt(submission, index, { kind: "stopped", at: now() });
      return { end: "stopped", words };
    }
    keepAttempt(submission, index, { kind: "failed", at: now(), words: words.slice(0, longestWords) });
    return { end: "failed", words };
  }
}

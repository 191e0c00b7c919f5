/** @file One task of a submission carried out: what a process that an engine begins does, whatever the engine is. */

import { join, resolve } from "node:path";
import { LabError } from "../core/error.ts";
import type { Work, WorkOf } from "../schemas/submission.ts";
import { Superseded, standingOf, takeOverVariable } from "../storage/index.ts";
import { stateOf } from "./attempts.ts";
import { places } from "./job-outputs.ts";
import { submissionFiles } from "./manifest.ts";
import { atDesk, type Desk } from "./submission-store.ts";

/** The variable by which a worker knows the command whose work it does. */
export const commandVariable = "STATELAB_COMMAND";

/** Reports progress to the process that waits for the task. */
export type Tell = (progress: unknown) => void;

export type TaskEnd = "done" | "failed" | "stopped" | "superseded";

/** How work of a kind is carried out. */
export interface Carrier<Kind extends Work["kind"]> {
  /** How far an earlier attempt has come, in steps of its own: what died without one more died in vain. */
  saved(folder: string): Promise<number>;
  /**
   * Does it, or what is left of it; what came of it is in its folder then. Rejects where it fails, with a LabError in words for the
   * user, and when it was stopped: all is saved then. `home` is the folder of the submissions.
   */
  carryOut(
    task: { readonly folder: string; readonly home: string; readonly work: WorkOf<Kind> },
    tell: Tell,
    signal: AbortSignal,
  ): Promise<void>;
}

/** One for each kind, loaded when it is needed: a task that trains nothing loads no engine of tensors. Some are of rooms above this one. */
export type Carriers = { readonly [Kind in Work["kind"]]: () => Promise<Carrier<Kind>> };

const longestWords = 2000;
const isLocked = (error: unknown) => error instanceof LabError && error.kind === "locked";

/** Writes down that it begins and how it ends. Rejects only where that cannot be written, or there is no such task. */
export async function carryOutTask(
  path: string,
  index: number,
  carriers: Carriers,
  tell: Tell,
  signal: AbortSignal,
  desk: Desk = atDesk,
): Promise<{ readonly end: TaskEnd; readonly words: string }> {
  const { now, readTask, attemptsOf, keepAttempt, makeFolder, ownerAt, hostname, process } = desk;
  const { submission, task } = readTask(path, index);
  const { header, home, folder: own } = submission;
  const { work } = task;
  const carrier = (await carriers[work.kind]()) as Carrier<Work["kind"]>; // the one of this kind
  const folder = resolve(home, task.folder);
  if (stateOf(attemptsOf(submission, index)).kind === "done") return { end: "done", words: "" };
  // Locks are taken by the engine's word that these owners are gone, and the run says by which command it was made.
  process.env[takeOverVariable] ??= header.gone.join(" ");
  process.env[commandVariable] ??= JSON.stringify(header.command);
  await makeFolder(join(own, submissionFiles.tasks));
  const { claim } = standingOf(process.env);
  const step = await carrier.saved(folder).catch(() => 0);
  const { job, epoch } = claim ?? { job: `process ${process.pid}`, epoch: 0 };
  keepAttempt(submission, index, { kind: "begun", at: now(), host: hostname(), job, epoch, step });
  try {
    signal.throwIfAborted();
    await carrier.carryOut({ folder, home, work }, tell, signal);
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
    // Another one of this engine's works at it, or did: the engine knows which. It is no fault of the work.
    if (
      isLocked(error) &&
      claim &&
      ownerAt(join(folder, places[work.kind].lock))?.claim?.engine === claim.engine
    ) {
      keepAttempt(submission, index, { kind: "stopped", at: now() });
      return { end: "stopped", words };
    }
    keepAttempt(submission, index, { kind: "failed", at: now(), words: words.slice(0, longestWords) });
    return { end: "failed", words };
  }
}

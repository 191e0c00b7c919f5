/**
 * @file What handing work over and carrying it out read and write outside of themselves: submissions, attempts, locks, a clock.
 * Here they are files and this machine's time; the simulator (src/work/simulate) has them in memory, and a clock of its own, so
 * that the rules that stand in standing-by.ts and task.ts are the same code in both.
 */

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { attemptsOf, keepAttempt } from "../../engines/attempts.ts";
import type { Submission } from "../../engines/engine.ts";
import {
  readTask,
  readTasks,
  submissionFiles,
  submissionsOf,
  ticketsOf,
  writeManifest,
} from "../../engines/manifest.ts";
import { latestCheckpoint, makeFolder, ownerAt, runFiles, writeFileAtomic } from "../../store/index.ts";
import { answersOf } from "../run/carry-out.ts";
import { remember } from "./registry.ts";

const ownerOf = (folder: string) => ownerAt(join(folder, runFiles.lock));
const now = () => new Date().toISOString();

/** For who hands over and stands by. */
export const booksOnDisk = {
  now,
  pause,
  submissionsOf,
  readTasks,
  ticketsOf,
  attemptsOf,
  /** Makes it, with the folders that its tasks write to. */
  async writeManifest(...[home, work]: Parameters<typeof writeManifest>): Promise<Submission> {
    const submission = await writeManifest(home, work);
    for (const folder of [submissionFiles.tasks, submissionFiles.logs])
      await makeFolder(join(submission.folder, folder));
    return submission;
  },
  isCollected: ({ folder }: Submission) => existsSync(join(folder, submissionFiles.collected)),
  collect: ({ folder }: Submission) => writeFileAtomic(join(folder, submissionFiles.collected), ""),
  remember,
  /** Who holds the lock of a run. */
  ownerOf,
  hasRun: (folder: string) => existsSync(join(folder, runFiles.config)),
  environment: process.env as Readonly<Record<string, string | undefined>>,
};
export type Books = typeof booksOnDisk;

/** For who carries a task out. */
export const deskOnDisk = {
  now,
  readTask,
  attemptsOf,
  keepAttempt,
  prepare: ({ folder }: Submission): Promise<unknown> => makeFolder(join(folder, submissionFiles.tasks)),
  /** Steps that are saved. */
  savedSteps: async (folder: string) => (await latestCheckpoint(folder).catch(() => undefined))?.step ?? 0,
  ownerOf,
  answersOf: answersOf as (...parameters: Parameters<typeof answersOf>) => Promise<unknown>,
  /** It is written to: who is gone, and by which command a run was made. */
  environment: process.env as Record<string, string | undefined>,
  host: hostname(),
  /** What an attempt is called that no engine has named. */
  process: `process ${process.pid}`,
};
export type Desk = typeof deskOnDisk;

/** Ends early when the signal comes. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, seconds * 1000);
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake, { once: true });
  });
}

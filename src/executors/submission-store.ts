/**
 * @file The I/O of supervision and task execution: submissions, attempts, locks, a clock. Here they are files and real time; the
 * simulator (packages/cluster-simulator/simulate) keeps them in memory with simulated time, so that supervise.ts and execute-task.ts
 * are the same code for both.
 */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { makeFolder, ownerAt, writeFileAtomic } from "../storage/index.ts";
import { keepAttempt, readAttempts } from "./attempts.ts";
import {
  listSubmissions,
  readTask,
  readTasks,
  readTickets,
  submissionFiles,
  writeManifest,
} from "./manifest.ts";
import { pause } from "./timers.ts";

const now = () => new Date().toISOString();

/** I/O used by the submitting process. */
export interface SubmissionStore {
  now(): string;
  /** Returns early when the signal aborts. */
  pause(seconds: number, signal: AbortSignal): Promise<void>;
  readonly submissionsOf: typeof listSubmissions;
  readonly readTasks: typeof readTasks;
  readonly ticketsOf: typeof readTickets;
  readonly attemptsOf: typeof readAttempts;
  readonly writeManifest: typeof writeManifest;
  makeFolder(path: string): Promise<unknown>;
  writeFileAtomic(path: string, content: string): Promise<void>;
  existsSync(path: string): boolean;
  readonly ownerAt: typeof ownerAt;
  readonly remember: typeof registerSubmission;
}

export const fileStore: SubmissionStore = {
  pause: (seconds, signal) => pause(seconds * 1000, signal),
  ...{
    now,
    submissionsOf: listSubmissions,
    readTasks,
    ticketsOf: readTickets,
    attemptsOf: readAttempts,
    writeManifest,
  },
  ...{ makeFolder, writeFileAtomic, existsSync, ownerAt, remember: registerSubmission },
};

/** I/O used by a worker. */
export interface WorkerEnvironment {
  now(): string;
  readonly readTask: typeof readTask;
  readonly attemptsOf: typeof readAttempts;
  readonly keepAttempt: typeof keepAttempt;
  makeFolder(path: string): Promise<unknown>;
  readonly ownerAt: typeof ownerAt;
  hostname(): string;
  /** The worker sets environment variables for lost lock owners and the originating command. */
  readonly process: { readonly env: Record<string, string | undefined>; readonly pid: number };
}

export const localEnvironment: WorkerEnvironment = {
  ...{ now, readTask, attemptsOf: readAttempts, keepAttempt, makeFolder, ownerAt, hostname },
  process,
};

/*
 * The folders in which this user has submitted work, so that `statelab cluster status` finds them.
 *
 *     ~/.local/state/statelab/submissions.jsonl      {"home":"/shared/runs/beta"}
 */

/** A per-user state file: below $XDG_STATE_HOME, by default ~/.local/state. */
export function stateFile(name: string): string {
  const { XDG_STATE_HOME: given = "" } = process.env;
  const state = isAbsolute(given) ? given : join(homedir(), ".local", "state");
  return join(state, "statelab", name);
}

const file = () => stateFile("submissions.jsonl");

/** Errors are ignored: `cluster status DIR` works without the list. */
export function registerSubmission(home: string): void {
  if (listRegistered().includes(home)) return;
  try {
    mkdirSync(dirname(file()), { recursive: true, mode: 0o700 });
    appendFileSync(file(), `${JSON.stringify({ home })}\n`, { mode: 0o600 });
  } catch {}
}

/** Registered folders that still have submissions. */
export function listRegistered(): string[] {
  let text: string;
  try {
    text = readFileSync(file(), "utf8");
  } catch {
    return [];
  }
  const homes = text.split("\n").flatMap((line): string[] => {
    try {
      const { home } = JSON.parse(line) as { home?: unknown }; // checked in the next line
      return typeof home === "string" ? [home] : [];
    } catch {
      return []; // cut by a crash
    }
  });
  return [...new Set(homes)].filter((home) => existsSync(join(home, submissionFiles.all)));
}

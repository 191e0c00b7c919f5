/**
 * @file What handing work over and carrying it out read and write outside of themselves: submissions, attempts, locks, a clock.
 * Here they are files and this machine's time; the simulator (packages/cluster-simulator/simulate) has them in memory, with a clock of its own, so
 * that the rules in standing-by.ts and task.ts are the same code for both.
 */

import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { makeFolder, ownerAt, writeFileAtomic } from "../storage/index.ts";
import { attemptsOf, keepAttempt } from "./attempts.ts";
import { readTask, readTasks, submissionsOf, ticketsOf, writeManifest } from "./manifest.ts";
import { remember } from "./submission-registry.ts";
import { pause } from "./timers.ts";

const now = () => new Date().toISOString();

/** Of who hands over and stands by. */
export interface Books {
  now(): string;
  /** Ends early when the signal comes. */
  pause(seconds: number, signal: AbortSignal): Promise<void>;
  readonly submissionsOf: typeof submissionsOf;
  readonly readTasks: typeof readTasks;
  readonly ticketsOf: typeof ticketsOf;
  readonly attemptsOf: typeof attemptsOf;
  readonly writeManifest: typeof writeManifest;
  makeFolder(path: string): Promise<unknown>;
  writeFileAtomic(path: string, content: string): Promise<void>;
  existsSync(path: string): boolean;
  readonly ownerAt: typeof ownerAt;
  readonly remember: typeof remember;
}

export const onDisk: Books = {
  pause: (seconds, signal) => pause(seconds * 1000, signal),
  ...{ now, submissionsOf, readTasks, ticketsOf, attemptsOf, writeManifest },
  ...{ makeFolder, writeFileAtomic, existsSync, ownerAt, remember },
};

/** Of who carries a task out. */
export interface Desk {
  now(): string;
  readonly readTask: typeof readTask;
  readonly attemptsOf: typeof attemptsOf;
  readonly keepAttempt: typeof keepAttempt;
  makeFolder(path: string): Promise<unknown>;
  readonly ownerAt: typeof ownerAt;
  hostname(): string;
  /** Its environment is written to: who is gone, and by which command a run was made. */
  readonly process: { readonly env: Record<string, string | undefined>; readonly pid: number };
}

export const atDesk: Desk = {
  ...{ now, readTask, attemptsOf, keepAttempt, makeFolder, ownerAt, hostname },
  process,
};

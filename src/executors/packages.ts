/**
 * @file The packages of packages/, each loaded by its name when it is asked for: `--executor redis://HOST:6379`, `statelab cluster simulate`. What is
 * here is all that the lab knows of them.
 */

import { existsSync } from "node:fs";
import { fail } from "../core/error.ts";
import type { StudiedSetting, StudyRequest } from "../schemas/simulation-plan.ts";
import type { ManifestTask } from "../schemas/submission.ts";
import type { Claim } from "../storage/index.ts";
import type { ExamineOptions, Finding } from "./examine.ts";
import type { Executor, TaskFiles } from "./executor.ts";
import type { TaskJob } from "./local.ts";
import type { Execute } from "./pool.ts";
import type { SlurmOptions } from "./slurm.ts";

/** How an executor is made. */
export interface ExecutorOptions {
  /** Executes a task on this machine. */
  readonly execute: Execute<TaskJob, unknown, void>;
  readonly onProgress?: ((job: TaskJob, progress: unknown) => void) | undefined;
  /** Maximum number of concurrent tasks. */
  readonly atMost: number;
  /** Only for Redis with an object store. */
  readonly filesOf: (task: ManifestTask) => TaskFiles;
  /** Only for Slurm. */
  readonly slurm: Omit<SlurmOptions, "atMost">;
}

/** Work of other machines on this one. */
export interface WorkerOptions {
  readonly address: string;
  readonly slots: number;
  /**
   * Security: anyone with access to the queue controls what runs; accept only submissions inside this folder. With `objects`: where it
   * works.
   */
  readonly folder: string;
  /** The object store with the files, if that folder is not shared, and the seconds between two publications of a running task. */
  readonly objects?: { readonly address: string; readonly publishSeconds: number } | undefined;
  /** Seconds without heartbeat before a machine's tasks are reassigned. */
  readonly leaseSeconds: number;
  /** Exit after being idle for this long; without it, run forever. */
  readonly idleSeconds?: number | undefined;
  /** Executes a task and logs its outcome; saves and stops when `signal` aborts. */
  readonly execute: (task: TaskJob, claim: Claim, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly onBegin?: (task: TaskJob, claim: Claim) => void;
  readonly onEnd?: (task: TaskJob, how: "ended" | "put back" | "lost") => void;
  readonly say?: (sentence: string) => void;
}

export interface ExecutorPackage {
  /** `address` is what the user wrote. Errors: LabError for another text. */
  executor(address: string, options: ExecutorOptions): Executor;
  /** Executes tasks until the signal aborts or nothing is left to do; returns their number. */
  runWorker(options: WorkerOptions): Promise<number>;
  /** Examines the executor by a small task. */
  examine(address: string, options: ExamineOptions): Promise<Finding[]>;
}

export interface SimulatorPackage {
  /** Simulates a plan with several settings and seeds. Errors: LabError for an invalid plan or setting. */
  studyPlan(
    request: StudyRequest,
    onResult: (done: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<readonly StudiedSetting[]>;
  /** The plan of a file, or one that is measured in a folder with submissions; not validated. */
  writtenPlan(file: string): unknown;
}

interface Packages {
  readonly redis: ExecutorPackage;
  readonly "cluster-simulator": SimulatorPackage;
}

/** Whether this is the built package. */
const built = import.meta.url.endsWith(".js");

/** Errors: LabError where this installation has been made without it. */
export async function loadPackage<Name extends keyof Packages>(name: Name): Promise<Packages[Name]> {
  const url = new URL(`../../packages/${name}/index.${built ? "js" : "ts"}`, import.meta.url);
  if (!existsSync(url)) fail(`packages/${name}`, "the package beside statelab", "none", "Reinstall statelab");
  return (await import(url.href)).default; // its default export `satisfies` the interface
}

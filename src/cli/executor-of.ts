/** @file The engine that a flag or a submission names, as this program calls itself. */

import { taskInOwnProcess } from "../app/executor/task-process.ts";
import type { Engine } from "../executors/executor.ts";
import { engineNamed } from "../executors/index.ts";
import { taskFilesOf } from "../executors/job-outputs.ts";
import { stateFile } from "../executors/submission-registry.ts";

export interface EngineFlags {
  readonly atMost: number;
  readonly pack: number;
  readonly time?: string | undefined;
  readonly partition?: string | undefined;
}

/** What calls this program again, on this machine or on another one that has it under the same path. */
export const programHere = () => [process.execPath, ...process.execArgv, process.argv[1]];

export function engineOf(name: string, flags: EngineFlags = { atMost: 1, pack: 1 }): Engine {
  const { atMost, pack, time, partition } = flags;
  return engineNamed(name, {
    ...{ execute: taskInOwnProcess, atMost, filesOf: taskFilesOf },
    slurm: { pack, time, partition, program: programHere(), cache: stateFile("squeue.json") },
  });
}

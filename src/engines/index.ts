/** @file Every engine, by name. To add one: write its file, its test, and one line here. */

import type { Execute } from "../jobs/pool.ts";
import { fail } from "../records/error.ts";
import { nearest } from "../records/nearest.ts";
import type { Engine } from "./engine.ts";
import { local, type TaskJob } from "./local.ts";
import { type SlurmOptions, slurm } from "./slurm.ts";

export interface EngineOptions {
  /** Carries out a task on this machine. */
  readonly execute: Execute<TaskJob, unknown, void>;
  readonly onProgress?: ((job: TaskJob, progress: unknown) => void) | undefined;
  /** Tasks at the same time. */
  readonly atMost: number;
  /** Of Slurm alone. */
  readonly slurm: Omit<SlurmOptions, "atMost">;
}

export const engines = {
  local: (options: EngineOptions) => local<unknown>(options),
  slurm: ({ slurm: own, atMost }: EngineOptions) => slurm({ ...own, atMost }),
} satisfies Readonly<Record<string, (options: EngineOptions) => Engine>>;

export type EngineName = keyof typeof engines;

/** @throws LabError that names the nearest one. */
export function engineNamed(name: string, options: EngineOptions): Engine {
  if (Object.hasOwn(engines, name)) return engines[name as EngineName](options);
  const names = Object.keys(engines);
  const close = nearest(name, names);
  return fail("--on", `one of ${names.join(", ")}`, name, close && `Did you mean ${close}?`);
}

/** @file The registry of executors, by name or URL scheme. To add one: write its file, its test, and one line here. */

import { bullmq } from "../../packages/redis/bullmq.ts";
import { parseRedisAddress } from "../../packages/redis/redis.ts";
import { nearest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import type { ManifestTask } from "../schemas/submission.ts";
import type { Executor, TaskFiles } from "./executor.ts";
import { local, type TaskJob } from "./local.ts";
import type { Execute } from "./pool.ts";
import { type SlurmOptions, slurm } from "./slurm.ts";

export { executeTask } from "./execute-task.ts";
export type { Executor } from "./executor.ts";
export { listSubmissions } from "./manifest.ts";
export { stateOfSubmission } from "./supervise.ts";

interface EngineOptions {
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

/** `name` is what the user wrote, including the address. */
export const executors = {
  local: (options: EngineOptions) => local<unknown>(options),
  slurm: ({ slurm: own, atMost }: EngineOptions) => slurm({ ...own, atMost }),
  redis: ({ atMost, filesOf }: EngineOptions, name: string) => bullmq({ address: name, filesOf, atMost }),
} satisfies Readonly<Record<string, (options: EngineOptions, name: string) => Executor>>;

type EngineName = keyof typeof executors;

/** `redis` for `rediss://head:6379`, `slurm` for `slurm`. */
export const executorKind = (name: string): string => name.replace(/^rediss?:\/\/.*$/s, "redis");

/** The object store of an executor; undefined if its machines share a folder. */
export const objectStoreAddress = (name: string): string | undefined =>
  executorKind(name) === "redis" ? parseRedisAddress(name).objects : undefined;

/** @throws LabError that suggests the nearest name. */
export function executorNamed(name: string, options: EngineOptions): Executor {
  const kind = executorKind(name);
  if (Object.hasOwn(executors, kind)) return executors[kind as EngineName](options, name);
  const names = Object.keys(executors).map((each) => (each === "redis" ? "redis://HOST:6379" : each));
  const close = nearest(name, Object.keys(executors));
  return fail("--on", `one of ${names.join(", ")}`, name, close && `Did you mean ${close}?`);
}

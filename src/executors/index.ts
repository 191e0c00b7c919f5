/** @file The registry of executors, by name or URL scheme. To add one: write its file, its test, and one line here. */

import { nearest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import type { Executor } from "./executor.ts";
import { local } from "./local.ts";
import { type ExecutorOptions, loadPackage } from "./packages.ts";
import { slurm } from "./slurm.ts";

export { executeTask } from "./execute-task.ts";
export type { Executor } from "./executor.ts";
export { listSubmissions } from "./manifest.ts";
export { loadPackage } from "./packages.ts";
export { stateOfSubmission } from "./supervise.ts";

/** `name` is what the user wrote, including the address. */
export const executors = {
  local: async (options: ExecutorOptions) => local<unknown>(options),
  slurm: async ({ slurm: own, atMost }: ExecutorOptions) => slurm({ ...own, atMost }),
  redis: async (options: ExecutorOptions, name: string) =>
    (await loadPackage("redis")).executor(name, options),
} satisfies Readonly<Record<string, (options: ExecutorOptions, name: string) => Promise<Executor>>>;

/** `redis` for `rediss://head:6379`, `slurm` for `slurm`. */
export const executorKind = (name: string): string => name.replace(/^rediss?:\/\/.*$/s, "redis");

/** @throws LabError that suggests the nearest name. */
export async function executorNamed(name: string, options: ExecutorOptions): Promise<Executor> {
  const kind = executorKind(name);
  if (Object.hasOwn(executors, kind)) return executors[kind as keyof typeof executors](options, name);
  const names = Object.keys(executors).map((each) => (each === "redis" ? "redis://HOST:6379" : each));
  const close = nearest(name, Object.keys(executors));
  return fail("--executor", `one of ${names.join(", ")}`, name, close && `Did you mean ${close}?`);
}

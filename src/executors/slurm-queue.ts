/**
 * @file Parses `squeue --noheader --states=all --format=%F|%K|%T|%r|%N`: array, task indices, state, reason, nodes.
 *
 *     17|0|RUNNING|None|n1
 *     17|2-9,12%3|PENDING|JobArrayTaskLimit|          pending tasks are listed together
 *     17|1|COMPLETED|None|n2                          dropped after a while (MinJobAge)
 */

import { execFile } from "node:child_process";
import type { QueuedTask } from "./executor.ts";

export const queueFormat = "%F|%K|%T|%r|%N";

/** Final states. All others, including unknown ones, count as pending: PREEMPTED, NODE_FAIL and REQUEUED restart. */
const ended = new Set([
  "BOOT_FAIL",
  "CANCELLED",
  "COMPLETED",
  "DEADLINE",
  "FAILED",
  "LAUNCH_FAILED",
  "OUT_OF_MEMORY",
  "RECONFIG_FAIL",
  "REVOKED",
  "TIMEOUT",
]);
const working = new Set(["RUNNING", "COMPLETING", "STAGE_OUT", "SIGNALING", "SUSPENDED", "STOPPED"]);

/** Tasks that have not ended, by array and task: `17_3`. */
export function readQueue(text: string): Map<string, QueuedTask> {
  const found = new Map<string, QueuedTask>();
  for (const line of text.split("\n")) {
    const [array, tasks, state, reason = "", nodes = ""] = line.trim().split("|");
    if (state === undefined || ended.has(state)) continue;
    const queued: QueuedTask = working.has(state)
      ? { kind: "running", note: nodes }
      : { kind: "pending", note: state === "PENDING" ? reason : state };
    for (const task of expanded(tasks)) found.set(`${array}_${task}`, queued);
  }
  return found;
}

/** Slurm puts a job whose launch failed on hold, until a user releases it. */
export const isHeldByScheduler = (reason: string) => /^launch.failed.requeued.held$/i.test(reason);

/** `0-2,7,10-14:2%3` is 0, 1, 2, 7, 10, 12, 14. Empty for other texts: a job outside of any array. */
export function expanded(tasks: string): number[] {
  const [list] = tasks.split("%");
  return list.split(",").flatMap((part) => {
    const [, first, last, every = "1"] = /^(\d+)(?:-(\d+))?(?::(\d+))?$/.exec(part) ?? [];
    if (first === undefined) return [];
    const [from, to, step] = [Number(first), Number(last ?? first), Number(every)];
    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
  });
}

/** Seconds until the time limit, from `scontrol show job -o`; undefined without one. */
export function secondsLeft(shown: string): number | undefined {
  const of = (key: string) => secondsOf(new RegExp(`(?:^|\\s)${key}=(\\S+)`).exec(shown)?.[1] ?? "");
  const [limit, run] = [of("TimeLimit"), of("RunTime")];
  return limit === undefined || run === undefined ? undefined : limit - run;
}

/** `1-02:03:04` and `03:04`. */
function secondsOf(text: string): number | undefined {
  const [, days = "0", hours = "0", minutes, seconds] =
    /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$/.exec(text) ?? [];
  if (minutes === undefined) return undefined;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

export interface Said {
  readonly ok: boolean;
  readonly stdout: string;
  /** The error message on one line, also if the program does not exist. */
  readonly complaint: string;
}

export type CallProgram = (program: string, ...args: string[]) => Promise<Said>;

const longestMilliseconds = 60_000;
const longestBytes = 2 ** 28;

/** Resolves also if the program fails or does not exist. `environment` is added to this process's. */
export function callingWith(environment: Readonly<Record<string, string>>): CallProgram {
  return (program, ...args) =>
    new Promise((resolve) => {
      const options = {
        env: { ...process.env, ...environment },
        timeout: longestMilliseconds,
        maxBuffer: longestBytes,
      };
      execFile(program, args, options, (error, stdout, stderr) => {
        const missing = error?.code === "ENOENT" ? `there is no program ${program} here` : "";
        const complaint = missing || stderr.trim().replaceAll(/\s*\n\s*/g, "; ") || (error?.message ?? "");
        resolve({ ok: error === null, stdout, complaint });
      });
    });
}

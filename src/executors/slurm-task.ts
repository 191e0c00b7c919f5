/**
 * @file The end of a job of Slurm that was asked to stop: whether it has itself queued again.
 *
 *     near its time limit     scontrol requeue 17_3      that task alone: the bare 17 would be the whole array
 *     cancelled               no
 *     preempted               no: Slurm does it
 */

import { type CallProgram, callingWith } from "./exec.ts";
import { leadSeconds } from "./slurm.ts";
import { secondsLeft } from "./slurm-queue.ts";

/** Slurm may send the signal a minute early; saving takes time, too. */
const slackSeconds = 90;

/**
 * undefined for a process that is no job of Slurm's; else what was done. Called when all is saved. What is done is said before it is:
 * Slurm ends a job that it queues again, and so the process that asked for it, which may come to no word after that.
 */
export async function requeueAtLimit(
  environment: Readonly<Record<string, string | undefined>>,
  say: (words: string) => void,
  call: CallProgram = callingWith({}),
): Promise<"requeued" | "left" | undefined> {
  const { SLURM_JOB_ID: job, SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = environment;
  if (job === undefined) return undefined;
  const id = array === undefined ? job : `${array}_${task}`;
  const { ok, stdout } = await call("scontrol", "show", "job", "-o", id);
  if (!ok || !isAtLimit(stdout)) return "left";
  say("saved before the time limit; it is queued again");
  const asked = await call("scontrol", "requeue", id);
  if (asked.ok) return "requeued";
  say(`Slurm does not queue it again (${asked.complaint}); the command that submitted it submits it again`);
  return "left";
}

export function isAtLimit(shown: string): boolean {
  const left = secondsLeft(shown);
  if (left === undefined || left > leadSeconds + slackSeconds) return false;
  return /\bJobState=RUNNING\b/.test(shown) && /\bPreemptTime=None\b/.test(shown);
}

/**
 * @file The attempts at each task, logged by the tasks themselves, so that no executor has to be queried for them:
 *
 *     {"kind":"begun","at":"2026-...","host":"n1","job":"lab/17_3","epoch":0,"step":0}
 *     {"kind":"begun","at":"2026-...","host":"n2","job":"lab/17_3","epoch":1,"step":400}      n1 died after step 400
 *     {"kind":"done","at":"2026-..."}
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AttemptRecord } from "../schemas/submission.ts";
import { appendLine, readLog } from "../storage/index.ts";
import type { Submission } from "./executor.ts";
import { submissionFiles } from "./manifest.ts";

type TaskState =
  | { readonly kind: "new" }
  /** Running, or dead: the executor knows which. */
  | { readonly kind: "begun"; readonly host: string; readonly job: string }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly words: string }
  | { readonly kind: "stopped" };

export const attemptsPath = ({ folder }: Submission, index: number) =>
  join(folder, submissionFiles.tasks, `${index}.jsonl`);

export function keepAttempt(submission: Submission, index: number, record: AttemptRecord): void {
  appendLine(attemptsPath(submission, index), record);
}

export function readAttempts(submission: Submission, index: number): AttemptRecord[] {
  const path = attemptsPath(submission, index);
  return existsSync(path) ? readLog(path, AttemptRecord) : [];
}

/** Once done, a task stays done, whatever a stale attempt logs later. */
export function taskState(attempts: readonly AttemptRecord[]): TaskState {
  const last = attempts.find(({ kind }) => kind === "done") ?? attempts.at(-1);
  return last ?? { kind: "new" };
}

/** After this many attempts without progress, a task is not restarted automatically. */
export const mostDeaths = 3;

/**
 * The number of latest attempts, of one or several submissions, that died without a message and without saving a step more than the
 * previous one: a crash loop.
 */
export function deathsInVain(attempts: readonly AttemptRecord[]): number {
  let deaths = 0;
  let step = -1;
  for (const [i, attempt] of attempts.entries()) {
    if (attempt.kind !== "begun") {
      [deaths, step] = [0, -1];
      continue;
    }
    if (attempt.step > step) deaths = 0;
    step = attempt.step;
    if ((attempts[i + 1]?.kind ?? "begun") === "begun") deaths++;
  }
  return deaths;
}

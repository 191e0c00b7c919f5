/** @file Whether metrics.jsonl has a line for every step that a checkpoint stands on: what is lost cannot be written again. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { StepRecord } from "../../schemas/run-config.ts";
import { readLog, runFiles } from "../../storage/index.ts";

/** A sentence where lines of the first `done` steps are missing or out of order; none where all are there. */
export function missingIn(folder: string, done: number): string[] {
  const path = join(folder, runFiles.metrics);
  const lines = existsSync(path) ? readLog(path, StepRecord) : [];
  const steps = lines.map(({ step }) => step).filter((step) => step <= done);
  const known = new Set(steps);
  const missing = Array.from({ length: done }, (_, i) => i + 1).filter((step) => !known.has(step));
  if (missing.length > 0) {
    return [`${path}: the lines of ${rangesOf(missing)} are missing; they stay so, and the training goes on`];
  }
  const ordered = steps.every((step, i) => step === i + 1);
  return ordered
    ? []
    : [`${path}: the lines up to step ${done} are not one a step in their order; they stay so`];
}

/** `steps 3 to 7 and 9`, of at most three ranges. */
function rangesOf(steps: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const step of steps) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === step - 1) last[1] = step;
    else ranges.push([step, step]);
  }
  const names = ranges
    .slice(0, 3)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  const more = ranges.length > 3 ? ` and ${ranges.length - 3} more ranges` : "";
  return `step${steps.length === 1 ? "" : "s"} ${names.join(", ")}${more}`;
}

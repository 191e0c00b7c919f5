/** @file To which stage of its curriculum a run came, by its log: of runs whose checkpoints are gone, too. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type RunConfig, StepRecord } from "../../records/run.ts";
import { type Stalled, stalledAt } from "../../records/stalled.ts";
import { readLog, runFiles } from "../../store/index.ts";

/** What of the curriculum was never trained up to a step; undefined where all of it was, or no log says. */
export function stalledIn(
  folder: string,
  config: Pick<RunConfig, "curriculum">,
  step = Number.POSITIVE_INFINITY,
): Stalled | undefined {
  const path = join(folder, runFiles.metrics);
  if (config.curriculum.stages.length === 1 || !existsSync(path)) return undefined;
  const last = readLog(path, StepRecord).findLast((record) => record.step <= step);
  return last === undefined ? undefined : stalledAt(config, last.stage);
}

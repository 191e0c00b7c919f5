/** @file To which stage of its curriculum a run came, by its log: of runs whose checkpoints are gone, too. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { type Stalled, stalledAt } from "../../schemas/curriculum-status.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { readLog, runFiles } from "../../storage/index.ts";

/** The lines of a run's log. Errors: LabError (corrupt) naming one that is none, or whose stage the curriculum has not. */
export function stepsOf(
  folder: string,
  { curriculum: { stages } }: Pick<RunConfig, "curriculum">,
): StepRecord[] {
  const path = join(folder, runFiles.metrics);
  const records = readLog(path, StepRecord);
  const strange = records.findIndex(({ stage }) => stage >= stages.length);
  if (strange !== -1)
    fail(
      `${path}, line ${strange + 1}`,
      `a stage below ${stages.length}, as the curriculum has them`,
      records[strange].stage,
      undefined,
      "corrupt",
    );
  return records;
}

/** What of the curriculum was never trained up to a step; undefined where all of it was, or no log says. */
export function stalledIn(
  folder: string,
  config: Pick<RunConfig, "curriculum">,
  step = Number.POSITIVE_INFINITY,
): Stalled | undefined {
  const path = join(folder, runFiles.metrics);
  if (config.curriculum.stages.length === 1 || !existsSync(path)) return undefined;
  const last = stepsOf(folder, config).findLast((record) => record.step <= step);
  return last === undefined ? undefined : stalledAt(config, last.stage);
}

/**
 * @file What a run has come to, kept beside it by experiments that keep their runs: a night that was interrupted reads it, and
 * starts no process for what is done. So does every part that an engine's task has carried out: by it the answer comes back.
 *
 *     runs/zoo/parity-gru-seed-0/answered.json     { version: 1, about: the planned run, result: rows, measurements, curve }
 */

import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LabError } from "../../src/records/error.ts";
import { jsonText } from "../../src/records/finite.ts";
import { Measurement, ResultRow, TrainingCurve } from "../../src/records/result.ts";
import { readRecord, runFiles, writeFileAtomic } from "../../src/store/index.ts";
import { isModulePath } from "../../src/work/run/load.ts";
import { editedSince, readOrigin } from "../../src/work/run/origin.ts";
import type { Job, JobResult, WorkJob } from "./job.ts";

const Answered = z.strictObject({
  version: z.literal(1),
  /** Everything that the rest depends on; a model of the user's own besides, whose run is removed when it is edited. */
  about: z.unknown(),
  result: z.strictObject({
    rows: z.array(ResultRow),
    measurements: z.array(Measurement),
    curve: TrainingCurve.optional(),
  }),
});

function aboutOf(job: Job | WorkJob) {
  const { setting, model } = job;
  if (!("config" in job)) return { setting, model, seed: job.seed, options: job.options };
  return { setting, model, config: job.config, tests: job.tests };
}

/** What the very same run came to before; undefined where it is not done, or its record is damaged. */
export async function keptResult(job: Job | WorkJob): Promise<JobResult | undefined> {
  const path = join(job.folder, runFiles.answered);
  if (!existsSync(path)) return undefined;
  try {
    const { about, result } = await readRecord(path, Answered, "");
    return JSON.stringify(about) === JSON.stringify(aboutOf(job)) ? (result as JobResult) : undefined; // absent keys are absent
  } catch (error) {
    if (error instanceof LabError) return undefined;
    throw error;
  }
}

export async function keepResult(job: Job | WorkJob, result: JobResult): Promise<void> {
  const path = join(job.folder, runFiles.answered);
  const record = Answered.parse({ version: 1, about: aboutOf(job), result });
  await writeFileAtomic(path, `${jsonText(record, path)}\n`);
}

/** Removes a run whose model is a file of the user's own that is not as it was. */
export async function removeIfEdited({ folder, config }: Job): Promise<void> {
  if (!isModulePath(config.model.name) || !existsSync(folder)) return;
  const origin = await readOrigin(folder);
  if (origin === undefined || editedSince(folder, origin).length > 0) await rm(folder, { recursive: true });
}

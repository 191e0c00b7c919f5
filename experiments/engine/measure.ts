/** @file Measures what an experiment wants beside accuracy, once: what was found is kept in the folder of the run or the work. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { LabError } from "../../src/records/error.ts";
import { jsonText } from "../../src/records/finite.ts";
import type { PartsDone } from "../../src/records/progress.ts";
import { MeasuredRecord, type Measurement } from "../../src/records/result.ts";
import { makeFolder, readRecord, runFiles, writeFileAtomic } from "../../src/store/index.ts";
import type { Measuring, PlannedRun, PlannedWork } from "./experiment.ts";

const REPORT_EVERY_MILLISECONDS = 200;

export interface MeasureOptions {
  readonly folder: string;
  /** The experiment: several may measure the models of one folder. */
  readonly name: string;
  /** Everything that what is found depends on. */
  readonly about: PlannedRun | PlannedWork;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: PartsDone) => void;
}

/** What was found before for the very same run or work, or what `measuring` finds now. */
export async function measureOnce(
  measuring: () => Measuring,
  { folder, name, about, signal, onProgress }: MeasureOptions,
): Promise<readonly Measurement[]> {
  const home = join(folder, runFiles.measured);
  const path = join(home, `${name}.json`);
  const before = await recordAt(path);
  if (before !== undefined && isAbout(before, about)) return before.measurements;
  const { setting, model } = about;
  const seed = seedOf(about);
  let reported = Number.NEGATIVE_INFINITY;
  const steps = measuring();
  for (;;) {
    const step = await steps.next();
    if (step.done) {
      const measurements = step.value.map((row) => ({ setting, model, seed, at: {}, ...row }));
      const record = MeasuredRecord.parse({ version: 1, about, measurements });
      await makeFolder(home);
      await writeFileAtomic(path, `${jsonText(record, path, 1)}\n`);
      return record.measurements;
    }
    const now = performance.now();
    if (now - reported >= REPORT_EVERY_MILLISECONDS) {
      onProgress(step.value);
      reported = now;
    }
    await new Promise(setImmediate); // an interruption is heard between two steps
    if (signal.aborted) throw new Error("stopped");
  }
}

export const seedOf = (planned: Pick<PlannedRun, "config"> | Pick<PlannedWork, "seed">) =>
  "config" in planned ? planned.config.seed : planned.seed;

/** Version 0.1 called a run's tests its conditions. */
function isAbout(record: MeasuredRecord, about: PlannedRun | PlannedWork): boolean {
  const text = JSON.stringify(record.about);
  const now = JSON.stringify(about);
  return text === now || text.replace('"conditions":[', '"tests":[') === now;
}

/** A damaged record is measured again. */
async function recordAt(path: string): Promise<MeasuredRecord | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return await readRecord(path, MeasuredRecord, "");
  } catch (error) {
    if (error instanceof LabError) return undefined;
    throw error;
  }
}

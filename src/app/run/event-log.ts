/** @file The event file of `train --log tensorboard`, which grows while the run trains: RUN/tensorboard/events.out.tfevents.TIME.statelab. */

import { appendFileSync, closeSync, openSync } from "node:fs";
import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { leaves } from "../../core/json.ts";
import {
  eventFile,
  eventFileName,
  eventRecord,
  type HyperParameters,
} from "../../schemas/formats/tensorboard.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { writing } from "../../storage/folder.ts";
import { makeFolder, type OpenRun, readLog, runFiles, writeFileAtomic } from "../../storage/index.ts";
import { runGroup } from "../../storage/run-files.ts";

export interface EventLog {
  append(record: StepRecord): void;
  close(): void;
}

/**
 * The new file begins with the steps of metrics.jsonl, and earlier ones of the run become empty: from these, a reader goes to the
 * next; if one were removed, TensorBoard would wait for it.
 */
export async function openEventLog({ folder, lock }: OpenRun, config: RunConfig): Promise<EventLog> {
  const place = join(folder, runFiles.tensorboard);
  await makeFolder(place);
  const before = (await readdir(place)).filter((name) => /^events\.out\.tfevents\.\d+\.statelab$/.test(name));
  const now = Date.now() / 1000;
  // Readers go from file to file in the order of their names.
  const path = join(
    place,
    eventFileName(Math.max(now, ...before.map((name) => Number(name.split(".")[3]) + 1))),
  );
  const steps = readLog(join(folder, runFiles.metrics), StepRecord);
  let time = now - steps.reduce((sum, { seconds }) => sum + seconds, 0);
  const events = steps.map((record) => {
    time += record.seconds;
    return { step: record.step, time, scalars: stepScalars(record) };
  });
  await writeFileAtomic(path, eventFile(events[0]?.time ?? now, events, settingsOf(folder, config)), lock);
  for (const name of before) await truncate(join(place, name));
  const file = writing(path, () => openSync(path, "a"));
  return {
    append(record) {
      const event = { step: record.step, time: Date.now() / 1000, scalars: stepScalars(record) };
      lock.check();
      writing(path, () => appendFileSync(file, eventRecord(event)));
    },
    close: () => closeSync(file),
  };
}

/** What of a step is a number: `train/loss`. */
export function stepScalars({ step: _, ...record }: StepRecord): Record<string, number> {
  const numbers = Object.entries(record).filter(
    (each): each is [string, number] => typeof each[1] === "number",
  );
  return Object.fromEntries(numbers.map(([key, value]) => [`train/${key}`, value]));
}

/** Runs of one folder that differ only in the seed are one group. */
export function settingsOf(
  folder: string,
  { seed, task, model, train }: Pick<RunConfig, "seed" | "task" | "model" | "train">,
): HyperParameters {
  return { values: Object.fromEntries(leaves({ seed, task, model, train })), group: runGroup(folder) };
}

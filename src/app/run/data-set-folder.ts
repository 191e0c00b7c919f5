/** @file The data set of a folder as a task: its rows, and the task of the lab that made them, if one did. */

import { openRows } from "../../storage/dataset/rows.ts";
import { readDatasetConfig } from "../../storage/dataset.ts";
import { dataSetTask } from "../../tasks/dataset-task.ts";
import { type Task, taskNamed, taskParams, tasks } from "../../tasks/index.ts";

/** Errors: LabError where there is no data set, naming file and row where one is no row. */
export async function taskOfRows(folder: string): Promise<Task> {
  const splits = await openRows(folder);
  const config = await readDatasetConfig(folder);
  const known =
    config !== undefined && Object.hasOwn(tasks, config.task) ? taskNamed(config.task) : undefined;
  const made = known?.prepare(taskParams(known, config?.params ?? {}));
  return dataSetTask({ splits, made }) as unknown as Task; // a task takes exactly what its own schema gives
}

/** @file A training with its tests, as a task of an engine. */

import type { Carrier } from "../../executors/execute-task.ts";
import { latestCheckpoint } from "../../storage/index.ts";
import { answersOf } from "./execute.ts";

export const run: Carrier<"run"> = {
  saved: async (folder) => (await latestCheckpoint(folder))?.step ?? 0,
  async carryOut({ folder, work: { config } }, tell, signal) {
    await answersOf({ folder, config, overwrite: false }, tell, signal);
  },
};

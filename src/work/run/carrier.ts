/** @file A training with its tests, as a task of an engine. */

import { latestCheckpoint } from "../../store/index.ts";
import type { Carrier } from "../engine/task.ts";
import { answersOf } from "./carry-out.ts";

export const run: Carrier<"run"> = {
  saved: async (folder) => (await latestCheckpoint(folder))?.step ?? 0,
  async carryOut({ folder, work: { config } }, tell, signal) {
    await answersOf({ folder, config, overwrite: false }, tell, signal);
  },
};

/** @file A part of an experiment, as a task of an engine: carried out, and what it came to kept in its folder. */

import { latestCheckpoint, lockFolder, runFiles } from "../../src/store/index.ts";
import type { Carrier } from "../../src/work/engine/task.ts";
import type { Job, WorkJob } from "./job.ts";
import { keepResult } from "./kept.ts";
import { carryOutPart } from "./part.ts";

export const part: Carrier<"part"> = {
  saved: async (folder) => (await latestCheckpoint(folder))?.step ?? 0,

  async carryOut({ folder, work }, tell, signal) {
    // Absent keys are absent: the schema leaves out what is not there.
    const job = { ...work.part, folder, ...("config" in work.part && { overwrite: false }) } as Job | WorkJob;
    if ("config" in job) return keepResult(job, await carryOutPart(job, tell, signal));
    const lock = await lockFolder(folder, runFiles.lock); // a training has a lock of its own
    try {
      await keepResult(job, await carryOutPart(job, tell, signal));
    } finally {
      lock.release();
    }
  },
};

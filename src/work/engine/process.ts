/** @file A task carried out in a process of its own on this machine: what the engine `local` begins. */

import type { TaskJob } from "../../engines/local.ts";
import { inChildProcess } from "../../jobs/child.ts";
import type { RunProgress } from "../run/progress.ts";

/** One thread each, as for the runs of any sweep. */
export const taskInOwnProcess = inChildProcess<TaskJob, RunProgress, void>({
  entry: new URL("./worker.ts", import.meta.url),
  environment: { OMP_NUM_THREADS: "1" },
});

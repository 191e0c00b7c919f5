/** @file One task of a submission in a process of its own: what work/engine/process.ts begins. */

import type { TaskJob } from "../engines/local.ts";
import { serveJob } from "../jobs/worker.ts";
import { carryOutTask } from "../work/engine/task.ts";
import type { RunProgress } from "../work/run/progress.ts";
import { carriers } from "./carriers.ts";

await serveJob<TaskJob, RunProgress, void>(async ({ folder, index }, tell, signal) => {
  const { end, words } = await carryOutTask(folder, index, carriers, tell, signal);
  if (end !== "done") throw new Error(words || end);
});

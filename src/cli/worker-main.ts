/** @file One task of a submission in a process of its own: what work/engine/process.ts begins. */

import type { RunProgress } from "../app/run/progress.ts";
import { carryOutTask } from "../executors/execute-task.ts";
import type { TaskJob } from "../executors/local.ts";
import { serveJob } from "../executors/worker.ts";
import { carriers } from "./job-handlers.ts";

await serveJob<TaskJob, RunProgress, void>(async ({ folder, index }, tell, signal) => {
  const { end, words } = await carryOutTask(folder, index, carriers, tell, signal);
  if (end !== "done") throw new Error(words || end);
});

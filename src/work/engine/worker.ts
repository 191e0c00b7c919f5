/** @file One task of a submission in a process of its own, on this machine. */

import type { TaskJob } from "../../engines/local.ts";
import { serveJob } from "../../jobs/worker.ts";
import type { RunProgress } from "../run/progress.ts";
import { carryOutTask } from "./task.ts";

await serveJob<TaskJob, RunProgress, void>(async ({ folder, index }, tell, signal) => {
  const { end, words } = await carryOutTask(folder, index, tell, signal);
  if (end !== "done") throw new Error(words || end);
});

/** @file The process of one local task, started by app/executor/task-process.ts. */

import type { RunProgress } from "../../app/run/execute.ts";
import { executeTask } from "../../executors/execute-task.ts";
import type { TaskJob } from "../../executors/local.ts";
import { serveJobs } from "../../executors/worker.ts";
import { handlers } from "./worker.ts";

await serveJobs<TaskJob, RunProgress, void>(async ({ folder, index }, tell, signal) => {
  const { end, words } = await executeTask(
    folder,
    index,
    handlers,
    (progress) => tell(progress as RunProgress),
    signal,
  );
  if (end !== "done") throw new Error(words || end);
});

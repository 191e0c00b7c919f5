/** @file A run carried out in a process of its own: the worker of sweeps, searches and experiments. */

import { commandVariable } from "../../executors/execute-task.ts";
import { inChildProcess } from "../../executors/fork.ts";
import type { RunAnswers, RunJob } from "./execute.ts";
import type { RunProgress } from "./progress.ts";
import { thisCommand } from "./provenance.ts";

/** One thread each: two single threads side by side are faster than one run with two. */
export const inOwnProcess = inChildProcess<RunJob, RunProgress, RunAnswers>({
  entry: new URL("./worker.ts", import.meta.url),
  environment: { OMP_NUM_THREADS: "1", [commandVariable]: JSON.stringify(thisCommand()) },
});

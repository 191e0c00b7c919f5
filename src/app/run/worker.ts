/** @file Entry point of the child process that executes one run (`inOwnProcess`). */

import { serveJobs } from "../../executors/worker.ts";
import { type RunAnswers, type RunJob, type RunProgress, readAnswers } from "./execute.ts";
import { summaryOf } from "./results.ts";

await serveJobs<RunJob, RunProgress, RunAnswers>(async (job, tell, signal) => {
  return { results: (await readAnswers(job, tell, signal)).map(summaryOf) };
});

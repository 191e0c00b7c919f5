/** @file One run in a process of its own. */

import { serveJob } from "../../executors/worker.ts";
import { answersOf, type RunAnswers, type RunJob } from "./execute.ts";
import type { RunProgress } from "./progress.ts";
import { summaryOf } from "./results.ts";

await serveJob<RunJob, RunProgress, RunAnswers>(async (job, tell, signal) => {
  return { results: (await answersOf(job, tell, signal)).map(summaryOf) };
});

/** @file One run in a process of its own. */

import { serveJob } from "../../jobs/worker.ts";
import { answersOf, type RunAnswers, type RunJob } from "./carry-out.ts";
import type { RunProgress } from "./progress.ts";
import { summaryOf } from "./tested.ts";

await serveJob<RunJob, RunProgress, RunAnswers>(async (job, tell, signal) => {
  return { results: (await answersOf(job, tell, signal)).map(summaryOf) };
});

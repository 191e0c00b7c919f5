/** @file Entry point of the child process that carries out one part of an experiment. */

import type { RunProgress } from "../../src/app/run/execute.ts";
import { serveJobs } from "../../src/executors/worker.ts";
import { executePart, type Job, type JobResult, type WorkJob } from "./part.ts";

await serveJobs<Job | WorkJob, RunProgress, JobResult>(executePart);

/** @file Entry point of the child process that carries out one part of an experiment. */

import { serveJob } from "../../src/jobs/worker.ts";
import type { RunProgress } from "../../src/work/run/progress.ts";
import { carryOutPart, type Job, type JobResult, type WorkJob } from "./part.ts";

await serveJob<Job | WorkJob, RunProgress, JobResult>(carryOutPart);

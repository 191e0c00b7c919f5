/** @file One part of an experiment in a process of its own. */

import { serveJob } from "../../src/jobs/worker.ts";
import type { RunProgress } from "../../src/work/run/progress.ts";
import { carryOutPart, type Job, type JobResult, type WorkJob } from "./part.ts";

await serveJob<Job | WorkJob, RunProgress, JobResult>(carryOutPart);

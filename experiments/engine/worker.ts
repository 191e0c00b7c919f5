/** @file One part of an experiment in a process of its own. */

import { serveJob } from "../../src/jobs/worker.ts";
import type { RunProgress } from "../../src/work/run/progress.ts";
import type { Job, JobResult, WorkJob } from "./job.ts";
import { carryOutPart } from "./part.ts";

await serveJob<Job | WorkJob, RunProgress, JobResult>(carryOutPart);

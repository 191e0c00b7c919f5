/** @file One run of an experiment in a process of its own: train (or go on), then ask about every condition. */

import { join } from "node:path";
import { configOf, trainNew, trainOn } from "../src/cli/train-run.ts";
import { openTrained } from "../src/cli/trained-run.ts";
import { existsSync, readFileSync } from "node:fs";
import { serveJob } from "../src/jobs/worker.ts";
import type { ResultRow, TrainingCurve } from "../src/records/result.ts";
import { type RunConfig, StepRecord } from "../src/records/run.ts";
import { readLog } from "../src/store/index.ts";
import { replReferences } from "../src/tasks/repl.ts";
import type { Condition } from "./experiment.ts";

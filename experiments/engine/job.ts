/** @file What the runner of an experiment and its workers say to each other: plain data. */

import type { Measurement, ResultRow, TrainingCurve } from "../../src/records/result.ts";
import type { RunJob } from "../../src/work/run/carry-out.ts";
import type { PlannedRun, PlannedWork } from "./experiment.ts";

export interface Job extends PlannedRun, RunJob {
  /** The experiment that measures the trained model beside its accuracy, if it does. */
  readonly measuredBy?: string;
  /** Points of its curve. */
  readonly curvePoints?: number;
}

export interface WorkJob extends PlannedWork {
  readonly folder: string;
  readonly measuredBy: string;
}

export interface JobResult {
  readonly rows: readonly ResultRow[];
  readonly measurements: readonly Measurement[];
  /** Of a run that was trained. */
  readonly curve?: TrainingCurve;
}

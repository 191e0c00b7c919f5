/** @file What the runner of an experiment and its workers say to each other: plain data. */

import type { ResultRow, TrainingCurve } from "../src/records/result.ts";
import type { PlannedRun } from "./experiment.ts";

export interface Job extends PlannedRun {
  readonly folder: string;
}

export type JobProgress =
  | { readonly kind: "start"; readonly parameters: number; readonly bytes: number; readonly seconds: number }
  | {
      readonly kind: "step";
      readonly step: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly stage: string;
      readonly secondsPerStep: number;
      readonly tokensPerSecond: number;
    }
  | { readonly kind: "ask"; readonly test: string };

export interface JobResult {
  readonly rows: readonly ResultRow[];
  readonly curve: TrainingCurve;
}

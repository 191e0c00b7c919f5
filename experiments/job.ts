/** @file What the runner of an experiment and its workers say to each other: plain data. */

import type { ResultRow, TrainingCurve } from "../src/records/result.ts";
import type { RunConfig } from "../src/records/run.ts";
import type { Condition, Plan } from "./experiment.ts";

export interface Job {
  readonly folder: string;
  readonly model: string;
  readonly config: RunConfig;
  readonly trained: Plan["trained"];
  readonly conditions: readonly Condition[];
  readonly window: number;
}

export type JobProgress =
  | { readonly kind: "start"; readonly parameters: number; readonly bytes: number; readonly seconds: number }
  | {
      readonly kind: "step";
      readonly step: number;
      readonly loss: number;
      readonly accuracy: number;
      readonly spacing: number;
      readonly secondsPerStep: number;
      readonly tokensPerSecond: number;
    }
  | { readonly kind: "ask"; readonly condition: number };

export interface JobResult {
  readonly rows: readonly ResultRow[];
  readonly curve: TrainingCurve;
}

/** @file What the process that trains and asks a run tells meanwhile: plain data, a few times a second. */

import type { PartsDone } from "../../core/progress.ts";
import type { RunConfig, StepRecord } from "../../schemas/run-config.ts";
import type { TrainRunOptions } from "./train.ts";

export type RunProgress =
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
  | { readonly kind: "warning"; readonly sentence: string }
  | { readonly kind: "ask"; readonly test: string }
  | ({ readonly kind: "measure" } & PartsDone);

export type Tell = (progress: RunProgress) => void;

const reportEveryMilliseconds = 200;
/** Steps whose mean is the speed that is told. */
const recentSteps = 20;

/** A training's own reports, thinned. */
export function reportsOf(
  config: RunConfig,
  tell: Tell,
): Pick<TrainRunOptions, "onStart" | "onStep" | "onWarning"> {
  let reported = Number.NEGATIVE_INFINITY;
  const recent: StepRecord[] = [];
  const total = (key: "seconds" | "tokens") => recent.reduce((sum, record) => sum + record[key], 0);
  return {
    onStart: ({ parameters, estimate: { bytes, seconds } }) =>
      tell({ kind: "start", parameters, bytes, seconds }),
    onWarning: (sentence) => tell({ kind: "warning", sentence }),
    onStep: (record) => {
      recent.push(record);
      if (recent.length > recentSteps) recent.shift();
      const now = performance.now();
      if (record.step < config.train.steps && now - reported < reportEveryMilliseconds) return;
      reported = now;
      tell({
        kind: "step",
        step: record.step,
        loss: record.loss,
        accuracy: record.runningAccuracy,
        stage: stageName(config, record.stage),
        secondsPerStep: total("seconds") / recent.length,
        tokensPerSecond: total("tokens") / total("seconds"),
      });
    },
  };
}

/** A stage by its hardest change, `12` for `{ spacing: 12 }`, or by its number where it changes nothing. */
export function stageName({ curriculum }: RunConfig, stage: number): string {
  const values = Object.values(curriculum.stages[stage].at(-1)!);
  return values.length === 0 ? String(stage + 1) : values.map((value) => [value].flat().join("–")).join(", ");
}

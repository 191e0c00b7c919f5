/** @file Types of what an experiment measured, before and after it is compared with what was expected. */

import type { ExperimentResult, Measurement } from "../../src/schemas/experiment-result.ts";

/** A share that is enough. */
export interface Criterion {
  readonly least: number;
  /** `95 %` */
  readonly inWords: string;
  met(share: number): boolean;
}

/** What is measured; setting, model and seed are those of the run or the work, unless a row names another model. */
export type Measurements = readonly (Pick<Measurement, "name" | "values"> &
  Partial<Pick<Measurement, "model" | "at" | "note">>)[];

/** A result before it is read: no claims, no findings. */
export type UnreadResult = Omit<ExperimentResult, "claims" | "checks" | "findings">;

export interface MeasurementLabels<At extends string = string, Value extends string = string> {
  readonly id: string;
  readonly label: string;
  /** Where rows of this kind may be: a layer and a head, a length. */
  readonly at: Readonly<Record<At, string>>;
  readonly values: Readonly<Record<Value, string>>;
}

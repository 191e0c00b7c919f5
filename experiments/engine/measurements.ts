/**
 * @file A kind of measurement beside accuracy: its id, what it, its places and its numbers are called where people read
 * them, and how rows of it are made and found. Ids stand in result.json; only tables and pages show the labels.
 */

import type { ExperimentResult, Measurement } from "../../src/records/result.ts";
import type { Measurements, UnreadResult } from "./experiment.ts";

export interface MeasurementLabels<At extends string = string, Value extends string = string> {
  readonly id: string;
  readonly label: string;
  /** Where rows of this kind may be: a layer and a head, a length. */
  readonly at: Readonly<Record<At, string>>;
  readonly values: Readonly<Record<Value, string>>;
}

/** A measurement that was found again, with the keys of its kind. */
export interface Found<At extends string, Value extends string> extends Omit<Measurement, "at" | "values"> {
  readonly at: Readonly<Record<At, number | string>>;
  readonly values: Readonly<Record<Value, number>>;
}

export interface Row<At extends string, Value extends string> {
  readonly at?: Readonly<Record<At, number | string>>;
  readonly values: Readonly<Partial<Record<Value, number>>>;
  readonly model?: string;
  readonly note?: string;
}

export interface Wanted<At extends string> {
  readonly setting?: string;
  readonly model?: string;
  readonly seed?: number;
  readonly at?: Readonly<Partial<Record<At, number | string>>>;
}

export function defineMeasurement<At extends string, Value extends string>(
  kind: MeasurementLabels<At, Value>,
) {
  return {
    ...kind,

    /** As `measureRun` and `measureWork` return it. */
    row: (row: Row<At, Value>): Measurements[number] => ({ name: kind.id, ...row }) as Measurements[number], // absent numbers are no keys

    /** What a result holds of this kind, in the order in which it was measured. */
    of({ measurements }: Pick<UnreadResult, "measurements">, wanted: Wanted<At> = {}): Found<At, Value>[] {
      const { setting, model, seed, at = {} } = wanted;
      const places = Object.entries(at);
      return measurements.filter(
        (row) =>
          row.name === kind.id &&
          (setting ?? row.setting) === row.setting &&
          (model ?? row.model) === row.model &&
          (seed ?? row.seed) === row.seed &&
          places.every(([key, value]) => row.at[key] === value),
      ) as Found<At, Value>[]; // rows of one name have the keys of its kind
    },
  };
}

/** As a result holds them. */
export function labelsOf(kinds: readonly MeasurementLabels[]): ExperimentResult["labels"] {
  return Object.fromEntries(kinds.map(({ id, label, at, values }) => [id, { label, at, values }]));
}

/** @file From the rows of a result to the lines and grids of its report, and to the numbers that are read against the paper. */

import { mean, scaledAccuracy } from "../../src/core/statistics.ts";
import { type GridFigure, type Line, type LinesFigure, modelOrder } from "../../src/report/index.ts";
import type { ExperimentResult, Measurement, ResultRow } from "../../src/schemas/experiment-result.ts";
import type { MeasurementLabels, Measurements, UnreadResult } from "./result.ts";

export type { MeasurementLabels };

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

    /** Rows of this kind in a result, in the order of measurement. */
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

/** In the form of a result. */
export function measurementLabels(kinds: readonly MeasurementLabels[]): ExperimentResult["labels"] {
  return Object.fromEntries(kinds.map(({ id, label, at, values }) => [id, { label, at, values }]));
}

type Point = readonly [x: number, y: number];
/** All rows of one setting, model and seed -> the points of its line. */
type PointsOf = (rows: readonly ResultRow[]) => Point[];

export function measurementRows(
  { results }: Pick<UnreadResult, "results">,
  wanted: {
    readonly setting?: string;
    readonly model?: string;
    readonly test?: string;
    readonly seed?: number;
  },
): ResultRow[] {
  return results.filter(
    ({ setting, model, tested, seed }) =>
      (wanted.seed ?? seed) === seed &&
      (wanted.setting ?? setting) === setting &&
      (wanted.model ?? model) === model &&
      (wanted.test ?? tested.name) === tested.name,
  );
}

/** Measurements of one name as a line: a point at each place, `value` over the place called `key`, one list a seed. */
export function measuredLine<At extends string, Value extends string>(
  rows: readonly Pick<Found<At, Value>, "seed" | "at" | "values">[],
  key: At,
  value: Value,
): Line["seeds"] {
  const seeds = [...new Set(rows.map(({ seed }) => seed))];
  return seeds.map((seed) => ({
    seed,
    points: rows.flatMap((row): Point[] =>
      row.seed === seed && row.values[value] !== undefined ? [[Number(row.at[key]), row.values[value]]] : [],
    ),
  }));
}

/** The row as if the reference had answered; undefined where the task has no such reference. */
export function asReference(row: ResultRow, name: string): ResultRow | undefined {
  if (!Object.hasOwn(row.references, name)) return undefined;
  return { ...row, ...row.references[name] };
}

/** A number of a row: what is drawn, averaged or compared. */
export type Reading = (row: ResultRow) => number;

export const readAccuracy: Reading = ({ accuracy }) => accuracy;
/** Of the last answer of each program. */
export const atEnd: Reading = ({ accuracyLast }) => accuracyLast;
export const scaled: Reading = (row) => scaledAccuracy(row.accuracy, row.tested.chance);
export const scaledAtEnd: Reading = (row) => scaledAccuracy(row.accuracyLast, row.tested.chance);

/** Accuracy by a number that the test changes: `by("spacing")`. */
export function by(key: string, value: Reading = readAccuracy): PointsOf {
  return (rows) =>
    rows.map((row): Point => [Number(row.tested.change[key]), value(row)]).toSorted(([a], [b]) => a - b);
}

/** Scaled accuracy by position, every `step` commands, in the one test of that name. */
export function byPosition(test: string, step: number): PointsOf {
  return (rows) =>
    rows
      .filter(({ tested }) => tested.name === test)
      .flatMap(({ accuracyByReveal, tested }) =>
        accuracyByReveal.map((share, i): Point => [(i + 1) * step, scaledAccuracy(share, tested.chance)]),
      );
}

interface LinesOptions extends Pick<LinesFigure, "title" | "xLabel" | "scale" | "chance" | "mark"> {
  readonly setting: string;
  readonly points: PointsOf;
  /** The reference drawn as what needs no tracking, and what to call it. */
  readonly reference?: string;
  readonly referenceLabel?: string;
}

/** One line a model with its seeds, over the windowed reference. */
export function lines(
  result: Pick<UnreadResult, "models" | "results" | "measurements" | "training">,
  options: LinesOptions,
): LinesFigure {
  const { setting, points, reference = "windowedBayes", mark, ...others } = options;
  const { referenceLabel = "windowed filter", ...figure } = others;
  const own = measurementRows(result, { setting });
  const seeds = (rows: readonly ResultRow[]) => [...new Set(rows.map(({ seed }) => seed))];
  const order = modelOrder(result);
  const models = order.filter((model) => own.some((row) => row.model === model));
  const references = own.flatMap((row) => asReference(row, reference) ?? []);
  const one = references.filter(
    ({ model, seed }) => model === references[0]?.model && seed === references[0]?.seed,
  );
  return {
    kind: "lines",
    ...figure,
    ...(mark !== undefined && { mark }),
    ...(one.length > 0 && { window: { label: referenceLabel, points: points(one) } }),
    lines: models.map((model): Line => {
      const rows = own.filter((row) => row.model === model);
      return {
        label: result.models[model]?.label ?? model,
        index: order.indexOf(model),
        seeds: seeds(rows).map((seed) => ({ seed, points: points(rows.filter((row) => row.seed === seed)) })),
      };
    }),
  };
}

interface GridOptions {
  readonly title: string;
  readonly rows: readonly ResultRow[];
  /** Keys of the test's changes, and what to call them. */
  readonly down: readonly [key: string, label: string];
  readonly across: readonly [key: string, label: string];
}

/** Mean accuracy over seeds for every pair of two numbers that the tests change. */
export function grid({ title, rows, down, across }: GridOptions): GridFigure {
  const values = (key: string) =>
    [...new Set(rows.map(({ tested }) => Number(tested.change[key])))].toSorted((a, b) => a - b);
  const [downValues, acrossValues] = [values(down[0]), values(across[0])];
  return {
    kind: "grid",
    title,
    rowLabel: down[1],
    columnLabel: across[1],
    rows: downValues.map(String),
    columns: acrossValues.map(String),
    cells: downValues.map((i) =>
      acrossValues.map((j) => {
        const here = rows.filter(
          ({ tested }) => Number(tested.change[down[0]]) === i && Number(tested.change[across[0]]) === j,
        );
        if (here.length === 0) return undefined;
        const shares = here.map(({ accuracy }) => accuracy);
        const range = `, ${shares.length} seeds, ${shares.map((share) => (100 * share).toFixed(1)).join(", ")}`;
        return {
          share: mean(shares),
          trained: here.every(({ tested }) => tested.asTrained),
          ...(shares.length > 1 && { about: range }),
        };
      }),
    ),
  };
}

/**
 * @file Results of the headline by model and test condition, with the spread over seeds: the data of figures/conditions.ts.
 *
 * A condition is *held* if, in each seed, its accuracy is at most 5 points below the exact Bayes filter on the same programs.
 */

import { z } from "zod";
import { parseWith } from "../core/settings.ts";
import type { ExperimentResult, ResultRow } from "../schemas/experiment-result.ts";

const TOLERANCE = 0.05;

/** Programs of one shape. */
export interface Condition {
  /** commands/spacing, such as 48/24. */
  readonly key: string;
  readonly commands: number;
  readonly spacing: number;
  /** All variables are printed, or one. */
  readonly reveal: "full" | "partial";
  /** Whether any model was trained on programs of this shape. */
  readonly asTrained: boolean;
  /** Accuracy of a uniform guess. */
  readonly chance: number;
  /** Means over all rows of this shape. */
  readonly exact: number;
  readonly windowed: number;
  readonly windowedByReveal: readonly number[];
}

/** One value per seed, in the order of the rows. */
export interface Spread {
  readonly values: readonly number[];
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

/** One model on programs of one shape, over all its seeds. */
export interface Cell {
  readonly condition: Condition;
  readonly rows: readonly ResultRow[];
  readonly accuracy: Spread;
  /** One spread per reveal position. */
  readonly byReveal: readonly Spread[];
  readonly holds: boolean;
  /** Whether this model was trained on programs of this shape, in every seed. */
  readonly asTrained: boolean;
}

export interface ModelSummary {
  readonly label: string;
  /** Position among the models: chooses color, line and marker. */
  readonly index: number;
  readonly cells: readonly Cell[];
  readonly seeds: number;
}

export interface Summary {
  readonly models: readonly ModelSummary[];
  /** Shorter programs first, then denser reveals first, full reveals before partial ones: the last one is the hardest. */
  readonly conditions: readonly Condition[];
  readonly hardest: Condition;
  readonly window: number;
}

/** `result` has at least one row. */
export function summarize(result: Pick<ExperimentResult, "models" | "results" | "window">): Summary {
  const conditions = [...grouped(result.results, shape).values()]
    .map(conditionOf)
    .toSorted((a, b) => a.commands - b.commands || density(a) - density(b));
  const tested = grouped(result.results, (row) => row.model);
  const names = new Set([...Object.keys(result.models).filter((name) => tested.has(name)), ...tested.keys()]);
  return {
    models: [...names].map((name, index): ModelSummary => {
      const rows = tested.get(name)!;
      const byShape = grouped(rows, shape);
      return {
        label: Object.hasOwn(result.models, name) ? result.models[name].label : name,
        index,
        cells: conditions.flatMap((condition) => {
          const here = byShape.get(condition.key);
          return here === undefined ? [] : [cellOf(condition, here)];
        }),
        seeds: new Set(rows.map(({ seed }) => seed)).size,
      };
    }),
    conditions,
    hardest: conditions.at(-1)!,
    window: result.window ?? 0,
  };
}

export const cellAt = (model: ModelSummary, { key }: Condition): Cell | undefined =>
  model.cells.find(({ condition }) => condition.key === key);

export function spread(values: readonly number[]): Spread {
  const min = Math.min(...values);
  const max = Math.max(...values);
  // Rounding can carry the mean of equal numbers past them.
  const mean = Math.min(max, Math.max(min, values.reduce((sum, value) => sum + value, 0) / values.length));
  return { values, mean, min, max };
}

/** Items by key, keys in the order of their first item. */
export function grouped<Item, Key>(items: readonly Item[], key: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

const density = ({ spacing, reveal }: Condition) => spacing - (reveal === "full" ? 0.5 : 0);

function conditionOf(rows: readonly ResultRow[]): Condition {
  const { change, chance } = rows[0].tested;
  return {
    key: shape(rows[0]),
    ...parseWith(Shape, change, "report"),
    chance,
    asTrained: rows.some((row) => row.tested.asTrained),
    exact: spread(rows.map((row) => exact(row).accuracy)).mean,
    windowed: spread(rows.map((row) => windowed(row).accuracy)).mean,
    windowedByReveal: byPosition(rows.map((row) => [...windowed(row).accuracyByReveal])).map(
      ({ mean }) => mean,
    ),
  };
}

function cellOf(condition: Condition, rows: readonly ResultRow[]): Cell {
  return {
    condition,
    rows,
    accuracy: spread(rows.map((row) => row.accuracy)),
    byReveal: byPosition(rows.map((row) => row.accuracyByReveal)),
    holds: rows.every((row) => row.accuracy >= exact(row).accuracy - TOLERANCE),
    asTrained: rows.every((row) => row.tested.asTrained),
  };
}

/** [seed][position] -> a spread per position, up to the shortest seed. */
function byPosition(lists: readonly (readonly number[])[]): Spread[] {
  const length = Math.min(...lists.map((list) => list.length));
  return Array.from({ length }, (_, position) => spread(lists.map((list) => list[position]!)));
}

const shape = ({ tested }: ResultRow) => tested.name;
const missing = { accuracy: Number.NaN, accuracyByReveal: [] as readonly number[] };
const reference = (name: string) => (row: ResultRow) =>
  Object.hasOwn(row.references, name) ? row.references[name]! : missing;
const exact = reference("exactBayes");
const windowed = reference("windowedBayes");
/** The fields of the task that the headline changes from test to test. */
const Shape = z.object({
  commands: z.int(),
  spacing: z.int(),
  reveal: z.enum(["full", "partial"]).default("partial"),
});

/**
 * @file What a result says, as numbers: models by conditions, with the spread over seeds and what holds where.
 *
 * A model *holds* a condition when, in a given seed, its accuracy is at most 5 points below the exact Bayes filter on the
 * same programs. It *reaches* as far as it holds one condition after the other, from the densest reveals of its training on. It has
 * *learned* its training where it names 95 % of those in every seed (src/schemas/convergence.ts); who has not has shown nothing of
 * what it can hold.
 * All sentences and figures follow from here.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { scaledAccuracy } from "../core/statistics.ts";
import { hasLearned } from "../schemas/convergence.ts";
import type { ExperimentResult, ResultRow } from "../schemas/experiment-result.ts";

/** How far below the exact filter a model may be and still count as right. */
export const TOLERANCE = 0.05;

/** Programs of one shape. */
export interface Condition {
  /** commands/spacing, such as 48/24. */
  readonly key: string;
  readonly commands: number;
  readonly spacing: number;
  /** All variables are printed, or one. */
  readonly reveal: "full" | "partial";
  /** Whether programs of this shape were in the training of any model, and of all. */
  readonly asTrained: boolean;
  readonly asTrainedByAll: boolean;
  readonly programs: number;
  readonly reveals: number;
  /** Accuracy of a uniform guess; of all variables in a row the last is what is left. */
  readonly chance: number;
  /** Means over all rows of this shape. */
  readonly exact: number;
  readonly windowed: number;
  readonly windowedWithoutBoundary: number;
  readonly windowedByReveal: readonly number[];
}

/** One value a seed, in the order of the rows. */
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
  readonly last: Spread;
  readonly scaled: Spread;
  /** Means of the references on the programs of these rows. */
  readonly exact: number;
  readonly windowed: number;
  readonly windowedWithoutBoundary: number;
  /** One spread a reveal position. */
  readonly byReveal: readonly Spread[];
  readonly holds: boolean;
  /** Whether programs of this shape were in the training of this model, in every seed. */
  readonly asTrained: boolean;
}

export interface ModelSummary {
  readonly name: string;
  readonly label: string;
  readonly summary: string;
  /** Position among the models: chooses colour, line and marker. */
  readonly index: number;
  readonly cells: readonly Cell[];
  readonly seeds: readonly number[];
  /** Whether it names the densest reveals of its training in every seed; true where nothing tells. */
  readonly learned: boolean;
  /** By seed: the last condition to which it holds one after the other; undefined where it holds not even its densest reveals. */
  readonly reach: readonly (Condition | undefined)[];
}

export interface Summary {
  readonly models: readonly ModelSummary[];
  /** Shorter programs first, then denser reveals first, of all variables before those of one: the last one is the hardest. */
  readonly conditions: readonly Condition[];
  readonly hardest: Condition;
  /** In the hardest condition. */
  readonly chance: number;
  readonly window: number;
}

/** Raises a LabError where there is nothing to report. */
export function summarize(result: ExperimentResult): Summary {
  const first = result.results[0];
  if (first === undefined) {
    return fail(
      "report",
      "at least one row in results",
      [],
      "The experiment ended before a model was tested",
      "corrupt",
    );
  }
  const conditions = [...grouped(result.results, shape).values()]
    .map(conditionOf)
    .toSorted((a, b) => a.commands - b.commands || density(a) - density(b));
  const tested = grouped(result.results, (row) => row.model);
  const names = new Set([...Object.keys(result.models).filter((name) => tested.has(name)), ...tested.keys()]);
  return {
    models: [...names].map((name, index) => modelOf(result, conditions, tested.get(name)!, index)),
    conditions,
    hardest: conditions.at(-1)!,
    chance: conditions.at(-1)!.chance,
    window: result.window ?? 0,
  };
}

/** Whether one model, in one seed, holds one condition. */
export function rowHolds(row: ResultRow): boolean {
  return row.accuracy >= exactOf(row).accuracy - TOLERANCE;
}

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

function modelOf(
  result: ExperimentResult,
  conditions: readonly Condition[],
  rows: readonly ResultRow[],
  index: number,
): ModelSummary {
  const name = rows[0]!.model;
  const byShape = grouped(rows, shape);
  const known = Object.hasOwn(result.models, name) ? result.models[name] : undefined;
  const bySeed = grouped(rows, (row) => row.seed);
  const trained = conditions.filter(({ key }) => byShape.get(key)?.some(({ tested }) => tested.asTrained));
  const least = Math.min(...trained.map(({ spacing }) => spacing));
  const densest = trained.filter(({ spacing }) => spacing === least);
  return {
    name,
    label: known?.label ?? name,
    summary: known?.summary ?? "",
    index,
    cells: conditions.flatMap((condition) => {
      const here = byShape.get(condition.key);
      return here === undefined ? [] : [cellOf(condition, here)];
    }),
    seeds: [...bySeed.keys()],
    learned: hasLearned(result, { model: name }),
    reach: [...bySeed.values()].map((ofSeed) => reachOf(ofSeed, conditions, densest)),
  };
}

/** From the first of its densest reveals that is held on, as far as each is held: full ones may be forgotten for partial ones. */
function reachOf(
  rows: readonly ResultRow[],
  conditions: readonly Condition[],
  densest: readonly Condition[],
): Condition | undefined {
  const isHeld = ({ key }: Condition) => rows.some((row) => shape(row) === key && rowHolds(row));
  const first = densest.find(isHeld) ?? densest[0] ?? conditions[0]!;
  const from = conditions.slice(conditions.indexOf(first));
  const lost = from.findIndex((condition) => !isHeld(condition));
  return lost === -1 ? from.at(-1) : from[lost - 1];
}

const density = ({ spacing, reveal }: Condition) => spacing - (reveal === "full" ? 0.5 : 0);

function conditionOf(rows: readonly ResultRow[]): Condition {
  const { programs, reveals, change, chance } = rows[0]!.tested;
  const { commands, spacing, reveal } = parseWith(Shape, change, "report");
  return {
    key: shape(rows[0]!),
    commands,
    spacing,
    reveal,
    programs,
    reveals,
    chance,
    asTrained: rows.some((row) => row.tested.asTrained),
    asTrainedByAll: rows.every((row) => row.tested.asTrained),
    exact: meanOf(rows, (row) => exactOf(row).accuracy),
    windowed: meanOf(rows, (row) => windowedOf(row).accuracy),
    windowedWithoutBoundary: meanOf(rows, (row) => withoutBoundaryOf(row).accuracy),
    windowedByReveal: byPosition(rows.map((row) => [...windowedOf(row).accuracyByReveal])).map(
      ({ mean }) => mean,
    ),
  };
}

function cellOf(condition: Condition, rows: readonly ResultRow[]): Cell {
  return {
    condition,
    rows,
    accuracy: spread(rows.map((row) => row.accuracy)),
    last: spread(rows.map((row) => row.accuracyLast)),
    scaled: spread(rows.map((row) => scaledAccuracy(row.accuracy, row.tested.chance))),
    exact: meanOf(rows, (row) => exactOf(row).accuracy),
    windowed: meanOf(rows, (row) => windowedOf(row).accuracy),
    windowedWithoutBoundary: meanOf(rows, (row) => withoutBoundaryOf(row).accuracy),
    byReveal: byPosition(rows.map((row) => row.accuracyByReveal)),
    holds: rows.every(rowHolds),
    asTrained: rows.every((row) => row.tested.asTrained),
  };
}

/** [seed][position] -> a spread a position, as far as every seed goes. */
function byPosition(lists: readonly (readonly number[])[]): Spread[] {
  const length = Math.min(...lists.map((list) => list.length));
  return Array.from({ length }, (_, position) => spread(lists.map((list) => list[position]!)));
}

const shape = ({ tested }: ResultRow) => tested.name;
const none = { accuracy: Number.NaN, accuracyByReveal: [] as readonly number[] };
const reference = (name: string) => (row: ResultRow) =>
  Object.hasOwn(row.references, name) ? row.references[name]! : none;
const exactOf = reference("exactBayes");
const windowedOf = reference("windowedBayes");
const withoutBoundaryOf = reference("windowedBayesWithoutBoundary");
/** What the headline changes from test to test. */
const Shape = z.object({
  commands: z.int(),
  spacing: z.int(),
  reveal: z.enum(["full", "partial"]).default("partial"),
});
const meanOf = (rows: readonly ResultRow[], value: (row: ResultRow) => number) =>
  spread(rows.map(value)).mean;

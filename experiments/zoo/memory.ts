/**
 * @file How much each architecture remembers after the same training, and whether the predicted order holds.
 *
 *     learned      every reported seed has at least 95 % of the easiest programs, or of the hardest where those were forgotten, as the last
 *                  stage has none of them (records/learned.ts has the same rule); who has not is compared with nobody
 *     compared     by the answers to the hardest programs that were trained; where both have 99 % of those, to longer ones
 *     held         two architectures of different levels, and each seed of the higher is above each seed of the lower
 *     against      the other way round                open    anything else
 */

import { counted, listed, percentSign } from "../../src/math/format.ts";
import { median } from "../../src/math/statistics.ts";
import type { ZooCell, ZooRun } from "../../src/records/zoo.ts";
import type { PlainTable } from "../../src/report/index.ts";
import { columns, memoryColumns } from "./columns.ts";
import { memoryLevelOf, memoryOrders } from "./predictions.ts";
import { rows } from "./rows.ts";
import { columnLabel, rowLabel } from "./table.ts";

const ENOUGH = { learned: 0.95, all: 0.99 } as const;

/** What counts where an order is predicted. */
export const MEMORY =
  "Predicted is an order, 1 remembers most. An architecture counts where each seed has at least 95\u00A0% of the easiest programs of its training, or of the hardest; two are compared by the hardest that were trained, and where both have 99\u00A0% of those, by longer ones. An order holds where each seed of the one is above each seed of the other.";

type Measure = "easiest" | "trained" | "longer";

const of = ({ runs }: ZooCell, measure: Measure) => runs.map((run: ZooRun) => run[measure] ?? Number.NaN);

export const hasLearned = (cell: ZooCell) => {
  const [easiest, trained] = [of(cell, "easiest"), of(cell, "trained")];
  return easiest.every((share, seed) => Math.max(share, trained[seed]) >= ENOUGH.learned);
};

export type Order = "held" | "against" | "open";

/** Of two cells of one task, the first predicted to remember more. */
export function orderOf(higher: ZooCell, lower: ZooCell): Order {
  const isFull = [higher, lower].every((cell) => Math.min(...of(cell, "trained")) >= ENOUGH.all);
  const [a, b] = [higher, lower].map((cell) => of(cell, isFull ? "longer" : "trained"));
  if (Math.min(...a) > Math.max(...b)) return "held";
  return Math.max(...a) < Math.min(...b) ? "against" : "open";
}

export interface OrderedPair {
  readonly higher: string;
  readonly lower: string;
  readonly order: Order;
}

/** All pairs of cells of one column that the prediction orders and that can be compared. */
export function orderedPairs(cells: readonly ZooCell[]): OrderedPair[] {
  const learned = cells.filter(hasLearned);
  return learned.flatMap((higher) =>
    learned.flatMap((lower): OrderedPair[] => {
      const [above, below] = [higher, lower].map(({ row, column }) => memoryLevelOf(row, column));
      if (above === undefined || below === undefined || above >= below) return [];
      return [{ higher: higher.row, lower: lower.row, order: orderOf(higher, lower) }];
    }),
  );
}

const rangeOf = (values: readonly number[]) =>
  values.some(Number.isNaN)
    ? "\u2013"
    : `${percentSign(median(values))} (${(100 * Math.min(...values)).toFixed(1)}\u2013${(100 * Math.max(...values)).toFixed(1)})`;

/** A line an architecture, those that should remember most first. */
export function memoryTable(column: string, cells: readonly ZooCell[]): PlainTable {
  const { tests } = columns[column].programs!; // of memory
  const order = memoryOrders[column];
  const rank = (row: string) => memoryLevelOf(row, column) ?? order.length + 1;
  const place = (row: string) => Object.keys(rows).indexOf(row);
  return {
    columns: [
      ...["architecture", "predicted", tests.easiest.label, tests.trained.label],
      ...[`${tests.longer.label}, not trained`, "what it keeps"],
      ...["seeds", "rate", "parameters", "state", "seconds"],
    ],
    rows: cells
      .toSorted((a, b) => rank(a.row) - rank(b.row) || place(a.row) - place(b.row))
      .map((cell) => {
        const level = memoryLevelOf(cell.row, column);
        const beyond = hasLearned(cell)
          ? [rangeOf(of(cell, "trained")), rangeOf(of(cell, "longer"))]
          : ["not learned in this budget", "\u2013"];
        return [
          ...[rowLabel(cell.row), level === undefined ? "\u2013" : String(level)],
          ...[rangeOf(of(cell, "easiest")), ...beyond],
          level === undefined ? "\u2013" : order[level - 1].keeps,
          ...[String(cell.runs.length), String(cell.rate), String(cell.parameters), String(cell.state)],
          String(cell.seconds),
        ];
      }),
  };
}

/** Tasks of memory that were run, each with its cells. */
export const memoryOf = (cells: readonly ZooCell[]) =>
  memoryColumns
    .map((column) => ({ column, cells: cells.filter((cell) => cell.column === column) }))
    .filter((each) => each.cells.length > 0);

/** How far the predicted order held, a sentence, and one on each pair that is the other way round. */
export function memoryFindings(cells: readonly ZooCell[]): string[] {
  return memoryOf(cells).flatMap(({ column, cells: own }) => {
    const pairs = orderedPairs(own);
    const count = (order: Order) => pairs.filter((pair) => pair.order === order).length;
    const left = own.filter((cell) => !hasLearned(cell)).map(({ row }) => rowLabel(row));
    const against = pairs.filter(({ order }) => order === "against");
    const said =
      pairs.length === 0
        ? "no two architectures that the prediction orders have both learned their training."
        : `of ${counted(pairs.length, "pair")} of architectures that the prediction orders, ${count("held")} are in that order in every seed, ${count("against")} in the other, ${count("open")} in neither.`;
    const unlearned =
      left.length === 0 ? "" : ` Not learned in this budget, and not compared: ${listed(left)}.`;
    return [
      `${columnLabel(column)}: ${said}${unlearned}`,
      ...against.map(
        ({ higher, lower }) =>
          `${columnLabel(column)}: ${rowLabel(higher)} was predicted to remember more than ${rowLabel(lower)}, and remembers less in every seed.`,
      ),
    ];
  });
}

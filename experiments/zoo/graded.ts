/**
 * @file How much each architecture remembers after the same training, or how near it comes to what can be known, and whether the predicted
 * order holds.
 *
 *     learned      every reported seed has at least 95 % of the easiest programs, or of the hardest where those were forgotten, as the last
 *                  stage has none of them (records/learned.ts has the same rule); who has not is compared with nobody
 *     compared     by the answers to the hardest programs that were trained; where both have 99 % of those, to longer ones
 *     nats         where chance that nobody sees moves the state: by what they pay above the exact filter, all being at most 0.01
 *     held         two architectures of different levels, and each seed of the higher is better than each seed of the lower
 *     against      the other way round                open    anything else
 */

import { counted, listed, percentSign } from "../../src/math/format.ts";
import { median } from "../../src/math/statistics.ts";
import type { ZooCell, ZooRun } from "../../src/records/zoo.ts";
import type { PlainTable } from "../../src/report/index.ts";
import { columns, gradedColumns } from "./columns.ts";
import { levelOf, predictedOrders } from "./predictions.ts";
import { rows } from "./rows.ts";
import { columnLabel, rowLabel } from "./table.ts";

type Compared = "trained" | "longer";

/** By what two architectures are compared. */
interface Scale {
  /** Of one run; more is better. */
  readonly score: (run: ZooRun, test: Compared) => number;
  /** Whoever has it is told apart by longer programs. */
  readonly full: number;
  /** Median, lowest and highest, for people. */
  readonly shown: (runs: readonly ZooRun[], test: Compared) => string;
  readonly words: string;
  /** Of two that are the other way round than predicted. */
  readonly against: (higher: string, lower: string) => string;
  /** Above the columns of numbers. */
  readonly unit: string;
  /** What who guesses evenly would have, who is right with the probability `chance`. */
  readonly guess: (chance: number) => string;
}

const LEARNED = 0.95;

const spread = (values: readonly number[], digits: number, sign = "") =>
  values.some(Number.isNaN)
    ? "\u2013"
    : `${median(values).toFixed(digits)}${sign} (${Math.min(...values).toFixed(digits)}\u2013${Math.max(...values).toFixed(digits)})`;

const percents = (shares: readonly number[]) =>
  spread(
    shares.map((share) => 100 * share),
    1,
    "\u00A0%",
  );

const natsOf = ({ nats }: ZooRun, test: Compared) => nats?.[test] ?? Number.NaN;

const scales: Readonly<Record<"accuracy" | "nats", Scale>> = {
  accuracy: {
    score: (run, test) => run[test],
    full: 0.99,
    shown: (runs, test) => percents(runs.map((run) => run[test])),
    words:
      "Predicted is an order, 1 remembers most. An architecture counts where each seed has at least 95\u00A0% of the easiest programs of its training, or of the hardest; two are compared by the hardest that were trained, and where both have 99\u00A0% of those, by longer ones. An order holds where each seed of the one is above each seed of the other.",
    against: (higher, lower) =>
      `${higher} was predicted to remember more than ${lower}, and remembers less in every seed`,
    unit: "",
    guess: (chance) =>
      `a guess among the values that stand there has ${percentSign(chance)} of what was trained`,
  },
  nats: {
    score: (run, test) => -natsOf(run, test),
    full: -0.01,
    shown: (runs, test) =>
      spread(
        runs.map((run) => natsOf(run, test)),
        3,
      ),
    words:
      "Predicted is an order, 1 is nearest. An architecture counts where each seed has at least 95\u00A0% of the right answers that the exact filter has, of the easiest programs of its training or of the hardest; two are compared by what they pay above that filter for the hardest that were trained, and where both pay at most 0.01 nats, for longer ones. An order holds where each seed of the one pays less than each seed of the other.",
    against: (higher, lower) =>
      `${higher} was predicted to come nearer than ${lower}, and pays more in every seed`,
    unit: " (nats above)",
    guess: (chance) =>
      `an even guess pays ${(-Math.log(chance)).toFixed(3)} nats, before what the exact filter pays is taken off`,
  },
};

const scaleOf = (column: string) => scales[columns[column].programs!.comparedBy]; // of a graded one

/** What counts where an order is predicted. */
export const ruleOf = (column: string) => scaleOf(column).words;

export const guessOf = (column: string) => scaleOf(column).guess(columns[column].chance);

export const hasLearned = ({ runs }: ZooCell) =>
  runs.every(({ easiest, trained }) => Math.max(easiest ?? 0, trained) >= LEARNED);

export type Order = "held" | "against" | "open";

/** Of two cells of one task, the first predicted to be better. */
export function orderOf(higher: ZooCell, lower: ZooCell): Order {
  const { score, full } = scaleOf(higher.column);
  const scores = ({ runs }: ZooCell, test: Compared) => runs.map((run) => score(run, test));
  const isFull = [higher, lower].every((cell) => Math.min(...scores(cell, "trained")) >= full);
  const [a, b] = [higher, lower].map((cell) => scores(cell, isFull ? "longer" : "trained"));
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
      const [above, below] = [higher, lower].map(({ row, column }) => levelOf(row, column));
      if (above === undefined || below === undefined || above >= below) return [];
      return [{ higher: higher.row, lower: lower.row, order: orderOf(higher, lower) }];
    }),
  );
}

/** A line an architecture, those that should be best first. */
export function gradedTable(column: string, cells: readonly ZooCell[]): PlainTable {
  const { tests } = columns[column].programs!; // of a graded column
  const { shown, unit } = scaleOf(column);
  const order = predictedOrders[column];
  const rank = (row: string) => levelOf(row, column) ?? order.length + 1;
  const place = (row: string) => Object.keys(rows).indexOf(row);
  return {
    columns: [
      ...["architecture", "predicted", tests.easiest.label, `${tests.trained.label}${unit}`],
      ...[`${tests.longer.label}, not trained${unit}`, "what it keeps"],
      ...["seeds", "rate", "parameters", "state", "seconds"],
    ],
    rows: cells
      .toSorted((a, b) => rank(a.row) - rank(b.row) || place(a.row) - place(b.row))
      .map((cell) => {
        const level = levelOf(cell.row, column);
        const beyond = hasLearned(cell)
          ? [shown(cell.runs, "trained"), shown(cell.runs, "longer")]
          : ["not learned in this budget", "\u2013"];
        return [
          ...[rowLabel(cell.row), level === undefined ? "\u2013" : String(level)],
          ...[percents(cell.runs.map(({ easiest }) => easiest ?? Number.NaN)), ...beyond],
          level === undefined ? "\u2013" : order[level - 1].keeps,
          ...[String(cell.runs.length), String(cell.rate), String(cell.parameters), String(cell.state)],
          String(cell.seconds),
        ];
      }),
  };
}

/** Graded tasks that were run, each with its cells. */
export const gradedOf = (cells: readonly ZooCell[]) =>
  gradedColumns
    .map((column) => ({ column, cells: cells.filter((cell) => cell.column === column) }))
    .filter((each) => each.cells.length > 0);

/** How far the predicted order held, a sentence, and one on each pair that is the other way round. */
export function gradedFindings(cells: readonly ZooCell[]): string[] {
  return gradedOf(cells).flatMap(({ column, cells: own }) => {
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
          `${columnLabel(column)}: ${scaleOf(column).against(rowLabel(higher), rowLabel(lower))}.`,
      ),
    ];
  });
}

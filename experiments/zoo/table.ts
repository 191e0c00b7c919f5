/** @file The zoo's cells as tables and as the figure: what was predicted, what was measured, what has not been run. */

import { formatCount, percentSign } from "../../src/core/format.ts";
import { median } from "../../src/core/statistics.ts";
import type { PlainTable, PredictedCell, PredictionsFigure } from "../../src/report/index.ts";
import type { GradedCell, GradedRun, ReachCell, ReachRun, ZooCell } from "../../src/schemas/zoo.ts";
import { isConstructed } from "./constructed.ts";
import { columns, gradedColumns, rows, settings, stateColumns, wordColumns } from "./data.ts";
import {
  findPrediction,
  mixerClass,
  type Prediction,
  predictedLevel,
  predictedOrders,
  predictionBasis,
} from "./predictions.ts";

/** A run that was trained on fewer symbols shows nothing by going four times as far. */
export const LEAST = 8;

/** Right as far as it was asked: up to four times the trained length. */
export const extendsBeyond = ({ trained, generalization }: Pick<ReachRun, "trained" | "generalization">) =>
  trained >= LEAST && generalization === 4 * trained;

type Verdict = "extends" | "ends" | "contradicted";

export interface Standing {
  /** Of the reported seeds those that extend. */
  readonly extending: number;
  readonly of: number;
  /** Medians over the reported seeds. */
  readonly trained: number;
  readonly reach: number;
  readonly generalization: number;
  readonly verdict: Verdict;
}

export function cellRanking(
  { runs, grid }: Pick<ReachCell, "runs" | "grid">,
  prediction: Prediction | undefined,
): Standing {
  const found = [...runs, ...grid].some(extendsBeyond);
  const middle = (value: (run: ReachRun) => number) => Math.floor(median(runs.map(value)));
  return {
    ...{ extending: runs.filter(extendsBeyond).length, of: runs.length },
    ...{ trained: middle((run) => run.trained), reach: middle((run) => run.reach) },
    generalization: middle((run) => run.generalization),
    verdict: !found ? "ends" : prediction === "cannot" ? "contradicted" : "extends",
  };
}

/** One architecture on one task, whether or not it was run. */
export interface Place {
  readonly row: string;
  readonly column: string;
  readonly prediction: "can" | "cannot" | undefined;
  readonly constructed: boolean;
  readonly cell?: ReachCell;
  readonly standing?: Standing;
}

export const rowLabel = (row: string) => (Object.hasOwn(rows, row) ? rows[row].label : row);
export const columnLabel = (column: string) =>
  Object.hasOwn(columns, column) ? columns[column].label : column;
/** Where the number of layers is told beside it. */
export const briefLabel = (column: string) => columns[column]?.short ?? columnLabel(column);

export const isGraded = (cell: ZooCell): cell is GradedCell => gradedColumns.includes(cell.column);

/** Of states, of one layer or of two: the built-in rows and columns, and whatever other row was run. */
export function tablePlaces(all: readonly ZooCell[], across: readonly string[] = stateColumns): Place[][] {
  const cells = all.filter((cell): cell is ReachCell => !isGraded(cell));
  const down = [...new Set([...Object.keys(rows), ...cells.map(({ row }) => row)])];
  return down.map((row) =>
    across.map((column): Place => {
      const prediction = findPrediction(row, column);
      const place = { row, column, prediction, constructed: isConstructed(row, column) };
      const cell = cells.find((each) => each.row === row && each.column === column);
      return cell === undefined ? place : { ...place, cell, standing: cellRanking(cell, prediction) };
    }),
  );
}

export const signs = { can: "+", cannot: "\u2212" } as const;

/** `12\u219218`: reach, generalization. */
export const lengthsOf = ({ reach, generalization }: Standing) => `${reach}\u2192${generalization}`;

export const verdictWords: Readonly<Record<Verdict, string>> = {
  extends: "a run extends to four times its training",
  ends: "no run extends to four times its training",
  contradicted: "a run extends against the prediction",
};

/** 1 at four times the longest trained length, a fourth at its square root. */
const shade = ({ generalization }: Standing) =>
  Math.min(1, Math.log2(Math.max(1, generalization)) / Math.log2(4 * settings.laptop.words.longest)) ** 2;

export function zooPredictions(places: readonly (readonly Place[])[]): PredictionsFigure {
  const { can, cannot } = extended(places);
  return {
    title: `${can.extending} of ${formatCount(can.of, "cell")} predicted solvable extend, of ${cannot.of} others ${cannot.extending || "none"}`,
    rowLabel: "architecture",
    columnLabel: "task",
    rows: places.map(([first]) => rowLabel(first.row)),
    columns: places[0].map(({ column }) => briefLabel(column)),
    cells: places.map((row) =>
      row.map(
        ({ prediction, constructed, column, standing }): PredictedCell => ({
          ...(prediction !== undefined && { predicted: signs[prediction] }),
          ...(standing !== undefined && { measured: { text: lengthsOf(standing), share: shade(standing) } }),
          contradicted: standing?.verdict === "contradicted",
          constructed,
          about: [
            columnLabel(column),
            prediction === undefined ? "nothing predicted" : predictionBasis(prediction, constructed),
            constructed ? "weights set by hand solve it" : "",
            standing === undefined ? "not run" : standingWords(standing),
          ]
            .filter((part) => part !== "")
            .join(", "),
        }),
      ),
    ),
  };
}

const standingWords = (standing: Standing) =>
  `reach ${standing.reach}, generalization ${standing.generalization}, ${verdictWords[standing.verdict]}`;

/** One number a seed, the smallest first. */
export const listOf = ({ runs }: ReachCell, value: (run: ReachRun) => number) =>
  runs
    .map(value)
    .toSorted((a, b) => a - b)
    .join(", ");

/** One line a cell that was run. */
export function cellTable(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: [
      ...["task", "architecture", "predicted", "by hand", "trained", "reach", "generalization", "extend"],
      ...["rate", "parameters", "state", "seconds"],
    ],
    rows: places
      .flat()
      .toSorted((a, b) => wordColumns.indexOf(a.column) - wordColumns.indexOf(b.column))
      .flatMap(({ row, column, prediction, constructed, cell, standing }) =>
        cell === undefined || standing === undefined
          ? []
          : [
              [
                ...[columnLabel(column), rowLabel(row), prediction ?? "\u2013", constructed ? "yes" : ""],
                ...[listOf(cell, ({ trained }) => trained), listOf(cell, ({ reach }) => reach)],
                listOf(cell, ({ generalization }) => generalization),
                `${standing.extending}/${standing.of}`,
                ...[String(cell.rate), String(cell.parameters), String(cell.state), String(cell.seconds)],
              ],
            ],
      ),
  };
}

/** `+ 64\u2192256 h`: predicted, reach and generalization, weights set by hand; empty where it was not run. */
function cellText({ prediction, constructed, standing }: Place): string {
  if (standing === undefined) return "";
  const sign = prediction === undefined ? "?" : signs[prediction];
  const against = standing.verdict === "contradicted" ? " !" : "";
  return `${sign} ${lengthsOf(standing)}${constructed ? " h" : ""}${against}`;
}

/** Architectures by tasks. */
export function matrixTable(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: ["architecture", "class", ...(places[0] ?? []).map(({ column }) => briefLabel(column))],
    rows: places.map((row) => [
      rowLabel(row[0].row),
      Object.hasOwn(mixerClass, row[0].row) ? mixerClass[row[0].row] : "\u2013",
      ...row.map(cellText),
    ]),
  };
}

/** Of the rows and columns those in which something was run. */
export function triedPlaces(places: readonly (readonly Place[])[]): Place[][] {
  const isTried = (line: readonly Place[]) => line.some(({ standing }) => standing !== undefined);
  const across = (places[0] ?? []).map((_, i) => isTried(places.map((line) => line[i])));
  return places.filter(isTried).map((line) => line.filter((_, i) => across[i]));
}

/** Of the cells that were run, by their prediction, those of which a run extends. */
export function extended(places: readonly (readonly Place[])[]) {
  const of = (wanted: Prediction) => {
    const run = places.flat().filter(({ prediction, standing }) => standing && prediction === wanted);
    return { of: run.length, extending: run.filter(({ standing }) => standing?.verdict !== "ends").length };
  };
  return { can: of("can"), cannot: of("cannot") };
}

export const placeName = ({ row, column }: Pick<Place, "row" | "column">) =>
  `${rowLabel(row)} on ${columnLabel(column)}`;

type Compared = "trained" | "longer";

/** By what two architectures are compared. */
interface Scale {
  /** Of one run; more is better. */
  readonly score: (run: GradedRun, test: Compared) => number;
  /** Models at this score are compared on longer programs. */
  readonly full: number;
  /** Median, lowest and highest, for people. */
  readonly shown: (runs: readonly GradedRun[], test: Compared) => string;
  readonly words: string;
  /** Above the columns of numbers. */
  readonly unit: string;
  /** Score of a uniform guess with accuracy `chance`. */
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

const natsOf = ({ nats }: GradedRun, test: Compared) => nats?.[test] ?? Number.NaN;

const scales: Readonly<Record<"accuracy" | "nats", Scale>> = {
  accuracy: {
    score: (run, test) => run[test],
    full: 0.99,
    shown: (runs, test) => percents(runs.map((run) => run[test])),
    words:
      "Predicted is an order: 1 remembers most. An architecture counts if each seed scores 95\u00A0% on its easiest or hardest training programs. Two are compared on the hardest trained ones, or on longer ones if both score 99\u00A0% there. An order is confirmed if each seed of the one is above each seed of the other.",
    unit: "",
    guess: (chance) => `chance is ${percentSign(chance)} on the trained programs`,
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
      "Predicted is an order: 1 is nearest. An architecture counts if each seed has 95\u00A0% of the exact filter's accuracy on its easiest or hardest training programs. Two are compared by their excess loss on the hardest trained ones, or on longer ones if both are below 0.01 nats there. An order is confirmed if each seed of the one has a lower loss than each seed of the other.",
    unit: " (nats above)",
    guess: (chance) =>
      `a uniform guess has a loss of ${(-Math.log(chance)).toFixed(3)} nats, before the exact filter's is subtracted`,
  },
};

const scaleOf = (column: string) => scales[columns[column].programs!.comparedBy]; // of a graded one

/** What counts where an order is predicted. */
export const scaleRule = (column: string) => scaleOf(column).words;

export const chanceScore = (column: string) => scaleOf(column).guess(columns[column].chance);

export const cellHasLearned = ({ runs }: GradedCell) =>
  runs.every(({ easiest, trained }) => Math.max(easiest, trained) >= LEARNED);

export type Order = "held" | "against" | "open";

/** Of two cells of one task, the first predicted to be better. */
export function compareCells(higher: GradedCell, lower: GradedCell): Order {
  const { score, full } = scaleOf(higher.column);
  const scores = ({ runs }: GradedCell, test: Compared) => runs.map((run) => score(run, test));
  const isFull = [higher, lower].every((cell) => Math.min(...scores(cell, "trained")) >= full);
  const [a, b] = [higher, lower].map((cell) => scores(cell, isFull ? "longer" : "trained"));
  if (Math.min(...a) > Math.max(...b)) return "held";
  return Math.max(...a) < Math.min(...b) ? "against" : "open";
}

/** All pairs of cells of one column that the prediction orders and that can be compared. */
export function orderedPairs(cells: readonly GradedCell[]) {
  const learned = cells.filter(cellHasLearned);
  return learned.flatMap((higher) =>
    learned.flatMap((lower) => {
      const [above, below] = [higher, lower].map(({ row, column }) => predictedLevel(row, column));
      if (above === undefined || below === undefined || above >= below) return [];
      return [{ higher: higher.row, lower: lower.row, order: compareCells(higher, lower) }];
    }),
  );
}

/** A line an architecture, those that should be best first. */
export function gradedTable(column: string, cells: readonly GradedCell[]): PlainTable {
  const { tests } = columns[column].programs!; // of a graded column
  const { shown, unit } = scaleOf(column);
  const order = predictedOrders[column];
  const rank = (row: string) => predictedLevel(row, column) ?? order.length + 1;
  const place = (row: string) => Object.keys(rows).indexOf(row);
  return {
    columns: [
      ...["architecture", "predicted", tests.easiest.label, `${tests.trained.label}${unit}`],
      ...[`${tests.longer.label}, not trained${unit}`, "what it stores"],
      ...["seeds", "rate", "parameters", "state", "seconds"],
    ],
    rows: cells
      .toSorted((a, b) => rank(a.row) - rank(b.row) || place(a.row) - place(b.row))
      .map((cell) => {
        const level = predictedLevel(cell.row, column);
        const beyond = cellHasLearned(cell)
          ? [shown(cell.runs, "trained"), shown(cell.runs, "longer")]
          : ["does not fit", "\u2013"];
        return [
          ...[rowLabel(cell.row), level === undefined ? "\u2013" : String(level)],
          ...[percents(cell.runs.map(({ easiest }) => easiest)), ...beyond],
          level === undefined ? "\u2013" : order[level - 1].keeps,
          ...[String(cell.runs.length), String(cell.rate), String(cell.parameters), String(cell.state)],
          String(cell.seconds),
        ];
      }),
  };
}

/** Graded tasks that were run, each with its cells. */
export const gradedColumnsOf = (cells: readonly ZooCell[]) =>
  gradedColumns
    .map((column) => ({ column, cells: cells.filter(isGraded).filter((cell) => cell.column === column) }))
    .filter((each) => each.cells.length > 0);

/** How many predictions were tried, and what became of them. */
export function tallyTable(places: readonly (readonly Place[])[]): PlainTable {
  const { can, cannot } = extended(places);
  return {
    columns: ["predicted", "cells run", "a run extends", "none does"],
    rows: [
      ["+", ...[can.of, can.extending, can.of - can.extending].map(String)],
      ["\u2212", ...[cannot.of, cannot.extending, cannot.of - cannot.extending].map(String)],
    ],
  };
}

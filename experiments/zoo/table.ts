/** @file The zoo's cells as tables and as the figure: what was predicted, what was measured, what has not been run. */

import { formatCount, percentSign } from "../../src/core/format.ts";
import { binomialInterval } from "../../src/core/incomplete-beta.ts";
import { median } from "../../src/core/statistics.ts";
import type { PlainTable, PredictedCell, PredictionsFigure } from "../../src/report/index.ts";
import type { ZooCell, ZooRun } from "../../src/schemas/zoo.ts";
import { isConstructed } from "./constructed.ts";
import { columns, gradedColumns, rows, stateColumns } from "./data.ts";
import {
  findPrediction,
  mixerClass,
  type Prediction,
  predictedLevel,
  predictedOrders,
  predictionBasis,
} from "./predictions.ts";

export const SOLVED = { trained: 0.99, longer: 0.95 } as const;
/** So many runs without one that solves it are needed to say that none will. */
export const ENOUGH = 10;

export const isSolved = ({ trained, longer }: Pick<ZooRun, "trained" | "longer">) =>
  trained >= SOLVED.trained && longer >= SOLVED.longer;

export const hasLearned = ({ trained }: Pick<ZooRun, "trained">) => trained >= SOLVED.trained;

type Verdict = "can" | "cannot" | "contradicted" | "not solved" | "not learned";

export interface Standing {
  /** Of the reported seeds. */
  readonly solved: number;
  readonly of: number;
  /** Of the reported seeds those that learned the trained length. */
  readonly learned: number;
  /** Where the share of seeds that solve it lies, at 95 %: Clopper and Pearson's. */
  readonly bounds: readonly [low: number, high: number];
  /** Over the reported seeds, at four times the trained length. */
  readonly median: number;
  readonly best: number;
  readonly verdict: Verdict;
}

export function cellRanking(
  { runs, grid }: Pick<ZooCell, "runs" | "grid">,
  prediction: Prediction | undefined,
  constructed: boolean,
): Standing {
  const solved = runs.filter(isSolved).length;
  const longer = runs.map((run) => run.longer);
  return {
    ...{
      solved,
      of: runs.length,
      learned: runs.filter(hasLearned).length,
      bounds: binomialInterval(solved, runs.length),
    },
    ...{ median: median(longer), best: Math.max(...longer) },
    verdict: verdictOf([...runs, ...grid], prediction, constructed),
  };
}

function verdictOf(
  all: readonly ZooRun[],
  prediction: Prediction | undefined,
  constructed: boolean,
): Verdict {
  const found = all.some(isSolved);
  if (found && prediction === "cannot") return "contradicted";
  if (found || constructed) return "can";
  if (!all.some(hasLearned)) return "not learned";
  return prediction === "cannot" && all.length >= ENOUGH ? "cannot" : "not solved";
}

/** One architecture on one task, whether or not it was run. */
export interface Place {
  readonly row: string;
  readonly column: string;
  readonly prediction: "can" | "cannot" | undefined;
  readonly constructed: boolean;
  readonly cell?: ZooCell;
  readonly standing?: Standing;
}

export const rowLabel = (row: string) => (Object.hasOwn(rows, row) ? rows[row].label : row);
export const columnLabel = (column: string) =>
  Object.hasOwn(columns, column) ? columns[column].label : column;

/** Of states: the built-in rows and columns, and whatever else was run. */
export function tablePlaces(all: readonly ZooCell[]): Place[][] {
  const cells = all.filter(({ column }) => !gradedColumns.includes(column));
  const across = [...new Set([...stateColumns, ...cells.map(({ column }) => column)])];
  const down = [...new Set([...Object.keys(rows), ...cells.map(({ row }) => row)])];
  return down.map((row) =>
    across.map((column): Place => {
      const prediction = findPrediction(row, column);
      const constructed = isConstructed(row, column);
      const cell = cells.find((each) => each.row === row && each.column === column);
      const place = { row, column, prediction, constructed };
      return cell === undefined
        ? place
        : { ...place, cell, standing: cellRanking(cell, prediction, constructed) };
    }),
  );
}

export const signs = { can: "+", cannot: "\u2212" } as const;

/** `5/5 (48\u2013100 %)` */
export const shareOf = ({ solved, of, bounds: [low, high] }: Standing) =>
  `${solved}/${of} (${Math.round(100 * low)}\u2013${Math.round(100 * high)}\u00A0%)`;

export const verdictWords: Readonly<Record<Verdict, string>> = {
  can: "can",
  cannot: "cannot",
  contradicted: "contradicted",
  "not solved": "not solved",
  "not learned": "inconclusive: no run fits the trained length",
};

export function zooPredictions(places: readonly (readonly Place[])[]): PredictionsFigure {
  const { contradicted, held, run } = tallied(places);
  return {
    title:
      contradicted === 0
        ? `${held} of ${run} cells confirm their prediction, the others are inconclusive`
        : `${formatCount(contradicted, "cell")} against the prediction`,
    rowLabel: "architecture",
    columnLabel: "task",
    rows: places.map(([first]) => rowLabel(first.row)),
    columns: places[0].map(({ column }) => columns[column]?.short ?? columnLabel(column)),
    cells: places.map((row) =>
      row.map(
        ({ prediction, constructed, column, standing }): PredictedCell => ({
          ...(prediction !== undefined && { predicted: signs[prediction] }),
          ...(standing !== undefined && { solved: { seeds: standing.solved, of: standing.of } }),
          contradicted: standing?.verdict === "contradicted",
          open: standing?.verdict === "not learned",
          constructed,
          about: [
            columnLabel(column),
            prediction === undefined ? "nothing predicted" : predictionBasis(prediction, constructed),
            constructed ? "weights set by hand solve it" : "",
            standing === undefined
              ? "not run"
              : `${shareOf(standing)} seeds, ${verdictWords[standing.verdict]}`,
          ]
            .filter((part) => part !== "")
            .join(", "),
        }),
      ),
    ),
  };
}

/** One line a cell that was run. */
export function cellTable(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: [
      ...["task", "architecture", "predicted", "by hand", "learned", "solved", "median", "best", "verdict"],
      ...["rate", "parameters", "state", "seconds"],
    ],
    rows: places
      .flat()
      .toSorted((a, b) => Object.keys(columns).indexOf(a.column) - Object.keys(columns).indexOf(b.column))
      .flatMap(({ row, column, prediction, constructed, cell, standing }) =>
        cell === undefined || standing === undefined
          ? []
          : [
              [
                ...[columnLabel(column), rowLabel(row), prediction ?? "\u2013", constructed ? "yes" : ""],
                ...[`${standing.learned}/${standing.of}`, shareOf(standing)],
                ...[percentSign(standing.median), percentSign(standing.best)],
                ...[verdictWords[standing.verdict], String(cell.rate), String(cell.parameters)],
                ...[String(cell.state), String(cell.seconds)],
              ],
            ],
      ),
  };
}

/** Architectures by tasks: `+ 5/5`, `\u2212 0/5`, `+ not run`; a contradicted prediction is marked. */
export function matrixTable(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: ["architecture", "class", ...(places[0] ?? []).map(({ column }) => columnLabel(column))],
    rows: places.map((row) => [
      rowLabel(row[0].row),
      Object.hasOwn(mixerClass, row[0].row) ? mixerClass[row[0].row] : "\u2013",
      ...row.map(({ prediction, constructed, standing }) => {
        const sign = prediction === undefined ? "?" : signs[prediction];
        const hand = constructed ? ", by hand" : "";
        if (standing === undefined) return `${sign} not run${hand}`;
        const against = standing.verdict === "contradicted" ? " contradicted" : "";
        const grid = standing.verdict === "can" && standing.solved === 0 && !constructed ? " grid alone" : "";
        const open = standing.verdict.startsWith("not ") ? ` ${standing.verdict}` : "";
        return `${sign} ${standing.solved}/${standing.of}${against}${grid}${open}${hand}`;
      }),
    ]),
  };
}

/** Of the rows and columns those in which something was run. */
export function triedPlaces(places: readonly (readonly Place[])[]): Place[][] {
  const isTried = (line: readonly Place[]) => line.some(({ standing }) => standing !== undefined);
  const across = (places[0] ?? []).map((_, i) => isTried(places.map((line) => line[i])));
  return places.filter(isTried).map((line) => line.filter((_, i) => across[i]));
}

/** How many predictions held, by what became of them. */
export function tallied(places: readonly (readonly Place[])[]) {
  const predicted = places.flat().filter(({ prediction }) => prediction !== undefined);
  const run = predicted.filter(({ standing }) => standing !== undefined);
  const of = (wanted: Verdict) => run.filter(({ standing }) => standing?.verdict === wanted).length;
  const held = run.filter(({ prediction, standing }) => standing?.verdict === prediction).length;
  return {
    ...{ predicted: predicted.length, run: run.length, held },
    ...{ contradicted: of("contradicted"), open: run.length - held - of("contradicted") },
  };
}

export const placeName = ({ row, column }: Pick<Place, "row" | "column">) =>
  `${rowLabel(row)} on ${columnLabel(column)}`;

type Compared = "trained" | "longer";

/** By what two architectures are compared. */
interface Scale {
  /** Of one run; more is better. */
  readonly score: (run: ZooRun, test: Compared) => number;
  /** Models at this score are compared on longer programs. */
  readonly full: number;
  /** Median, lowest and highest, for people. */
  readonly shown: (runs: readonly ZooRun[], test: Compared) => string;
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

const natsOf = ({ nats }: ZooRun, test: Compared) => nats?.[test] ?? Number.NaN;

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

export const cellHasLearned = ({ runs }: ZooCell) =>
  runs.every(({ easiest, trained }) => Math.max(easiest ?? 0, trained) >= LEARNED);

export type Order = "held" | "against" | "open";

/** Of two cells of one task, the first predicted to be better. */
export function compareCells(higher: ZooCell, lower: ZooCell): Order {
  const { score, full } = scaleOf(higher.column);
  const scores = ({ runs }: ZooCell, test: Compared) => runs.map((run) => score(run, test));
  const isFull = [higher, lower].every((cell) => Math.min(...scores(cell, "trained")) >= full);
  const [a, b] = [higher, lower].map((cell) => scores(cell, isFull ? "longer" : "trained"));
  if (Math.min(...a) > Math.max(...b)) return "held";
  return Math.max(...a) < Math.min(...b) ? "against" : "open";
}

interface OrderedPair {
  readonly higher: string;
  readonly lower: string;
  readonly order: Order;
}

/** All pairs of cells of one column that the prediction orders and that can be compared. */
export function orderedPairs(cells: readonly ZooCell[]): OrderedPair[] {
  const learned = cells.filter(cellHasLearned);
  return learned.flatMap((higher) =>
    learned.flatMap((lower): OrderedPair[] => {
      const [above, below] = [higher, lower].map(({ row, column }) => predictedLevel(row, column));
      if (above === undefined || below === undefined || above >= below) return [];
      return [{ higher: higher.row, lower: lower.row, order: compareCells(higher, lower) }];
    }),
  );
}

/** A line an architecture, those that should be best first. */
export function gradedTable(column: string, cells: readonly ZooCell[]): PlainTable {
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
          ...[percents(cell.runs.map(({ easiest }) => easiest ?? Number.NaN)), ...beyond],
          level === undefined ? "\u2013" : order[level - 1].keeps,
          ...[String(cell.runs.length), String(cell.rate), String(cell.parameters), String(cell.state)],
          String(cell.seconds),
        ];
      }),
  };
}

/** Graded tasks that were run, each with its cells. */
export const gradedCells = (cells: readonly ZooCell[]) =>
  gradedColumns
    .map((column) => ({ column, cells: cells.filter((cell) => cell.column === column) }))
    .filter((each) => each.cells.length > 0);

/** How many predictions were tried, and what became of them. */
export function tallyTable(places: readonly (readonly Place[])[]): PlainTable {
  const { predicted, run, held, contradicted, open } = tallied(places);
  return {
    columns: ["predictions", "run", "confirmed", "contradicted", "inconclusive"],
    rows: [[predicted, run, held, contradicted, open].map(String)],
  };
}

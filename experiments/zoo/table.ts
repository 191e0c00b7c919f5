/** @file The zoo's cells as tables and as the figure: what was predicted, what was measured, what has not been run. */

import { listed, percentSign } from "../../src/math/format.ts";
import type { ZooCell } from "../../src/records/zoo.ts";
import type { PlainTable, PredictedCell, PredictionsFigure } from "../../src/report/index.ts";
import { columns, gradedColumns, stateColumns } from "./columns.ts";
import { isConstructed } from "./constructed.ts";
import { basisOf, classOf, predictionOf } from "./predictions.ts";
import { rows } from "./rows.ts";
import { type Standing, standingOf, type Verdict } from "./verdict.ts";

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
export function placesOf(all: readonly ZooCell[]): Place[][] {
  const cells = all.filter(({ column }) => !gradedColumns.includes(column));
  const across = [...new Set([...stateColumns, ...cells.map(({ column }) => column)])];
  const down = [...new Set([...Object.keys(rows), ...cells.map(({ row }) => row)])];
  return down.map((row) =>
    across.map((column): Place => {
      const prediction = predictionOf(row, column);
      const constructed = isConstructed(row, column);
      const cell = cells.find((each) => each.row === row && each.column === column);
      const place = { row, column, prediction, constructed };
      return cell === undefined
        ? place
        : { ...place, cell, standing: standingOf(cell, prediction, constructed) };
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
  "not solved": "not solved here",
  "not learned": "not learned here",
};

export function figureOf(places: readonly (readonly Place[])[]): PredictionsFigure {
  return {
    title: "Predicted and measured",
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
            prediction === undefined ? "nothing predicted" : basisOf(prediction, constructed),
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

/** Architectures by tasks: `+ 5/5`, `\u2212 0/5`, `+ not run`; what contradicts the prediction is told with it. */
export function matrixTable(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: ["architecture", "class", ...(places[0] ?? []).map(({ column }) => columnLabel(column))],
    rows: places.map((row) => [
      rowLabel(row[0].row),
      Object.hasOwn(classOf, row[0].row) ? classOf[row[0].row] : "\u2013",
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
export function triedOf(places: readonly (readonly Place[])[]): Place[][] {
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

export const placesListed = (places: readonly Place[]) => listed(places.map(placeName));

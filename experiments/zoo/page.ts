/**
 * @file The generated parts of docs/results/zoo.md: its tasks, classes and cells. What a cell holds besides (each run, rates, parameters, seconds)
 * is in evidence/zoo/laptop-cells.json.
 */

import { standAloneFigure } from "../../src/report/figure-files.ts";
import { type PlainTable, predictionsFigure } from "../../src/report/index.ts";
import type { ZooCell } from "../../src/schemas/zoo.ts";
import { columns, gradedColumns, settings, stateColumns } from "./data.ts";
import { type ClassName, classes, findPrediction, mixerClass, predictedOn } from "./predictions.ts";
import {
  columnLabel,
  gradedCells,
  gradedTable,
  type Place,
  rowLabel,
  signs,
  tablePlaces,
  tallyTable,
  zooPredictions,
} from "./table.ts";

/** The parts by their marks. */
export function zooParts(cells: readonly ZooCell[]): (readonly [mark: string, part: string])[] {
  const places = tablePlaces(cells);
  const graded = gradedCells(cells).flatMap(({ column, cells: own }) => [
    `### ${columnLabel(column)}`,
    markdown(gradedPart(column, own)),
  ]);
  return [
    ["zoo columns", markdown(columnTable())],
    ["zoo graded columns", markdown(gradedColumnTable())],
    ["zoo classes", markdown(classTable())],
    ["zoo cells", [markdown(tallyTable(places)), markdown(compactMatrix(places))].join("\n\n")],
    ["zoo graded", graded.join("\n\n")],
  ];
}

/** docs/figures/zoo.svg */
export function zooFigure(cells: readonly ZooCell[]): string {
  const figure = zooPredictions(tablePlaces(cells));
  return standAloneFigure(figure.title, predictionsFigure(figure));
}

const markdown = ({ columns: names, rows }: PlainTable) =>
  [names, names.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");

const brief = (column: string) => columns[column].short ?? columns[column].label;

function columnTable(): PlainTable {
  return {
    columns: ["column", "task", "trained to", "tested at", "layers", "steps", "predicted"],
    rows: stateColumns.map((name) => {
      const { label, lengths = settings.laptop.lengths, layers = 1, steps } = columns[name];
      const most = Math.max(...lengths);
      return [
        ...[`\`${name}\``, label, String(most), String(4 * most), String(layers), String(steps)],
        predictedOn[name] ?? "",
      ];
    }),
  };
}

function gradedColumnTable(): PlainTable {
  return {
    columns: ["column", "task", "trained", "beyond training", "steps", "predicted"],
    rows: gradedColumns.map((name) => {
      const { label, steps, programs } = columns[name];
      const { trained, longer } = programs!.tests; // of a graded one
      return [`\`${name}\``, label, trained.label, longer.label, String(steps), predictedOn[name] ?? ""];
    }),
  };
}

/** The signs of a class are those of any of its rows. */
function classTable(): PlainTable {
  const names = (Object.keys(classes) as ClassName[]).filter((name) =>
    Object.values(mixerClass).includes(name),
  );
  const shown = stateColumns.filter((name) => columns[name].lengths === undefined);
  return {
    columns: ["class", "transition", ...shown.map(brief)],
    rows: names.map((name) => {
      const [row] = Object.entries(mixerClass).find(([key, each]) => each === name && key !== "path")!;
      return [
        ...[name, classes[name]],
        ...shown.map((column) => {
          const prediction = findPrediction(row, column);
          return prediction === undefined ? "" : signs[prediction];
        }),
      ];
    }),
  };
}

/** `+ 3/5 h`: predicted, solved by 3 of 5 seeds, weights set by hand; in brackets if no run fits the trained length; empty if not run. */
function compactMatrix(places: readonly (readonly Place[])[]): PlainTable {
  return {
    columns: ["architecture", "class", ...(places[0] ?? []).map(({ column }) => brief(column))],
    rows: places.map((line) => [
      rowLabel(line[0].row),
      Object.hasOwn(mixerClass, line[0].row) ? mixerClass[line[0].row] : "\u2013",
      ...line.map(compactCell),
    ]),
  };
}

function compactCell({ prediction, constructed, standing }: Place): string {
  if (standing === undefined) return "";
  const { solved, of, learned, verdict } = standing;
  const sign = prediction === undefined ? "?" : signs[prediction];
  const marks = `${constructed ? " h" : ""}${verdict === "contradicted" ? " contradicted" : ""}`;
  const isGrid = verdict === "can" && solved === 0 && !constructed;
  const text = `${sign} ${solved}/${of}${marks}${isGrid ? " grid" : ""}`;
  return verdict === "not learned" || (learned === 0 && solved === 0 && !isGrid) ? `(${text})` : text;
}

/** Predicted order, then median, lowest and highest seed on the hardest trained programs and beyond. */
function gradedPart(column: string, cells: readonly ZooCell[]): PlainTable {
  const { columns: names, rows } = gradedTable(column, cells);
  const isShown = (_: unknown, i: number) => i < 5;
  return { columns: names.filter(isShown), rows: rows.map((row) => row.filter(isShown)) };
}

/**
 * @file The generated parts of docs/results/zoo.md: its tasks, classes and cells. What a cell holds besides (each run, rates, parameters, seconds)
 * is in evidence/zoo/laptop-cells.json.
 */

import { derivedLength, groupNamed } from "../../src/core/groups.ts";
import { standAloneFigure } from "../../src/report/figure-files.ts";
import { type PlainTable, predictionsFigure } from "../../src/report/index.ts";
import type { GradedCell, ZooCell } from "../../src/schemas/zoo.ts";
import { columns, gradedColumns, ofTwoLayers, stateColumns, twoLayerColumns } from "./data.ts";
import { type ClassName, classes, findPrediction, mixerClass, predictedOn } from "./predictions.ts";
import {
  briefLabel,
  columnLabel,
  gradedColumnsOf,
  gradedTable,
  matrixTable,
  signs,
  tablePlaces,
  tallyTable,
  triedPlaces,
  zooPredictions,
} from "./table.ts";

/** The parts by their marks. */
export function zooParts(cells: readonly ZooCell[]): (readonly [mark: string, part: string])[] {
  const matrix = (across: readonly string[]) => {
    const places = triedPlaces(tablePlaces(cells, across));
    return [markdown(tallyTable(places)), markdown(matrixTable(places))].join("\n\n");
  };
  const graded = gradedColumnsOf(cells).flatMap(({ column, cells: own }) => [
    `### ${columnLabel(column)}`,
    markdown(gradedPart(column, own)),
  ]);
  return [
    ["zoo columns", markdown(columnTable())],
    ["zoo graded columns", markdown(gradedColumnTable())],
    ["zoo classes", markdown(classTable(stateColumns))],
    ["zoo classes of two layers", markdown(classTable(twoLayerColumns))],
    ["zoo cells", matrix(stateColumns)],
    ["zoo cells of two layers", matrix(twoLayerColumns)],
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

function columnTable(): PlainTable {
  return {
    columns: ["column", "task", "group", "order", "derived length", "steps", "predicted", "of two layers"],
    rows: stateColumns.map((name) => {
      const { summary, group = "", steps } = columns[name];
      const made = groupNamed(group)!; // of a task of states
      return [
        ...[`\`${name}\``, summary, group, String(made.order), String(derivedLength(made) ?? "not solvable")],
        ...[String(steps), predictedOn[name] ?? "", predictedOn[ofTwoLayers(name)] ?? ""],
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
function classTable(across: readonly string[]): PlainTable {
  const names = (Object.keys(classes) as ClassName[]).filter((name) =>
    Object.values(mixerClass).includes(name),
  );
  return {
    columns: ["class", "transition", ...across.map(briefLabel)],
    rows: names.map((name) => {
      const [row] = Object.entries(mixerClass).find(([key, each]) => each === name && key !== "path")!;
      return [
        ...[name, classes[name]],
        ...across.map((column) => {
          const prediction = findPrediction(row, column);
          return prediction === undefined ? "" : signs[prediction];
        }),
      ];
    }),
  };
}

/** Predicted order, then median, lowest and highest seed on the hardest trained programs and beyond. */
function gradedPart(column: string, cells: readonly GradedCell[]): PlainTable {
  const { columns: names, rows } = gradedTable(column, cells);
  const isShown = (_: unknown, i: number) => i < 5;
  return { columns: names.filter(isShown), rows: rows.map((row) => row.filter(isShown)) };
}

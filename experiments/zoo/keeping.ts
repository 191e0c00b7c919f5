/**
 * @file The evidence of the zoo: cells of many nights in one file, and the part of docs/zoo.md that is made of them.
 *
 *     evidence/zoo/laptop-cells.json     { version: 1, cells: [...] }, a line each
 *
 * A cell of the same settings is replaced by a newer one with at least as many seeds. One of other settings is refused: a cell is
 * named and frozen, and other settings are another row or column.
 */

import { parseWith } from "../../src/records/config.ts";
import { fail } from "../../src/records/error.ts";
import type { ExperimentResult } from "../../src/records/result.ts";
import { type ZooCell, ZooCells } from "../../src/records/zoo.ts";
import { parseJson } from "../../src/store/index.ts";
import type { Keeping } from "../engine/experiment.ts";
import { cellsOf } from "./cells.ts";
import { columns } from "./columns.ts";
import { gradedOf, gradedTable, ruleOf } from "./graded.ts";
import { heldShare, RULE, zooFindings, zooTitle } from "./report.ts";
import { rows } from "./rows.ts";
import { cellTable, columnLabel, matrixTable, placesOf, tallied } from "./table.ts";

const isSame = (one: Pick<ZooCell, "row" | "column">, other: Pick<ZooCell, "row" | "column">) =>
  one.row === other.row && one.column === other.column;

export function merged(before: readonly ZooCell[], found: readonly ZooCell[], at: string): ZooCell[] {
  const built = found.filter(({ row, column }) => Object.hasOwn(rows, row) && Object.hasOwn(columns, column));
  const kept = new Map(before.map((cell) => [`${cell.row}\0${cell.column}`, cell]));
  for (const cell of built) {
    const old = before.find((each) => isSame(each, cell));
    if (old !== undefined && old.settings !== cell.settings)
      fail(
        at,
        `${cell.row} on ${cell.column} with the settings ${old.settings}, which are frozen`,
        cell.settings,
        "Give what has other settings another name",
      );
    if (old === undefined || cell.runs.length >= old.runs.length)
      kept.set(`${cell.row}\0${cell.column}`, cell);
  }
  const place = (names: object, name: string) => Object.keys(names).indexOf(name);
  return [...kept.values()].toSorted(
    (a, b) => place(rows, a.row) - place(rows, b.row) || place(columns, a.column) - place(columns, b.column),
  );
}

const cellsIn = (text: string | undefined, at: string) =>
  text === undefined ? [] : parseWith(ZooCells, parseJson(text, at, "It is under version control"), at).cells;

export const keeping: Keeping = {
  file: "cells",

  merge(before, result, at) {
    const cells = merged(cellsIn(before, at), cellsOf(result), at);
    const lines = cells.map((cell) => JSON.stringify(cell)).join(",\n");
    const [claim] = result.claims;
    const seeds = [...new Set(cells.flatMap(({ runs }) => runs.map(({ seed }) => seed)))].toSorted(
      (a, b) => a - b,
    );
    // Nights in pieces are one result: what is claimed is of all cells, and so are the command and the seconds, which are of training on one core.
    const whole: ExperimentResult = {
      ...result,
      command: `statelab reproduce zoo --scale ${result.scale} --seeds ${seeds.length}`,
      seeds,
      seconds: cells.reduce((sum, { runs, grid, seconds }) => sum + (runs.length + grid.length) * seconds, 0),
      ...{ results: [], training: [] }, // those of one piece would stand for all; the cells have them
      claims: [{ ...claim, values: heldShare(cells) }],
      findings: [...zooFindings(cells), ...(result.failures ?? [])],
    };
    return { text: `{"version":1,"cells":[\n${lines}\n]}\n`, result: whole };
  },

  page: (text, at) => zooPart(cellsIn(text, at)),
};

/** Made of the evidence, for docs/zoo.md. */
export function zooPart(cells: readonly ZooCell[]): string {
  const places = placesOf(cells);
  const { predicted, run } = tallied(places);
  return [
    `**${zooTitle(places)}**; ${predicted - run} of ${predicted} have not been run.`,
    RULE,
    markdown(matrixTable(places)),
    ...(cells.length === 0 ? [] : ["Every cell that was run:", markdown(cellTable(places))]),
    ...gradedOf(cells).flatMap(({ column, cells: own }) => [
      `${columns[column].programs!.heading}, ${columnLabel(column)} (${columns[column].summary}). ${ruleOf(column)} Median, lowest and highest of the seeds:`,
      markdown(gradedTable(column, own)),
    ]),
    ...(cells.length === 0
      ? []
      : [
          `What disagrees or is open:\n\n${zooFindings(cells)
            .map((each) => `- ${each}`)
            .join("\n")}`,
        ]),
  ].join("\n\n");
}

const markdown = ({ columns: names, rows: lines }: ReturnType<typeof matrixTable>) =>
  [names, names.map(() => "---"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");

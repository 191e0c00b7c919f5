/**
 * @file A run as tables (RFC 4180): metrics.csv has a row for each step, tested.csv for each test.
 *
 *     step,loss,accuracy,...          step,change,wanted,programs,reveals,accuracy,accuracyLast,exactBayes,...
 */

import type { History } from "./history.ts";

type Cell = string | number | undefined;

export function csvFiles({ steps, tested }: History): Record<string, string> {
  const references = [...new Set(tested.flatMap((test) => Object.keys(test.references)))];
  return {
    "metrics.csv": csv(steps.map((record): Record<string, Cell> => ({ ...record }))),
    "tested.csv": csv(
      tested.map((test) => ({
        ...{ step: test.step, change: JSON.stringify(test.change), wanted: test.wanted },
        ...{ programs: test.programs, reveals: test.reveals },
        ...{ accuracy: test.accuracy, accuracyLast: test.accuracyLast },
        ...Object.fromEntries(references.map((name) => [name, test.references[name]?.accuracy])),
      })),
    ),
  };
}

/** Columns in the order in which they first occur; a cell that a row has not is empty. */
function csv(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellText).join(",")}\r\n`).join("");
}

function cellText(cell: Cell): string {
  const text = cell === undefined ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @file Rows as CSV (RFC 4180). */

type Cell = string | number | undefined;
export type Row = Readonly<Record<string, Cell>>;

/** Columns in the order in which they first occur. */
export const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** A missing cell is empty. */
export function csv(rows: readonly Row[]): string {
  const columns = columnsOf(rows);
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(cell: Cell): string {
  const text = cell === undefined ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @file A syntax error as Python shows it: the line, and carets under what is meant.
 *
 *     total = é + (n
 *                 ^
 *
 * A tab is four spaces, wide characters count as two, and of a long line only what surrounds the carets is shown.
 */

import type { SyntaxProblem } from "../../schemas/trace.ts";
import { columnsOf, visible } from "./escape-control.ts";

const TAB = "    ";
const CUT = "...";

/** Two lines without a trailing newline. */
export function renderPlace(place: NonNullable<SyntaxProblem["place"]>, width = 100): string {
  const { line, column, endLine, endColumn } = place;
  const characters = [...place.text.trimEnd()];
  const cells = characters.map((character) => (character === "\t" ? TAB : visible(character)));
  // starts[i] is the column of the terminal in which cell i begins
  const starts = [0];
  for (const [i, cell] of cells.entries()) {
    starts.push(starts[i] + (cell === characters[i] ? columnsOf(cell) : cell.length));
  }
  const first = Math.min(column - 1, cells.length);
  const end = Math.min(endLine > line ? cells.length : endColumn - 1, cells.length);
  let from = 0;
  let to = cells.length;
  if (starts[to] > width) {
    while (starts[first] - starts[from] > width / 2) from++;
    while (starts[to] - starts[from] > width) to--;
  }
  const before = from > 0 ? CUT : "";
  const shown = `${before}${cells.slice(from, to).join("")}${to < cells.length ? CUT : ""}`;
  const indent = before.length + starts[first] - starts[from];
  const carets = Math.max(1, starts[Math.min(end, to)] - starts[first]);
  return `${shown}\n${" ".repeat(indent)}${"^".repeat(carets)}`;
}

/**
 * @file Shows untrusted program text on a terminal: control characters become escapes, and syntax errors get carets.
 *
 *     x = "␛[2J"      x = "\u001b[2J"        JSON's escapes, so a JSON document stays the same document
 *
 *     total = é + (n
 *                 ^
 */

import type { SyntaxProblem } from "../../schemas/trace.ts";

/** Controls, and what is invisible or turns the direction of writing; line ends apart. */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const mark = /[\p{Mn}\p{Me}]/u;

/** On one line: newlines and tabs are escaped as well. */
export function visible(text: string): string {
  return text.replaceAll(steering, escaped);
}

/** Line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replaceAll(steering, (found) => (found === "\n" || found === "\t" ? found : escaped(found)));
}

/** The columns of a terminal that a character takes, once it is visible. */
export function characterColumns(character: string): number {
  if (mark.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

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
    starts.push(starts[i] + (cell === characters[i] ? characterColumns(cell) : cell.length));
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

/**
 * @file A table as aligned plain text.
 *
 *     model          accuracy  windowed
 *     deltanet[-1,1]    0.998     0.512
 *
 * Columns of numbers are set right, words left. Cells may hold colour codes: they take no room.
 */

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
/** Wraps text in a style, or returns it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_, text) => text;

export type Cell = string | number | null | undefined;

export interface Table {
  /** An untitled table (every title empty) has no heading. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
const colours = /\u001b\[[\d;]*m/g;
const numeral = /^[-+−]?[\d.,]+(e[-+]?\d+)?\s?(%|x|s|ms|min)?$/i;

/** Lines without a newline at the end. `paint` colours the heading. */
export function textTable({ columns, rows }: Table, paint: Paint = plain): string {
  const cells = rows.map((row) => columns.map((_, i) => (row[i] ?? "").toString()));
  const widths = columns.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i])].map(visibleLength)),
  );
  const isNumeric = columns.map((_, i) => {
    const filled = cells.map((row) => withoutColour(row[i])).filter((text) => /\d/.test(text));
    return filled.length > 0 && filled.every((text) => numeral.test(text));
  });
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => {
        const gap = " ".repeat(widths[i] - visibleLength(text));
        return isNumeric[i] ? gap + text : text + gap;
      })
      .join("  ")
      .trimEnd();
  const heading = columns.every((title) => title === "") ? [] : [paint("bold", line(columns))];
  return [...heading, ...cells.map(line)].join("\n");
}

function visibleLength(text: string): number {
  return [...withoutColour(text)].length;
}

function withoutColour(text: string): string {
  return text.replaceAll(colours, "");
}

/**
 * @file A table as aligned plain text.
 *
 *     model          accuracy  windowed
 *     deltanet[-1,1]    0.998     0.512
 *
 * Columns of numbers are set right, words left. Cells may hold colour codes: they take no room. In a terminal the widest columns are
 * wrapped until the table fits, between words where that is enough.
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
const numeral = /^[<>]?[-+−]?[\d.,]+(e[-+]?\d+)?\s?(%|x|s|ms|min)?$/i;

/** No column is made narrower to fit a terminal. */
const narrowest = 8;

/** Lines without a newline at the end. `paint` colours the heading. */
export function textTable(
  { columns, rows }: Table,
  paint: Paint = plain,
  width = globalThis.process?.stdout?.columns ?? Number.POSITIVE_INFINITY, // known of a terminal alone
): string {
  const cells = rows.map((row) => columns.map((_, i) => (row[i] ?? "").toString()));
  const widths = columns.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i])].map(visibleLength)),
  );
  const longestWords = columns.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i])].flatMap((text) => text.split(" ").map(visibleLength))),
  );
  for (;;) {
    const total = widths.reduce((sum, each) => sum + each, 2 * (widths.length - 1));
    if (total <= width) break;
    const uncut = widths.map((each, i) => (each > longestWords[i] ? each : 0));
    const from = Math.max(...uncut) > narrowest ? uncut : widths; // words are cut only where nothing else helps
    const widest = from.indexOf(Math.max(...from));
    if (widths[widest] <= narrowest) break;
    widths[widest]--;
  }
  const isNumeric = columns.map((_, i) => {
    const filled = cells.map((row) => withoutColour(row[i])).filter((text) => /\d/.test(text));
    return filled.length > 0 && filled.every((text) => numeral.test(text));
  });
  const lines = (row: readonly string[]) => {
    const wrapped = row.map((text, i) => wrap(text, widths[i]));
    const height = Math.max(1, ...wrapped.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((parts, i) => {
          const text = parts[at] ?? "";
          const gap = " ".repeat(widths[i] - visibleLength(text));
          return isNumeric[i] ? gap + text : text + gap;
        })
        .join("  ")
        .trimEnd(),
    ).join("\n");
  };
  const heading = columns.every((title) => title === "") ? [] : [paint("bold", lines(columns))];
  return [...heading, ...cells.map(lines)].join("\n");
}

/** A cell in lines of so many characters, at its spaces where it has some; what is wrapped loses its colours. */
function wrap(text: string, width: number): string[] {
  if (visibleLength(text) <= width) return [text];
  const made: string[] = [];
  for (const word of withoutColour(text).split(" ")) {
    const last = made.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      made[made.length - 1] = `${last} ${word}`;
    else for (let at = 0; at < word.length; at += width) made.push(word.slice(at, at + width));
  }
  return made;
}

function visibleLength(text: string): number {
  return [...withoutColour(text)].length;
}

function withoutColour(text: string): string {
  return text.replaceAll(colours, "");
}

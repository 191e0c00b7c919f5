/**
 * @file Terminal output: escapes control characters in all printed text, and decides whether to color it.
 *
 *     tensor "w\u001b[2J" has ...      tensor "w\u001b[2J" has ...     (ESC [ 2 J, written as an escape)
 *
 * Line ends, tabs and the styles of `coloured` stay. NO_COLOR (no-color.org) turns color off, FORCE_COLOR on; otherwise a
 * terminal is colored and a file or pipe is not.
 */

import { inspect } from "node:util";
import { visibleLines } from "../../python/trace/terminal.ts";
import { type Paint, plain, type Style } from "../../report/text-table.ts";
import type { Streams } from "./command.ts";

const styles: Record<Style, true> = {
  bold: true,
  dim: true,
  red: true,
  green: true,
  yellow: true,
  cyan: true,
};
const codes = new Set(Object.keys(styles).flatMap((style) => inspect.colors[style] ?? []));
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
const style = /(\u001b\[\d{1,2}m)/;
const printable = /^[\n\t -~]*$/;

export function printed(text: string): string {
  if (printable.test(text)) return text;
  return text
    .split(style)
    .map((part, i) => (i % 2 === 1 && codes.has(Number(part.slice(2, -1))) ? part : visibleLines(part)))
    .join("");
}

export function printing({ print, say }: Streams): Streams {
  return { print: (text) => print(printed(text)), say: (text) => say(printed(text)) };
}

/** Always colors; `util.styleText` would check the process's own stdout first. */
export const coloured: Paint = (style, text) => {
  const [on, off] = inspect.colors[style]!;
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

export function paintFor(stream: { readonly isTTY?: boolean }, environment = process.env): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return plain;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "";
  return forced || (stream.isTTY === true && TERM !== "dumb") ? coloured : plain;
}

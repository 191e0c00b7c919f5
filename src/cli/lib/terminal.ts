/**
 * @file The one place that all printed words go through: what a file, a model or a program put into them cannot steer the terminal.
 *
 *     tensor "w\u001b[2J" has ...      tensor "w\u001b[2J" has ...     (ESC [ 2 J, written as an escape)
 *
 * Line ends and tabs stay, and so do the few styles that the lab itself sets (colour.ts).
 */

import { inspect } from "node:util";
import { visibleLines } from "../../python/trace/escape-control.ts";
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

/** Always colours. (`util.styleText` looks at the process's own stdout first, and so cannot be told.) */
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

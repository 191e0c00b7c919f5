/**
 * @file Whether to colour, and the few styles in use. NO_COLOR (no-color.org) turns colour off, FORCE_COLOR on;
 * otherwise a terminal is coloured and a file or pipe is not.
 */

import { inspect } from "node:util";
import { type Paint, plain } from "../report/text-table.ts";

export { type Paint, plain };

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

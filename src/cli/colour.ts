/**
 * @file Whether to colour, and the few styles in use. NO_COLOR (no-color.org) turns colour off, FORCE_COLOR on;
 * otherwise a terminal is coloured and a file or pipe is not.
 */

import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];
/** Wraps text in a style, or returns it as it is. */
export type Paint = (style: Style, text: string) => string;

export const plain: Paint = (_, text) => text;

export function paintFor(stream: { readonly isTTY?: boolean }, environment = process.env): Paint {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return plain;
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "";
  return forced || (stream.isTTY === true && TERM !== "dumb") ? styleText : plain;
}

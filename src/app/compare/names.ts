/** @file Names of settings in tables and figures: those of `--name`, or folders without the part that all begin with. */

import { resolve } from "node:path";
import { fail } from "../../core/error.ts";

/** `names`: one per item, in their order; none for the folders. */
export function named<T extends { readonly name: string }>(
  items: readonly T[],
  names: readonly string[],
): T[] {
  const short = shortNames(items.map(({ name }) => name));
  if (names.length > 0 && (names.length !== items.length || new Set(names).size !== names.length))
    fail("--name", `different names for ${short.join(", ")}, in this order`, names.join(", "));
  return items.map((item, i) => ({ ...item, name: names[i] ?? short[i] }));
}

/** Paths without the folders that all begin with. */
export function shortNames(paths: readonly string[]): string[] {
  const parts = paths.map((path) => resolve(path).split(/[/\\]/));
  const most = Math.min(...parts.map(({ length }) => length)) - 1;
  let common = 0;
  while (common < most && parts.every((each) => each[common] === parts[0][common])) common++;
  return parts.map((each) => each.slice(common).join("/"));
}

/**
 * @file The Python side as text: the modules of `lab/` and the importer that makes a package of them in an interpreter
 * that sees none of our files.
 */

import { readdirSync, readFileSync } from "node:fs";

export interface LabSources {
  readonly importer: string;
  /** Module name without `lab.`, and its source. */
  readonly modules: Readonly<Record<string, string>>;
}

/** The built lab and the sources have the same files in the same places. */
export function labSources(): LabSources {
  const text = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const names = readdirSync(new URL("lab/", import.meta.url)).filter((name) => name.endsWith(".py"));
  const modules = Object.fromEntries(
    names.sort().map((name) => [name.replace(/\.py$/, ""), text(`lab/${name}`)]),
  );
  const importer = text("importer.py");
  return { importer, modules };
}

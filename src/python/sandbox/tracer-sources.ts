/**
 * @file The Python modules of `lab/` as text, and the importer that loads them in an interpreter without access to
 * our files.
 */

import { readdirSync, readFileSync } from "node:fs";

/** Imports of the data sets and of the tracer: loaded once, into the snapshot. */
const preload = `import ${[
  "abc, array, ast, bisect, calendar, cmath, collections, contextlib, copy, dataclasses, datetime, decimal, enum",
  "fractions, functools, hashlib, heapq, inspect, io, itertools, json, keyword, math, numbers, operator, random, re",
  "statistics, string, struct, textwrap, time, tokenize, traceback, types, typing",
].join(", ")}`;

/** Called once in a loaded interpreter, before any program. */
export const startText = "import lab.entry; lab.entry.start()";

/** The built lab and the sources have the same files in the same places. */
export function labSources() {
  const text = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const names = readdirSync(new URL("../tracer/lab/", import.meta.url)).filter((name) =>
    name.endsWith(".py"),
  );
  const modules = Object.fromEntries(
    names.sort().map((name) => [name.replace(/\.py$/, ""), text(`../tracer/lab/${name}`)]),
  );
  const importer = text("importer.py");
  // `modules`: module name without `lab.`, and its source.
  return { importer, modules };
}

/** The loading request for an interpreter without a snapshot. */
export function loading() {
  const { importer, modules } = labSources();
  const names = Object.keys(modules).map((name) => `lab.${name}`);
  // Two modules load a part of themselves only when it is first called.
  const calls = 'ast.unparse(ast.parse("x")); collections.Counter("x").most_common(1)';
  return { importer, modules, preload: `${preload}, ${names.join(", ")}\n${calls}` };
}

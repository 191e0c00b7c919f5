/**
 * @file Which cells a call of the zoo asks for.
 *
 *     --only gla,kda --columns parity,s3 --model ./mine.ts       rows and columns, all where they are not named
 *     --except evidence/zoo/laptop-cells.json                    but those that the file has: of the same settings, with all these seeds
 */

import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseWith } from "../../src/records/config.ts";
import { fail } from "../../src/records/error.ts";
import { suggest } from "../../src/records/nearest.ts";
import { type ZooCell, ZooCells } from "../../src/records/zoo.ts";
import { parseJson } from "../../src/store/index.ts";
import { isModulePath } from "../../src/work/run/load.ts";
import type { Given, OwnOption } from "../engine/experiment.ts";
import { columns } from "./columns.ts";
import { rows, type ZooRow } from "./rows.ts";
import type { ZooSettings } from "./settings.ts";

export const options = {
  only: { value: "ROWS", description: "these architectures alone, by their names: deltanet,gru" },
  columns: { value: "COLUMNS", description: "these tasks alone, by their names: parity,s3-swaps" },
  model: { value: "FILE", description: "your own architecture as one more row, called as its file is" },
  except: {
    value: "FILE",
    description: "not the cells of this file that have all the seeds: evidence/zoo/laptop-cells.json",
  },
} as const satisfies Readonly<Record<string, OwnOption>>;

export interface Wanted {
  readonly rows: Readonly<Record<string, ZooRow>>;
  readonly columns: readonly string[];
  /** Row and column of each. */
  readonly cells: readonly (readonly [row: string, column: string])[];
  /** So many more were asked for, and are there already. */
  readonly passed: number;
}

/** What a cell's settings would be; undefined of an architecture of the user's own, which may have been edited. */
type SettingsOf = (row: string, column: string) => string | undefined;

/** @throws LabError for names that are not known, a file that is none, and where no cell is left. */
export function wantedOf(
  { only }: ZooSettings,
  seeds: readonly number[],
  given: Given,
  settingsOf: SettingsOf,
): Wanted {
  const own = ownRow(given.model);
  const known = { ...rows, ...own };
  const names =
    given.only === undefined
      ? [...(only?.rows ?? Object.keys(rows)), ...Object.keys(own)]
      : named("--only", given.only, Object.keys(known));
  const across =
    given.columns === undefined
      ? (only?.columns ?? Object.keys(columns))
      : named("--columns", given.columns, Object.keys(columns));
  const all = across.flatMap((column) => names.map((row): readonly [string, string] => [row, column]));
  const there = given.except === undefined ? [] : cellsOfFile(given.except);
  const isThere = ([row, column]: readonly [string, string]) =>
    there.some(
      (cell) =>
        cell.row === row &&
        cell.column === column &&
        cell.settings === settingsOf(row, column) &&
        seeds.every((seed) => cell.runs.some((run) => run.seed === seed)),
    );
  const cells = all.filter((each) => !isThere(each));
  if (cells.length === 0)
    fail("--except", "a cell that is not in the file", "none", "Nothing is left to run");
  return {
    rows: Object.fromEntries(
      names.filter((name) => cells.some(([row]) => row === name)).map((name) => [name, known[name]]),
    ),
    columns: across.filter((name) => cells.some(([, column]) => column === name)),
    cells,
    passed: all.length - cells.length,
  };
}

function cellsOfFile(path: string): readonly ZooCell[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return fail("--except", "a file of cells, as evidence/zoo/laptop-cells.json", path);
  }
  return parseWith(ZooCells, parseJson(text, path, "Name a file of cells"), path).cells;
}

/** `./mine.ts` is the row `mine`. */
function ownRow(path: string | undefined): Readonly<Record<string, ZooRow>> {
  if (path === undefined) return {};
  if (!isModulePath(path))
    fail("--model", "a file such as ./mine.ts", path, "Built-in rows are named by --only");
  if (!existsSync(path)) fail("--model", "an existing file", path);
  const name = basename(path).replace(/\.\w+$/, "");
  if (Object.hasOwn(rows, name)) fail("--model", "a file that is not called as a row is", name);
  return { [name]: { label: name, summary: `own file ${basename(path)}`, model: { name: path } } };
}

function named(flag: string, text: string, known: readonly string[]): string[] {
  const names = text.split(",").map((each) => each.trim());
  for (const name of names) if (!known.includes(name)) fail(flag, "known names", name, suggest(name, known));
  return [...new Set(names)];
}

/** @file Which cells a call of the zoo asks for: `--only gla,kda --columns parity,s3 --model ./mine.ts`. */

import { basename } from "node:path";
import { fail } from "../../src/records/error.ts";
import { suggest } from "../../src/records/nearest.ts";
import { isModulePath } from "../../src/work/run/load.ts";
import type { Given, OwnOption } from "../engine/experiment.ts";
import { columns } from "./columns.ts";
import { rows, type ZooRow } from "./rows.ts";
import type { ZooSettings } from "./settings.ts";

export const options = {
  only: { value: "ROWS", description: "these architectures alone, by their names: deltanet,gru" },
  columns: { value: "COLUMNS", description: "these tasks alone, by their names: parity,s3-swaps" },
  model: { value: "FILE", description: "your own architecture as one more row, called as its file is" },
} as const satisfies Readonly<Record<string, OwnOption>>;

export interface Wanted {
  readonly rows: Readonly<Record<string, ZooRow>>;
  readonly columns: readonly string[];
}

export function wantedOf({ only }: ZooSettings, given: Given): Wanted {
  const own = ownRow(given.model);
  const known = { ...rows, ...own };
  const names =
    given.only === undefined
      ? [...(only?.rows ?? Object.keys(rows)), ...Object.keys(own)]
      : named("--only", given.only, Object.keys(known));
  return {
    rows: Object.fromEntries(names.map((name) => [name, known[name]])),
    columns:
      given.columns === undefined
        ? (only?.columns ?? Object.keys(columns))
        : named("--columns", given.columns, Object.keys(columns)),
  };
}

/** `./mine.ts` is the row `mine`. */
function ownRow(path: string | undefined): Readonly<Record<string, ZooRow>> {
  if (path === undefined) return {};
  if (!isModulePath(path))
    fail("--model", "a file such as ./mine.ts", path, "Built-in rows are named by --only");
  const name = basename(path).replace(/\.\w+$/, "");
  if (Object.hasOwn(rows, name)) fail("--model", "a file that is not called as a row is", name);
  return { [name]: { label: name, summary: `own file ${basename(path)}`, model: { name: path } } };
}

function named(flag: string, text: string, known: readonly string[]): string[] {
  const names = text.split(",").map((each) => each.trim());
  for (const name of names) if (!known.includes(name)) fail(flag, "known names", name, suggest(name, known));
  return [...new Set(names)];
}

/**
 * @file Maps the columns of a user's file to the fields of a row of functions.
 *
 *     --fields code=source,input=args,output=result,id=key
 *     {"key": 7, "source": "def f(n): ...", "args": "2, [1]", "result": 3}
 *                                  {"code": "def f(n): ...", "input": "2, [1]", "output": "3", "id": 7}
 *
 * Texts are Python source, so strings include quotes; other values are converted to Python notation.
 */

import { nearest, suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";

const needed = ["code", "input", "output"] as const;
const fields = [...needed, "function_name", "id"] as const;

/** Column by field. */
export type Columns = ReadonlyMap<string, string>;

/** @throws LabError for an unknown or missing field. */
export function parseColumns(text: string): Columns {
  const columns = new Map(
    text.split(",").map((each) => {
      const [, field, column] =
        /^\s*(\w+)\s*=\s*(.*\S)\s*$/.exec(each) ?? fail("--fields", "FIELD=COLUMN,...", text);
      if (!fields.some((name) => name === field))
        fail("--fields", `a field: ${fields.join(", ")}`, field, suggest(field, fields));
      return [field, column] as const;
    }),
  );
  const missing = needed.filter((name) => !columns.has(name));
  if (missing.length > 0)
    fail("--fields", `columns for ${needed.join(", ")}`, `none for ${missing.join(", ")}`);
  return columns;
}

/** @throws LabError naming the columns that are there. */
export function mappedRow(value: unknown, columns: Columns, at: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail(at, "a row with columns", value, undefined, "corrupt");
  const row: Readonly<Record<string, unknown>> = { ...value };
  const names = Object.keys(row);
  const entries = [...columns].map(([field, column]) => {
    if (!Object.hasOwn(row, column))
      fail(at, `the column ${column}, for ${field}`, names.join(", "), didYouMean(column, names));
    const found = row[column];
    if (field === "id") return [field, found];
    if (typeof found === "string") return [field, found];
    if (field === "code" || field === "function_name") return fail(at, `text in the column ${column}`, found);
    return [field, pythonText(found)];
  });
  return Object.fromEntries(entries);
}

const didYouMean = (column: string, names: readonly string[]) => {
  const near = nearest(column, names);
  return near === undefined ? undefined : `Did you mean ${near}?`;
};

/** A value of JSON as Python writes it: `[True, None, "a", 1.5]`. */
export function pythonText(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value !== "object") return typeof value === "string" ? JSON.stringify(value) : String(value);
  const pairs = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${pythonText(each)}`);
  return `{${pairs.join(", ")}}`;
}

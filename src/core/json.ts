/** @file JSON that refuses non-finite numbers, which JSON.stringify would silently write as `null`. */

import { fail } from "./error.ts";

/** JSON of a value; throws for a non-finite number, naming its key. `at` is the destination, for messages. */
export function jsonText(value: unknown, at: string, indent?: number): string {
  return JSON.stringify(
    value,
    (key, inner: unknown) => {
      if (typeof inner === "number" && !Number.isFinite(inner)) fail(at, `a finite ${key}`, String(inner));
      return inner;
    },
    indent,
  );
}

/** The same with one key a line, and one row a line for arrays of anything but numbers. */
export function jsonRows(value: object, at: string): string {
  const plain: object = JSON.parse(jsonText(value, at));
  const rows = (inner: unknown) =>
    Array.isArray(inner) && inner.some((row) => typeof row !== "number")
      ? `[\n${inner.map((row) => JSON.stringify(row)).join(",\n")}\n]`
      : JSON.stringify(inner);
  const parts = Object.entries(plain).map(([key, inner]) => `${JSON.stringify(key)}: ${rows(inner)}`);
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** The first non-finite number of an array, if any. */
export function notFinite(numbers: ArrayLike<number | bigint>): number | undefined {
  for (let i = 0; i < numbers.length; i++) {
    const each = Number(numbers[i]);
    if (!Number.isFinite(each)) return each;
  }
  return undefined;
}

/** Values by path: `model.betaMax`. A list, such as a curriculum, is one value, as JSON. */
export function leaves(value: unknown, path = ""): [string, string | number | boolean][] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return [[path, value]];
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`));
}

/** @file Numbers that are not finite never pass for a result: they are no JSON (`null` would stand there), and no weight. */

import { fail } from "./error.ts";

/** JSON of a value; a number in it that is not finite is refused, naming its key. `at` is where the text would stand. */
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

/** The same as lines: a key a line, and of an array that is no list of numbers a row a line. */
export function jsonRows(value: object, at: string): string {
  const plain: object = JSON.parse(jsonText(value, at));
  const rows = (inner: unknown) =>
    Array.isArray(inner) && inner.some((row) => typeof row !== "number")
      ? `[\n${inner.map((row) => JSON.stringify(row)).join(",\n")}\n]`
      : JSON.stringify(inner);
  const parts = Object.entries(plain).map(([key, inner]) => `${JSON.stringify(key)}: ${rows(inner)}`);
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** The first number of an array that is not finite; undefined where all are. */
export function notFinite(numbers: ArrayLike<number | bigint>): number | undefined {
  for (let i = 0; i < numbers.length; i++) {
    const each = Number(numbers[i]);
    if (!Number.isFinite(each)) return each;
  }
  return undefined;
}

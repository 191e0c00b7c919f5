/**
 * @file Execution labels: properties of a run of a function, as few classes that a small head can learn.
 *
 *     def f(a=3):             ran
 *         b = None            ran
 *         if a < 2:           ran
 *             b = [a]         did not run
 *         return a            ran          at the end  a: small, int    b: null, NoneType
 *
 * Loops are not unrolled: a line has one label, and a variable the label of its last value. Computed from a
 * debugger's record (schemas/execution-trace.ts).
 *
 * Source: TRACED (Ding et al. 2023, arXiv:2306.07487) for executed lines and quantised values, Idioms (2025) for
 * types next to values. The bound of ten for small integers is ours; TRACED's is larger, for values of real programs.
 */

import type { HistoryRecord } from "../../schemas/execution-trace.ts";
import type { PythonValue } from "../../schemas/python-value.ts";
import { openRecording } from "../debugger/recording.ts";

/** Integers below this, without their sign, are small. */
export const LARGE = 10;

export const valueClasses = [
  ...["zero", "small", "-small", "large", "-large"],
  ...["false", "true", "null", "empty", "filled", "other"],
] as const;
export type ValueClass = (typeof valueClasses)[number];

export const typeClasses = [
  ...["int", "float", "bool", "NoneType", "str", "list", "tuple", "set", "dict", "other"],
] as const;
export type TypeClass = (typeof typeClasses)[number];

export interface ValueLabel {
  readonly value: ValueClass;
  readonly type: TypeClass;
}

/** For a run that completed. @throws LabError (corrupt) if calls are not nested. */
export function executionLabels(record: HistoryRecord) {
  const run = openRecording(record, "execution labels");
  const own = run.events.slice(record.began);
  const { activation } = own[0];
  const last = run.momentsOf(activation).at(-1)!; // the call itself is one
  const lines = new Set(own.flatMap(({ event, line }) => (event === "line" ? [line] : [])));
  // `values`: the final value of each variable of the call.
  // `lines`: lines of the source that ran during the call, ascending.
  return {
    lines: [...lines].toSorted((a, b) => a - b),
    values: Object.fromEntries(
      Object.entries(run.locals(last, activation)).map(([name, value]) => [name, valueLabel(value)]),
    ),
  };
}

const filled = (type: TypeClass, items: { readonly length: number }): ValueLabel => ({
  value: items.length > 0 ? "filled" : "empty",
  type,
});

/** The classes of one value. What the record cut short, or has no class for, is `other`. */
export function valueLabel(value: PythonValue): ValueLabel {
  if (value === null) return { value: "null", type: "NoneType" };
  if (typeof value === "boolean") return { value: value ? "true" : "false", type: "bool" };
  if (typeof value === "number") return { value: sizeOf(value), type: "int" };
  if (typeof value === "string") return filled("str", value);
  if (Array.isArray(value)) return filled("list", value);
  const held = value as Exclude<PythonValue & object, readonly PythonValue[]>; // the lists are gone
  if ("is" in held) return valueLabel(held.is);
  if ("int" in held) return { value: held.int.startsWith("-") ? "-large" : "large", type: "int" };
  if ("float" in held) return { value: Number(held.float) === 0 ? "zero" : "other", type: "float" };
  if ("text" in held) return filled("str", held.text);
  if ("tuple" in held) return filled("tuple", held.tuple);
  if ("set" in held) return filled("set", held.set);
  if ("dict" in held) return filled("dict", held.dict);
  return { value: "other", type: "other" };
}

function sizeOf(value: number): ValueClass {
  if (value === 0) return "zero";
  const size = Math.abs(value) < LARGE ? "small" : "large";
  return value < 0 ? `-${size}` : size;
}

/**
 * @file Values that an expression is computed with: Python's, as far as they can be without running Python.
 *
 *     1, 0.5, "a", True, None      1n, { float: 0.5 }, "a", true, null
 *     [1, (2,)], {1: 2}            { kind: "list", items: [1n, { kind: "tuple", items: [2n] }] }, { entries: [[1n, 2n]] }
 */

import type { PythonValue } from "../../records/python-value.ts";

export type Value = null | boolean | bigint | string | Float | Sequence | Dictionary | Thing | Opaque;
export interface Float {
  readonly float: number;
}
export interface Sequence {
  readonly kind: "list" | "tuple" | "set" | "frozenset" | "deque" | "range";
  readonly items: readonly Value[];
}
export interface Dictionary {
  readonly entries: readonly (readonly [Value, Value])[];
}
/** An object of the program; `data` where its class extends a built-in type. */
export interface Thing {
  readonly object: string;
  readonly fields: ReadonlyMap<string, Value>;
}
/** What a bound cut, or what the record does not show. */
export interface Opaque {
  readonly opaque: PythonValue;
}

/** Ends an evaluation; in Python's own words where Python would raise. */
export class EvaluationError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export const isSequence = (value: Value): value is Sequence =>
  typeof value === "object" && value !== null && "kind" in value;
export const isFloat = (value: Value): value is Float =>
  typeof value === "object" && value !== null && "float" in value;
export const isDictionary = (value: Value): value is Dictionary =>
  typeof value === "object" && value !== null && "entries" in value;
export const isThing = (value: Value): value is Thing =>
  typeof value === "object" && value !== null && "object" in value;

const MOST_ITEMS = 100_000;

/** Reads values of one state: labels are known throughout it. */
export function valueReader(state: Readonly<Record<string, PythonValue>>): (value: PythonValue) => Value {
  const labelled = new Map<number, PythonValue>();
  for (const value of Object.values(state)) collect(value, labelled);
  const made = new Map<number, Value>();
  const read = (value: PythonValue): Value => {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") return BigInt(value);
    if (Array.isArray(value)) return sequence("list", value);
    if ("id" in value) return shared(value.id, value.is);
    if ("ref" in value) return shared(value.ref, labelled.get(value.ref));
    if ("int" in value)
      return /^-?(\d+|0x[\da-f]+)$/.test(value.int) && !value.int.startsWith("-0x")
        ? BigInt(value.int)
        : { opaque: value };
    if ("float" in value) return { float: floatOf(value.float) };
    if ("dict" in value) {
      const entries: (readonly [Value, Value])[] = [];
      for (const pair of value.dict) {
        if ("cut" in pair) return { opaque: value };
        entries.push([read(pair[0]), read(pair[1])]);
      }
      return { entries };
    }
    for (const kind of ["tuple", "set", "frozenset", "deque"] as const) {
      if (kind in value) return sequence(kind, (value as Record<string, readonly PythonValue[]>)[kind]); // it is there
    }
    if ("range" in value) return range(...(value.range.map(BigInt) as [bigint, bigint, bigint]));
    if ("object" in value && value.fields !== undefined && value.data === undefined) {
      const fields = Object.entries(value.fields).map(([name, field]) => [name, read(field)] as const);
      return { object: value.object, fields: new Map(fields) };
    }
    return { opaque: value };
  };
  const sequence = (kind: Sequence["kind"], items: readonly PythonValue[]): Value =>
    items.some((item) => typeof item === "object" && item !== null && "cut" in item && !("text" in item))
      ? { opaque: items }
      : { kind, items: items.map(read) };
  const shared = (label: number, content: PythonValue | undefined): Value => {
    const known = made.get(label);
    if (known !== undefined) return known;
    made.set(label, { opaque: { ref: label } }); // an object that holds itself is not looked into
    const value = content === undefined ? { opaque: null } : read(content);
    made.set(label, value);
    return value;
  };
  return read;
}

/** The items of a range; @throws EvaluationError where there are too many. */
export function range(start: bigint, stop: bigint, step: bigint): Sequence {
  const items: bigint[] = [];
  for (let at = start; step > 0n ? at < stop : at > stop; at += step) {
    if (items.length >= MOST_ITEMS)
      throw new EvaluationError("MemoryError", `a range of more than ${MOST_ITEMS} values`);
    items.push(at);
  }
  return { kind: "range", items };
}

/** Every labelled object, however deep it lies. */
function collect(part: unknown, labelled: Map<number, PythonValue>): void {
  if (typeof part !== "object" || part === null) return;
  if ("id" in part && "is" in part) labelled.set(Number(part.id), part.is as PythonValue); // a value of Python, checked by its schema
  for (const each of Object.values(part)) collect(each, labelled);
}

export const floatOf = (text: string): number =>
  text === "nan" ? Number.NaN : Number(text.replace("inf", "Infinity"));

/** As Python's `repr` writes a float: the same digits as JavaScript, another form of the exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const digits = mantissa.replace(/[-.]/g, "");
  const plain =
    power < 0
      ? `0.${"0".repeat(-power - 1)}${digits}`
      : digits.length <= power + 1
        ? `${digits.padEnd(power + 1, "0")}.0`
        : `${digits.slice(0, power + 1)}.${digits.slice(power + 1)}`;
  return value < 0 ? `-${plain}` : plain;
}

/** In the form of records, for showing. */
export function recordOf(value: Value): PythonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { int: String(value) };
  }
  if (isFloat(value)) return { float: floatText(value.float) };
  if (isDictionary(value))
    return { dict: value.entries.map(([key, item]) => [recordOf(key), recordOf(item)] as const) };
  if (isThing(value))
    return {
      object: value.object,
      fields: Object.fromEntries([...value.fields].map(([name, field]) => [name, recordOf(field)])),
    };
  if (!isSequence(value)) return value.opaque;
  const items = value.items.map(recordOf);
  switch (value.kind) {
    case "list":
      return items;
    case "tuple":
      return { tuple: items };
    case "set":
      return { set: items };
    case "frozenset":
      return { frozenset: items };
    case "deque":
      return { deque: items };
    case "range": {
      const step = items.length > 1 ? (value.items[1] as bigint) - (value.items[0] as bigint) : 1n; // of integers
      const [start = 0n, end = 0n] = [
        value.items[0] as bigint | undefined,
        value.items.at(-1) as bigint | undefined,
      ];
      const stop = items.length === 0 ? start : end + (step > 0n ? 1n : -1n);
      return { range: [String(start), String(stop), String(step)] };
    }
    default:
      return value.kind satisfies never;
  }
}

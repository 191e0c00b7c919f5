/**
 * @file Python values in memory: what literals are parsed to and what expressions compute with.
 *
 *     1, 0.5, "a", True, None      1n, { float: 0.5 }, "a", true, null
 *     [1, (2,)], {1: 2}            { kind: "list", items: [1n, { kind: "tuple", items: [2n] }] }, { entries: [[1n, 2n]] }
 *     1 + 2j, ...                  { complex: [1, 2] }, { opaque: { constant: "Ellipsis" } }
 *
 * Records hold values in the JSON form of schemas/python-value.ts; `valueReader` and `toPythonValue` convert.
 */

import type { PythonValue } from "../../schemas/python-value.ts";
import { collectShared } from "./repr.ts";

export type Value =
  | null
  | boolean
  | bigint
  | string
  | Float
  | Complex
  | Sequence
  | Dictionary
  | Thing
  | Opaque;
export interface Float {
  readonly float: number;
}
/** Read from literals only: expressions do not compute with complex numbers. */
export interface Complex {
  readonly complex: readonly [number, number];
}
/** What the record adds to the items of a container. */
interface Recorded {
  /** Number of further items that are not recorded. */
  readonly more?: number;
  /** The name of a class that is not built in, and its record. */
  readonly type?: string;
  readonly record?: PythonValue;
  /** Fields of a namedtuple. */
  readonly fields?: ReadonlyMap<string, Value>;
}
export interface Sequence extends Recorded {
  /** `str` only where a JavaScript string would join two surrogates that Python keeps apart: its items are code points. */
  readonly kind:
    | ("list" | "tuple" | "set" | "frozenset" | "deque" | "range")
    | ("bytes" | "bytearray" | "array" | "str");
  readonly items: readonly Value[];
}
export interface Dictionary extends Recorded {
  readonly entries: readonly (readonly [Value, Value])[];
}
/** An object of the program. */
export interface Thing {
  readonly object: string;
  readonly fields: ReadonlyMap<string, Value>;
  readonly record?: PythonValue;
  /** The repr of a library object that is recorded as one text. */
  readonly text?: string;
}
/** A value that a limit cut or that the record does not show, and constants such as `...`. */
export interface Opaque {
  readonly opaque: PythonValue;
}

/** Ends an evaluation. `type` is the exception that Python would raise, or NotRecorded. */
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
export const isComplex = (value: Value): value is Complex =>
  typeof value === "object" && value !== null && "complex" in value;
export const isOpaque = (value: Value): value is Opaque =>
  typeof value === "object" && value !== null && "opaque" in value;
export const isDictionary = (value: Value): value is Dictionary =>
  typeof value === "object" && value !== null && "entries" in value;
export const isThing = (value: Value): value is Thing =>
  typeof value === "object" && value !== null && "object" in value;

/** @throws EvaluationError (NotRecorded) if a limit cut the value. */
export function checkWhole(value: Value): void {
  if ((isSequence(value) || isDictionary(value)) && value.more !== undefined) {
    const count = isDictionary(value) ? value.entries.length : value.items.length;
    throw new EvaluationError("NotRecorded", `not recorded beyond ${count} of ${count + value.more} items`);
  }
}

/** The part that keeps a value from being a key or an element of a set. */
export function unhashablePart(value: Value): Value | undefined {
  if (isDictionary(value)) return value;
  if (!isSequence(value)) return undefined;
  if (value.kind === "tuple") {
    for (const item of value.items) {
      const part = unhashablePart(item);
      if (part !== undefined) return part;
    }
  }
  return ["list", "set", "deque", "bytearray", "array"].includes(value.kind) ? value : undefined;
}

const MOST_ITEMS = 100_000;

/** Converts values of one state; labels refer to any value of the state. */
export function valueReader(state: Readonly<Record<string, PythonValue>>): (value: PythonValue) => Value {
  const labelled = new Map<number, PythonValue>();
  for (const value of Object.values(state)) collectShared(value, labelled);
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
      const cut = value.dict.find((pair) => "cut" in pair);
      const entries = value.dict.flatMap((pair) =>
        "cut" in pair ? [] : [[read(pair[0]), read(pair[1])] as const],
      );
      return { entries, ...(cut !== undefined && "cut" in cut && { more: cut.cut, record: value }) };
    }
    for (const kind of ["bytes", "bytearray"] as const)
      if (kind in value) {
        const { cut, ...held } = value as { readonly cut?: number };
        const hex = (held as Record<string, string>)[kind]; // present: the key was checked
        const items = (hex.match(/../g) ?? []).map((pair) => BigInt(`0x${pair}`));
        return { kind, items, ...(cut !== undefined && { more: cut, record: value }) };
      }
    for (const kind of ["tuple", "set", "frozenset", "deque"] as const) {
      if (kind in value) return sequence(kind, (value as Record<string, readonly PythonValue[]>)[kind]); // present: the key was checked
    }
    if ("range" in value) return range(...(value.range.map(BigInt) as [bigint, bigint, bigint]));
    if ("object" in value) return object(value);
    return { opaque: value };
  };
  const object = (value: Extract<PythonValue, { readonly object: string }>): Value => {
    const { object: type, data, repr, fields = {} } = value;
    const own = new Map(Object.entries(fields).map(([name, field]) => [name, read(field)] as const));
    const [text = "", end, ...names] = repr ?? [];
    const member = /^<\w+\.(.*): $/.exec(text);
    if (data !== undefined && member !== null) {
      const content = read(data);
      return {
        object: type,
        fields: new Map([
          ["name", member[1]],
          ["value", content],
        ]),
        record: value,
        text,
      };
    }
    if (data !== undefined) {
      const held = read(data);
      if (isDictionary(held)) return { ...held, type, record: value, fields: own };
      if (isSequence(held)) {
        if (text.startsWith("deque(")) return { ...held, kind: "deque", record: value };
        if (held.kind === "bytes") return { ...held, type, record: value };
        const named = held.kind === "tuple" ? names.map((name, i) => [name, held.items[i]] as const) : [];
        const isException = repr !== undefined && names.length === 0 && held.kind === "tuple";
        if (isException) return { object: type, fields: new Map([["args", held]]), record: value };
        return { ...held, type, record: value, fields: new Map([...own, ...named]) };
      }
      return repr === undefined && own.size === 0
        ? { opaque: value }
        : { object: type, fields: own, record: value };
    }
    const array = /^array\('\w'(?:, \[(.*)\])?\)$/.exec(text);
    if (array !== null) {
      const items = (array[1] ?? "").split(", ").filter((item) => item !== "");
      return {
        kind: "array",
        items: items.map((item) => (/^-?\d+$/.test(item) ? BigInt(item) : { float: floatOf(item) })),
        record: value,
      };
    }
    if (repr !== undefined && end === undefined) return { object: type, fields: own, text, record: value };
    return value.fields === undefined ? { opaque: value } : { object: type, fields: own, record: value };
  };
  const sequence = (kind: Sequence["kind"], items: readonly PythonValue[]): Value => {
    const last = items.at(-1);
    const isCut =
      typeof last === "object" && last !== null && "cut" in last && Object.keys(last).length === 1;
    if (!isCut) return { kind, items: items.map(read) };
    const record = kind === "list" ? items : ({ [kind]: items } as unknown as PythonValue);
    return {
      kind,
      items: items.slice(0, -1).map(read),
      more: (last as { readonly cut: number }).cut,
      record,
    };
  };
  const shared = (label: number, content: PythonValue | undefined): Value => {
    const known = made.get(label);
    if (known !== undefined) return known;
    made.set(label, { opaque: { ref: label } }); // a cycle is not followed
    const value = content === undefined ? { opaque: null } : read(content);
    made.set(label, value);
    return value;
  };
  return read;
}

/** @throws EvaluationError if the range has too many items. */
export function range(start: bigint, stop: bigint, step: bigint): Sequence {
  const items: bigint[] = [];
  for (let at = start; step > 0n ? at < stop : at > stop; at += step) {
    if (items.length >= MOST_ITEMS)
      throw new EvaluationError("MemoryError", `a range of more than ${MOST_ITEMS} values`);
    items.push(at);
  }
  return { kind: "range", items };
}

const floatOf = (text: string): number =>
  text === "nan" ? Number.NaN : Number(text.replace("inf", "Infinity"));

/** Python's `repr` of a float: the digits of JavaScript, another format of the exponent. */
function floatText(value: number): string {
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

/** A value in the JSON form of records. */
export function toPythonValue(value: Value): PythonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { int: String(value) };
  }
  if (isFloat(value)) return { float: floatText(value.float) };
  if ("record" in value && value.record !== undefined) return value.record;
  if (isDictionary(value))
    return { dict: value.entries.map(([key, item]) => [toPythonValue(key), toPythonValue(item)] as const) };
  if (isThing(value))
    return {
      object: value.object,
      fields: Object.fromEntries([...value.fields].map(([name, field]) => [name, toPythonValue(field)])),
    };
  if (isComplex(value)) throw new EvaluationError("NotRecorded", "complex numbers are not computed here");
  if (!isSequence(value)) return value.opaque;
  const items = value.items.map(toPythonValue);
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
    case "array":
      return { object: "array", data: items };
    case "str":
      return String.fromCodePoint(...value.items.map(Number));
    case "bytes":
    case "bytearray": {
      const hex = value.items.map((item) => (item as bigint).toString(16).padStart(2, "0")).join(""); // bytes
      return value.kind === "bytes" ? { bytes: hex } : { bytearray: hex };
    }
    case "range": {
      const step = items.length > 1 ? (value.items[1] as bigint) - (value.items[0] as bigint) : 1n; // integers
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

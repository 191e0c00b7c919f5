/**
 * @file A Python value as JSON: directly if JSON has the type, else as an object with one tag key.
 *
 *     None, True, "a", 3, [1, "a"]    null, true, "a", 3, [1, "a"]              integers up to 2^53 - 1
 *     2 ** 60, 0.5, 1j, b"\x00"       {"int": "1152..."}, {"float": "0.5"}, {"complex": "1j"}, {"bytes": "00"}
 *     (1,), {1}, {"a": 1}             {"tuple": [1]}, {"set": [1]}, {"dict": [["a", 1]]}
 *     range(2), slice(1), ...         {"range": ["0", "2", "1"]}, {"slice": [null, 1, null]}, {"constant": "Ellipsis"}
 *     a = b = []                      a {"id": 1, "is": []}, b {"ref": 1}: one object at two places
 *     Counter("a")                    {"object": "Counter", "data": {"dict": [["a", 1]]}, "repr": ["Counter(", ")"]}      the text around its data
 *     Decimal("0.1")                  {"object": "Decimal", "repr": ["Decimal('0.1')"]}      for a namedtuple also the names of its items
 *     an object of the program        {"object": "Point", "fields": {"x": 1}}
 *     cut by a bound                  {"cut": 12} for 12 omitted items; {"text": "aaa", "cut": 9} for a text
 */

import { z } from "zod";

type Mark = { readonly cut: number };
export type PythonValue =
  | null
  | boolean
  | string
  | number
  | readonly PythonValue[]
  | { readonly int: string }
  | { readonly float: string }
  | { readonly complex: string }
  | { readonly text: string; readonly cut: number }
  | { readonly bytes: string; readonly cut?: number | undefined }
  | { readonly bytearray: string; readonly cut?: number | undefined }
  | { readonly tuple: readonly PythonValue[] }
  | { readonly set: readonly PythonValue[] }
  | { readonly frozenset: readonly PythonValue[] }
  | { readonly deque: readonly PythonValue[] }
  | { readonly dict: readonly (readonly [PythonValue, PythonValue] | Mark)[] }
  | { readonly range: readonly [string, string, string] }
  | { readonly slice: readonly PythonValue[] }
  | { readonly constant: "Ellipsis" | "NotImplemented" }
  | { readonly id: number; readonly is: PythonValue }
  | { readonly ref: number }
  | {
      readonly object: string;
      readonly data?: PythonValue | undefined;
      readonly repr?: readonly string[] | undefined;
      readonly fields?: Readonly<Record<string, PythonValue>> | undefined;
    }
  | Mark;

/** Content of a tagged object, by tag key. */
const contents: Readonly<Record<string, (content: unknown, whole: object) => boolean>> = {
  int: isText,
  float: isText,
  complex: isText,
  text: isText,
  bytes: isText,
  bytearray: isText,
  constant: (content) => content === "Ellipsis" || content === "NotImplemented",
  tuple: areValues,
  set: areValues,
  frozenset: areValues,
  deque: areValues,
  slice: areValues,
  range: (content) => Array.isArray(content) && content.length === 3 && content.every(isText),
  dict: (content) =>
    Array.isArray(content) &&
    content.every((pair) => (Array.isArray(pair) ? pair.length === 2 && areValues(pair) : isMark(pair))),
  id: (content, whole) => isCount(content) && "is" in whole && isPythonValue(whole.is),
  ref: isCount,
  object: (content, whole) =>
    isText(content) &&
    (!("data" in whole) || isPythonValue(whole.data)) &&
    (!("repr" in whole) ||
      (Array.isArray(whole.repr) && whole.repr.length > 0 && whole.repr.every(isText))) &&
    (!("fields" in whole) || (isRecord(whole.fields) && Object.values(whole.fields).every(isPythonValue))),
  cut: isCount,
};
/** Further keys of a tagged object. */
const companions: Readonly<Record<string, readonly string[]>> = {
  text: ["cut"],
  bytes: ["cut"],
  bytearray: ["cut"],
  id: ["is"],
  object: ["data", "repr", "fields"],
};

/** States are the bulk of a record, so they are validated by hand: a union of schemas takes ten times as long. */
export function isPythonValue(value: unknown): value is PythonValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.every(isPythonValue);
  if (!isRecord(value)) return false;
  const [tag, ...rest] = Object.keys(value);
  return (
    Object.hasOwn(contents, tag) &&
    contents[tag](value[tag], value) &&
    rest.every((key) => companions[tag]?.includes(key) && (key !== "cut" || isCount(value[key])))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0; // a safe integer is a number
}

function isMark(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 1 && isCount(value.cut);
}

function areValues(content: unknown): boolean {
  return Array.isArray(content) && content.every(isPythonValue);
}

/** A value of which only the type is known. */
const constants = ["function", "type", "module", "builtin", "object"];

/** Whether a value is complete: not cut by a bound, and without objects of unrecorded content. */
export function isWhole(value: PythonValue): boolean {
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every(isWhole);
  if ("cut" in value) return false;
  if ("object" in value && Object.keys(value).length === 1) return constants.includes(value.object);
  return Object.values(value).every((part) => isWhole(part as PythonValue));
}

export const PythonValue = z.custom<PythonValue>(
  isPythonValue,
  "expected a value of Python in the lab's form",
);

/** Variables by name, in the order in which the source names them. */
export const State = z.record(z.string(), PythonValue);
export type State = z.infer<typeof State>;

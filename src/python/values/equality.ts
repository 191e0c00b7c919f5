/**
 * @file Equality of whole values, by canonical keys in linear time: as Python compares, or with equal types throughout.
 *
 *     sameLiteral: (1, 2) and (1, 2); {1: 'a', 2: 'b'} and {2: 'b', 1: 'a'}
 *     not:         [1, 2] and (1, 2); 1 and True; 1 and 1.0; float('nan') and itself
 *
 * For values read from literals. Recorded values may be cut or have their own `__eq__`: operators.ts compares those.
 */

import {
  type Dictionary,
  isComplex,
  isDictionary,
  isFloat,
  isSequence,
  type Sequence,
  type Value,
} from "./value.ts";

/** Equal in Python, with equal types inside as well. */
export function sameLiteral(a: Value, b: Value): boolean {
  return !holdsNan(a) && keyOf(a, true) === keyOf(b, true);
}

/** Equal in Python: `1 == 1.0 == True`, but a list is no tuple. */
export function equalLiteral(a: Value, b: Value): boolean {
  return !holdsNan(a) && keyOf(a, false) === keyOf(b, false);
}

/** The set that Python builds: the first of several equal elements (1 and True are equal) stays. */
export function makeSet(items: readonly Value[]): Sequence {
  const kept = new Map<string | symbol, Value>();
  for (const item of items) {
    const key = elementKey(item);
    if (!kept.has(key)) kept.set(key, item);
  }
  return { kind: "set", items: [...kept.values()] };
}

/** The dict that Python builds: the first of several equal keys stays, with the last value. */
export function makeDict(entries: readonly (readonly [Value, Value])[]): Dictionary {
  const kept = new Map<string | symbol, readonly [Value, Value]>();
  for (const [key, value] of entries) {
    const text = elementKey(key);
    kept.set(text, [kept.get(text)?.[0] ?? key, value]);
  }
  return { entries: [...kept.values()] };
}

/** Such a value equals nothing, not even itself. */
export function holdsNan(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isFloat(value)) return Number.isNaN(value.float);
  if (isComplex(value)) return value.complex.some(Number.isNaN);
  if (isDictionary(value)) return value.entries.some((entry) => entry.some(holdsNan));
  return isSequence(value) && value.items.some(holdsNan);
}

/** The same text for equal values: of equal types if `typed`, else also for 1, 1.0, True and 1 + 0j. */
function keyOf(value: Value, typed: boolean): string {
  const inner = (item: Value) => keyOf(item, typed);
  const number = (type: string, real: string, imaginary = "0") =>
    `${typed ? type : "number"} ${real} ${imaginary}`;
  if (value === null) return "None";
  if (typeof value === "boolean") return number("bool", String(Number(value)));
  if (typeof value === "bigint") return number("int", String(value));
  if (typeof value === "string") return JSON.stringify(value);
  if (isFloat(value)) return number("float", exact(value.float));
  if (isComplex(value)) return number("complex", exact(value.complex[0]), exact(value.complex[1]));
  if (isDictionary(value)) {
    const entries = value.entries.map(([key, item]) => `${inner(key)}:${inner(item)}`);
    return `dict(${entries.sort().join(",")})`;
  }
  if (!isSequence(value)) return JSON.stringify("opaque" in value ? value.opaque : value.record);
  const items = value.items.map(inner);
  return `${value.kind}(${(value.kind === "set" ? items.sort() : items).join(",")})`;
}

/** An integral float as the integer prints, so that 2.0 ** 70 equals 2 ** 70; 0 and -0 are alike. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

/** A NaN equals no other element. */
function elementKey(value: Value): string | symbol {
  return holdsNan(value) ? Symbol("nan") : keyOf(value, false);
}

/**
 * @file What a Python literal is, and when two are the same: equal as in Python, and of the same type all the way down.
 *
 *     sameLiteral: (1, 2) and (1, 2); {1: 'a', 2: 'b'} and {2: 'b', 1: 'a'}
 *     not:         [1, 2] and (1, 2); 1 and True; 1 and 1.0; float('nan') and itself
 */

export type Literal =
  | { readonly kind: "none" }
  | { readonly kind: "ellipsis" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "complex"; readonly real: number; readonly imaginary: number }
  /** Code points, not UTF-16: Python tells "\ud83d\ude00" from "\U0001f600". */
  | { readonly kind: "str" | "bytes"; readonly codes: readonly number[] }
  | { readonly kind: "list" | "tuple" | "set"; readonly items: readonly Literal[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Literal, Literal])[] };

/** Equal in Python, with equal types inside as well. */
export function sameLiteral(a: Literal, b: Literal): boolean {
  return !holdsNan(a) && keyOf(a, true) === keyOf(b, true);
}

/** Equal in Python: `1 == 1.0 == True`, but a list is no tuple. */
export function equalLiteral(a: Literal, b: Literal): boolean {
  return !holdsNan(a) && keyOf(a, false) === keyOf(b, false);
}

/** Whether Python can put the value into a set. */
export function isHashable(literal: Literal): boolean {
  switch (literal.kind) {
    case "list":
    case "set":
    case "dict":
      return false;
    case "tuple":
      return literal.items.every(isHashable);
    default:
      return true;
  }
}

/** A set as Python makes it: of equal elements (1 and True are equal) the first stays. */
export function setOf(items: readonly Literal[]): Literal {
  const kept = new Map<string | symbol, Literal>();
  for (const item of items) {
    const key = elementKey(item);
    if (!kept.has(key)) kept.set(key, item);
  }
  return { kind: "set", items: [...kept.values()] };
}

/** A dict as Python makes it: of equal keys the first stays, with the last value. */
export function dictOf(entries: readonly (readonly [Literal, Literal])[]): Literal {
  const kept = new Map<string | symbol, readonly [Literal, Literal]>();
  for (const [key, value] of entries) {
    const text = elementKey(key);
    kept.set(text, [kept.get(text)?.[0] ?? key, value]);
  }
  return { kind: "dict", entries: [...kept.values()] };
}

/** Such a value equals nothing, itself included. */
export function holdsNan(literal: Literal): boolean {
  switch (literal.kind) {
    case "float":
      return Number.isNaN(literal.value);
    case "complex":
      return Number.isNaN(literal.real) || Number.isNaN(literal.imaginary);
    case "list":
    case "tuple":
    case "set":
      return literal.items.some(holdsNan);
    case "dict":
      return literal.entries.some(([key, value]) => holdsNan(key) || holdsNan(value));
    default:
      return false;
  }
}

/** The same text for the same values: of the same types, or of types that Python holds equal (1, 1.0, True, 1 + 0j). */
function keyOf(literal: Literal, typed: boolean): string {
  const inner = (item: Literal) => keyOf(item, typed);
  switch (literal.kind) {
    case "none":
    case "ellipsis":
      return literal.kind;
    case "bool":
      return typed ? `bool ${literal.value}` : `number ${Number(literal.value)} 0`;
    case "int":
      return typed ? `int ${literal.value}` : `number ${literal.value} 0`;
    case "float":
      return typed ? `float ${exact(literal.value)}` : `number ${exact(literal.value)} 0`;
    case "complex":
      return `${typed ? "complex" : "number"} ${exact(literal.real)} ${exact(literal.imaginary)}`;
    case "str":
    case "bytes":
      return `${literal.kind} ${literal.codes.join(" ")}`;
    case "list":
    case "tuple":
      return `${literal.kind}(${literal.items.map(inner).join(",")})`;
    case "set":
      return `set(${literal.items.map(inner).sort().join(",")})`;
    case "dict":
      return `dict(${literal.entries
        .map(([key, value]) => `${inner(key)}:${inner(value)}`)
        .sort()
        .join(",")})`;
    default:
      return literal satisfies never;
  }
}

/** As an integer of any size writes itself, where it is one; 0 and -0 are alike. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

/** What tells the elements of a set apart. A NaN equals nothing. */
function elementKey(literal: Literal): string | symbol {
  return holdsNan(literal) ? Symbol("nan") : keyOf(literal, false);
}

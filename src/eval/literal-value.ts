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
  return !holdsNan(a) && typedKey(a) === typedKey(b);
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
    const key = equalityKey(item);
    if (!kept.has(key)) kept.set(key, item);
  }
  return { kind: "set", items: [...kept.values()] };
}

/** A dict as Python makes it: of equal keys the first stays, with the last value. */
export function dictOf(entries: readonly (readonly [Literal, Literal])[]): Literal {
  const kept = new Map<string | symbol, readonly [Literal, Literal]>();
  for (const [key, value] of entries) {
    const text = equalityKey(key);
    kept.set(text, [kept.get(text)?.[0] ?? key, value]);
  }
  return { kind: "dict", entries: [...kept.values()] };
}

function holdsNan(literal: Literal): boolean {
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

/** The same text for the same values of the same types. */
function typedKey(literal: Literal): string {
  switch (literal.kind) {
    case "none":
    case "ellipsis":
      return literal.kind;
    case "bool":
    case "int":
      return `${literal.kind} ${literal.value}`;
    case "float":
      return `float ${literal.value + 0}`; // -0 becomes 0
    case "complex":
      return `complex ${literal.real + 0} ${literal.imaginary + 0}`;
    case "str":
    case "bytes":
      return `${literal.kind} ${literal.codes.join(" ")}`;
    case "list":
    case "tuple":
      return `${literal.kind}(${literal.items.map(typedKey).join(",")})`;
    case "set":
      return `set(${literal.items.map(typedKey).sort().join(",")})`;
    case "dict":
      return `dict(${literal.entries
        .map(([key, value]) => `${typedKey(key)}:${typedKey(value)}`)
        .sort()
        .join(",")})`;
    default:
      return literal satisfies never;
  }
}

/** The same key for what Python holds equal: 1, 1.0, True and 1 + 0j. Only for what can be hashed. A NaN equals nothing. */
function equalityKey(literal: Literal): string | symbol {
  if (holdsNan(literal)) return Symbol("nan");
  switch (literal.kind) {
    case "bool":
      return `number ${Number(literal.value)} 0`;
    case "int":
      return `number ${literal.value} 0`;
    case "float":
      return `number ${exact(literal.value)} 0`;
    case "complex":
      return `number ${exact(literal.real)} ${exact(literal.imaginary)}`;
    case "tuple":
      return `tuple(${literal.items.map((item) => String(equalityKey(item))).join(",")})`;
    default:
      return typedKey(literal);
  }
}

/** As an integer of any size writes itself, where it is one. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

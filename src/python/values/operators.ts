/**
 * @file Python's operators on recorded values: integers of any size, floor division, comparisons that mix integers and floats.
 *
 *     -7 // 2, -7 % 2     -4, 1
 *     2 ** -1             refused where JavaScript's last digit may not be Python's
 */

import {
  checkWhole,
  EvaluationError,
  isDictionary,
  isFloat,
  isOpaque,
  isSequence,
  isThing,
  type Sequence,
  unhashablePart,
  type Value,
} from "./value.ts";

export type Sign = "|" | "^" | "&" | "<<" | ">>" | "+" | "-" | "*" | "/" | "//" | "%" | "**";

const MOST_BITS = 100_000n;
const MOST_ITEMS = 1_000_000n;

export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "string") return "str";
  if (isFloat(value)) return "float";
  if (isDictionary(value)) return value.type ?? "dict";
  if (isThing(value)) return value.object;
  return isSequence(value) ? (value.type ?? value.kind) : "object";
}

export function truth(value: Value): boolean {
  if (value === null || typeof value === "boolean") return value === true;
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "string") return value !== "";
  if (isFloat(value)) return value.float !== 0;
  if (isDictionary(value)) return value.entries.length > 0;
  if (isSequence(value)) return value.items.length > 0;
  const ratio = ratioOf(value);
  if (ratio !== undefined) return ratio[0] !== 0n;
  if (isThing(value)) throw unknown(`whether a ${value.object} is true is for its own code to say`);
  throw unknown("the record does not show this value");
}

const unknown = (words: string) => new EvaluationError("NotRecorded", words);

/** An integer or a float of Python as a number of JavaScript: both kinds compare exactly with each other. */
function numeric(value: Value): bigint | number | undefined {
  if (typeof value === "boolean") return BigInt(value);
  if (typeof value === "bigint") return value;
  return isFloat(value) ? value.float : undefined;
}

/** A Decimal, Fraction or number as an exact quotient. */
function ratioOf(value: Value): readonly [bigint, bigint] | undefined {
  const number = numeric(value);
  if (typeof number === "bigint") return [number, 1n];
  if (number !== undefined) {
    if (!Number.isFinite(number)) return undefined;
    let [top, bottom] = [number, 1n];
    while (!Number.isInteger(top)) [top, bottom] = [top * 2, bottom * 2n];
    return [BigInt(top), bottom];
  }
  if (!isThing(value) || value.text === undefined) return undefined;
  const fraction = /^Fraction\((-?\d+), (\d+)\)$/.exec(value.text);
  if (fraction !== null) return [BigInt(fraction[1]), BigInt(fraction[2])];
  const decimal = /^Decimal\('(-?)(\d+)(?:\.(\d*))?(?:E([+-]\d{1,4}))?'\)$/.exec(value.text);
  if (decimal === null) return undefined;
  const [, sign, whole, part = "", exponent = "0"] = decimal;
  const power = Number(exponent) - part.length;
  const digits = BigInt(`${whole}${part}`) * (sign === "-" ? -1n : 1n);
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
}

/** Below, equal or above, of a Decimal or Fraction and a number. */
function byRatio(a: Value, b: Value): number | undefined {
  if (!isThing(a) && !isThing(b)) return undefined;
  const [left, right] = [ratioOf(a), ratioOf(b)];
  if (left === undefined || right === undefined) return undefined;
  const difference = left[0] * right[1] - right[0] * left[1];
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** For dates and times without a zone: the numbers by which they are compared. */
function fieldsOfTime(value: Value): readonly number[] | undefined {
  const text = isThing(value) ? value.text : undefined;
  const span = /^datetime\.timedelta\((.*)\)$/.exec(text ?? "");
  if (span !== null)
    return ["days", "seconds", "microseconds"].map((unit) =>
      Number(new RegExp(`\\b${unit}=(-?\\d+)`).exec(span[1])?.[1] ?? 0),
    );
  const time = /^datetime\.(?:date|datetime|time)\(([\d, ]*)\)$/.exec(text ?? "");
  return time?.[1].split(", ").map(Number);
}

export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  const ratio = byRatio(a, b);
  if (ratio !== undefined) return ratio === 0;
  if (isThing(a) && isThing(b) && a.text !== undefined && b.text !== undefined && a.object === b.object) {
    if (a.text === b.text) return true;
    if (fieldsOfTime(a) !== undefined || /^(?:UUID|\w*PosixPath)\(|^<\w+\./.test(a.text)) return false;
  }
  const lengths = [a, b].map((each) =>
    isSequence(each) && each.kind !== "range"
      ? each.items.length + (each.more ?? 0)
      : isDictionary(each)
        ? each.entries.length + (each.more ?? 0)
        : -1,
  );
  if (isDictionary(a) === isDictionary(b) && isSequence(a) === isSequence(b) && lengths[0] === lengths[1])
    [a, b].forEach(checkWhole);
  else if (lengths[0] !== lengths[1] && lengths.every((length) => length >= 0)) return false;
  const [left, right] = [numeric(a), numeric(b)];
  // biome-ignore lint/suspicious/noDoubleEquals: between a bigint and a number it is exact
  if (left !== undefined && right !== undefined) return left == right;
  if (isSequence(a) && isSequence(b)) {
    const sets = [a.kind, b.kind].every((kind) => kind === "set" || kind === "frozenset");
    const bytes = [a.kind, b.kind].every((kind) => kind === "bytes" || kind === "bytearray");
    if (!sets && !bytes && a.kind !== b.kind) return false;
    if (a.items.length !== b.items.length) return false;
    return sets
      ? a.items.every((item) => b.items.some((other) => equal(item, other)))
      : a.items.every((item, i) => equal(item, b.items[i]));
  }
  if (isDictionary(a) && isDictionary(b))
    return (
      a.entries.length === b.entries.length &&
      a.entries.every(([key, item]) => {
        const other = b.entries.find(([name]) => equal(name, key));
        return other !== undefined && equal(item, other[1]);
      })
    );
  if (isOpaque(a) || isOpaque(b)) throw unknown("the record does not show all of this value");
  if ((isThing(a) && a.text === undefined) !== (isThing(b) && b.text === undefined))
    throw unknown("whether an object equals another value is for its own code to say");
  if (isThing(a) && isThing(b))
    throw unknown(`whether two ${a.object} are equal is for their own code to say`);
  return false;
}

/** Below, equal, above as -1, 0, 1. NaN is neither: NaN. */
export function order(a: Value, b: Value, sign = "<"): number {
  const [left, right] = [numeric(a), numeric(b)];
  if (left !== undefined && right !== undefined)
    return left < right ? -1 : left > right ? 1 : Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : 0;
  const ratio = byRatio(a, b);
  if (ratio !== undefined) return ratio;
  const [times, others] = [fieldsOfTime(a), fieldsOfTime(b)];
  if (times !== undefined && others !== undefined && typeName(a) === typeName(b)) {
    const at = Array.from({ length: 7 }, (_, i) => i).find((i) => (times[i] ?? 0) !== (others[i] ?? 0));
    return at === undefined ? 0 : (times[at] ?? 0) < (others[at] ?? 0) ? -1 : 1;
  }
  [a, b].forEach(checkWhole);
  if (typeof a === "string" && typeof b === "string") return byCharacters(a, b);
  if (
    isSequence(a) &&
    isSequence(b) &&
    a.kind === b.kind &&
    ["list", "tuple", "deque", "bytes", "array"].includes(a.kind)
  ) {
    const at = a.items.findIndex((item, i) => i >= b.items.length || !equal(item, b.items[i]));
    if (at === -1) return a.items.length < b.items.length ? -1 : 0;
    return at >= b.items.length ? 1 : order(a.items[at], b.items[at], sign);
  }
  if (isOpaque(a) || isOpaque(b)) throw unknown("the record does not show all of this value");
  if (isThing(a) || isThing(b)) throw unknown("how an object is ordered is for its own code to say");
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new EvaluationError("TypeError", `'${sign}' not supported between instances of ${types}`);
}

/** Compares code points like Python; JavaScript compares UTF-16 units. */
function byCharacters(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  if (at === -1) return left.length < right.length ? -1 : 0;
  return at >= right.length || left[at].codePointAt(0)! > right[at].codePointAt(0)! ? 1 : -1; // characters are not empty
}

export function compare(sign: string, a: Value, b: Value): boolean {
  switch (sign) {
    case "==":
      return equal(a, b);
    case "!=":
      return !equal(a, b);
    case "in":
      return contains(b, a);
    case "not in":
      return !contains(b, a);
    case "is":
      return same(a, b);
    case "is not":
      return !same(a, b);
  }
  if (isSequence(a) && isSequence(b) && [a, b].every(({ kind }) => kind === "set" || kind === "frozenset")) {
    const [inner, outer] = sign.startsWith("<") ? [a, b] : [b, a];
    const within = inner.items.every((item) => contains(outer, item));
    return within && (sign.endsWith("=") || inner.items.length < outer.items.length);
  }
  const found = order(a, b, sign);
  if (sign === "<") return found < 0;
  if (sign === ">") return found > 0;
  return sign === "<=" ? found <= 0 : found >= 0;
}

/** Identity: as in Python for None and booleans, by record label for containers; undefined by the state for others. */
function same(a: Value, b: Value): boolean {
  if (a === null || b === null || typeof a === "boolean" || typeof b === "boolean") return a === b;
  if (typeof a === "object" && typeof b === "object" && hasIdentity(a) && hasIdentity(b)) return a === b;
  if (typeName(a) !== typeName(b)) return false;
  throw unknown("whether equal numbers or texts are one object is not recorded");
}

/** Values that the record labels if they are shared. */
const hasIdentity = (value: object & Value) =>
  !isFloat(value) && !(isSequence(value) && ["tuple", "frozenset", "range"].includes(value.kind));

function contains(container: Value, item: Value): boolean {
  if (typeof container === "string") {
    if (typeof item === "string") return container.includes(item);
    throw new EvaluationError(
      "TypeError",
      `'in <string>' requires string as left operand, not ${typeName(item)}`,
    );
  }
  if (isDictionary(container) || (isSequence(container) && ["set", "frozenset"].includes(container.kind)))
    checkHashable(item);
  if (isDictionary(container) || isSequence(container)) {
    const items = isDictionary(container) ? container.entries.map(([key]) => key) : container.items;
    if (items.some((each) => equal(each, item))) return true;
    checkWhole(container);
    return false;
  }
  if (isOpaque(container)) throw unknown("the record does not show this value");
  throw new EvaluationError("TypeError", `argument of type '${typeName(container)}' is not iterable`);
}

/** @throws EvaluationError (TypeError) if the value cannot be a key. */
export function checkHashable(value: Value): void {
  const part = unhashablePart(value);
  if (part !== undefined) throw new EvaluationError("TypeError", `unhashable type: '${typeName(part)}'`);
}

export function negate(sign: "-" | "+" | "~", value: Value): Value {
  const number = numeric(value);
  if (typeof number === "bigint") return sign === "-" ? -number : sign === "+" ? number : ~number;
  if (number !== undefined && sign !== "~") return { float: sign === "-" ? -number : number };
  throw new EvaluationError("TypeError", `bad operand type for unary ${sign}: '${typeName(value)}'`);
}

export function add(a: Value, b: Value): Value {
  return arithmetic("+", a, b);
}

export function arithmetic(sign: Sign, a: Value, b: Value): Value {
  [a, b].forEach(checkWhole);
  const [left, right] = [numeric(a), numeric(b)];
  if (typeof left === "bigint" && typeof right === "bigint") {
    const both = typeof a === "boolean" && typeof b === "boolean" && ["|", "^", "&"].includes(sign);
    const found = integers(sign, left, right);
    return both ? found === 1n : found;
  }
  if (left !== undefined && right !== undefined)
    return { float: floats(sign, inexact(left), inexact(right)) };
  if (sign === "%" && typeof a === "string") throw unknown("formatting is not computed here");
  if (sign === "+" && typeof a === "string" && typeof b === "string") return a + b;
  if (
    sign === "+" &&
    isSequence(a) &&
    isSequence(b) &&
    a.kind === b.kind &&
    ["list", "tuple"].includes(a.kind)
  )
    return { kind: a.kind, items: [...a.items, ...b.items] };
  if (sign === "*" && typeof right === "bigint") return repeat(a, right, sign, b);
  if (sign === "*" && typeof left === "bigint") return repeat(b, left, sign, a);
  if (isSequence(a) && isSequence(b) && (a.kind === "set" || a.kind === "frozenset")) {
    const sets = setOperation(sign, a, b);
    if (sets !== undefined) return sets;
  }
  return unsupported(sign, a, b);
}

function unsupported(sign: string, a: Value, b: Value): never {
  if (isThing(a) || isThing(b))
    throw unknown("what an operator does to an object is for its own code to say");
  const word = sign === "**" ? "** or pow()" : sign;
  throw new EvaluationError(
    "TypeError",
    `unsupported operand type(s) for ${word}: '${typeName(a)}' and '${typeName(b)}'`,
  );
}

export function repeat(value: Value, times: bigint, sign: string, other: Value): Value {
  const length = typeof value === "string" ? value.length : isSequence(value) ? value.items.length : 0;
  if (BigInt.asIntN(64, times) !== times && (typeof value === "string" || isSequence(value)))
    throw new EvaluationError("OverflowError", "cannot fit 'int' into an index-sized integer");
  const count = times < 0n ? 0n : times;
  if (BigInt(length) * count > MOST_ITEMS)
    throw new EvaluationError("MemoryError", `more than ${MOST_ITEMS} items`);
  if (typeof value === "string") return value.repeat(Number(length === 0 ? 0n : count));
  if (isSequence(value) && ["list", "tuple"].includes(value.kind))
    return {
      kind: value.kind,
      items: length === 0 ? [] : Array.from({ length: Number(count) }, () => value.items).flat(),
    };
  return unsupported(sign, value, other);
}

function setOperation(sign: Sign, a: Sequence, b: Sequence): Value | undefined {
  if (b.kind !== "set" && b.kind !== "frozenset") return undefined;
  const inA = (item: Value) => contains(a, item);
  const inB = (item: Value) => contains(b, item);
  const kind = a.kind;
  switch (sign) {
    case "|":
      return { kind, items: [...a.items, ...b.items.filter((item) => !inA(item))] };
    case "&":
      return { kind, items: a.items.filter(inB) };
    case "-":
      return { kind, items: a.items.filter((item) => !inB(item)) };
    case "^":
      return {
        kind,
        items: [...a.items.filter((item) => !inB(item)), ...b.items.filter((item) => !inA(item))],
      };
    default:
      return undefined;
  }
}

const bits = (value: bigint) => BigInt(value.toString(16).length * 4);

function integers(sign: Sign, a: bigint, b: bigint): Value {
  switch (sign) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      if (bits(a) + bits(b) > MOST_BITS) throw tooLarge();
      return a * b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    case "&":
      return a & b;
    case "//":
    case "%": {
      if (b === 0n) throw byZero("integer division or modulo by zero", sign);
      const rest = a % b;
      const floors = rest !== 0n && rest < 0n !== b < 0n;
      if (sign === "%") return floors ? rest + b : rest;
      return floors ? a / b - 1n : a / b;
    }
    case "/":
      if (b === 0n) throw new EvaluationError("ZeroDivisionError", "division by zero");
      return { float: inexact(a) / inexact(b) };
    case "<<":
    case ">>":
      if (b < 0n) throw new EvaluationError("ValueError", "negative shift count");
      if (b > MOST_BITS) throw tooLarge();
      return sign === "<<" ? a << b : a >> b;
    case "**":
      if (b < 0n) throw unknown("powers with a negative exponent are not computed here");
      if (b > MOST_BITS || bits(a) * b > MOST_BITS) throw tooLarge();
      return a ** b;
    default:
      return sign satisfies never;
  }
}

const tooLarge = () => new EvaluationError("OverflowError", `an integer of more than ${MOST_BITS} bits`);
/** Python 3.11 has one sentence for both, later ones two: only the type is promised. */
const byZero = (words: string, sign: Sign) =>
  new EvaluationError("ZeroDivisionError", sign === "%" ? "integer modulo by zero" : words);

/** @throws EvaluationError if an integer has no exact float: Python rounds a quotient once, this would round twice. */
function inexact(value: bigint | number): number {
  if (typeof value === "number") return value;
  const number = Number(value);
  if (BigInt(Number.isFinite(number) ? number : 0) !== value)
    throw unknown("floats of integers beyond 2^53 are not computed here");
  return number;
}

function floats(sign: Sign, a: number, b: number): number {
  switch (sign) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new EvaluationError("ZeroDivisionError", "float division by zero");
      return a / b;
    default:
      throw unknown(`${sign} of floats is not computed here`);
  }
}

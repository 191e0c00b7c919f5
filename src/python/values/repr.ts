/**
 * @file Python's repr of a recorded value (schemas/python-value.ts).
 *
 *     { "tuple": [1, { "float": "0.5" }] }     (1, 0.5)
 *     { "object": "Point", "fields": { "x": 1 } }     <Point x=1>
 *
 * Values without a literal are in angle brackets; a shared object is written out in each place, a cycle as <...>.
 */

import type { PythonValue } from "../../schemas/trace.ts";

/** The literals of all variables of a state. Shared objects may be defined in one variable and used in another. */
export function stateLiterals(state: Readonly<Record<string, PythonValue>>): Record<string, string> {
  const shared = new Map<number, PythonValue>();
  const alone = new Set(
    Object.values(state).filter((value) => known(value) !== undefined || !collectShared(value, shared)),
  );
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const literal = known(value) ?? write(value, shared, new Set());
      if (alone.has(value) && isObject(value)) literals.set(value, literal);
      return [name, literal];
    }),
  );
}

/** Cache for values without shared objects: the states of a trace share a value until it changes. */
const literals = new WeakMap<object, string>();

function known(value: PythonValue): string | undefined {
  return isObject(value) ? literals.get(value) : undefined;
}

function isObject(value: PythonValue): value is PythonValue & object {
  return value !== null && typeof value === "object";
}

export function pythonLiteral(value: PythonValue): string {
  return stateLiterals({ value }).value;
}

/** The literal of a part of a state, with the labelled objects of that state (`collectShared`). */
export const partLiteral = (value: PythonValue, shared: Map<number, PythonValue>): string =>
  write(value, shared, new Set());

/** `Array.isArray` does not tell a readonly list. */
function isList(value: PythonValue): value is readonly PythonValue[] {
  return Array.isArray(value);
}

/** The values directly inside a value. */
function parts(value: PythonValue): readonly PythonValue[] {
  if (value === null || typeof value !== "object") return [];
  if (isList(value)) return value;
  if ("dict" in value) return value.dict.flatMap((pair) => (Array.isArray(pair) ? pair : []));
  if ("id" in value) return [value.is];
  if ("object" in value)
    return [...(value.data === undefined ? [] : [value.data]), ...Object.values(value.fields ?? {})];
  for (const tag of ["tuple", "set", "frozenset", "deque", "slice"] as const)
    if (tag in value) return (value as Record<string, readonly PythonValue[]>)[tag]; // the tag is there
  return [];
}

/** Notes the objects with a label inside of a value. @returns whether the value or a part of it is shared. */
export function collectShared(value: PythonValue, shared: Map<number, PythonValue>): boolean {
  let found = isObject(value) && ("id" in value || "ref" in value);
  if (isObject(value) && "id" in value) shared.set(value.id, value.is);
  for (const part of parts(value)) if (collectShared(part, shared)) found = true;
  return found;
}

function write(value: PythonValue, shared: Map<number, PythonValue>, open: ReadonlySet<number>): string {
  const inner = (part: PythonValue) => write(part, shared, open);
  const all = (items: readonly PythonValue[]) => items.map(inner).join(", ");
  const labelled = (label: number, content: PythonValue | undefined) =>
    content === undefined || open.has(label) ? "<...>" : write(content, shared, new Set([...open, label]));
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return quoted(value);
  if (isList(value)) return `[${all(value)}]`;
  // A chain, for TypeScript follows `in` there; the order is that of the table in schemas/python-value.ts.
  if ("int" in value) return value.int;
  if ("float" in value) return value.float;
  if ("complex" in value) return value.complex;
  if ("text" in value) return `<${quoted(value.text)} and ${value.cut} more>`;
  if ("bytes" in value) return bytesText(value.bytes, value.cut);
  if ("bytearray" in value) return `bytearray(${bytesText(value.bytearray, value.cut)})`;
  if ("tuple" in value) return `(${all(value.tuple)}${value.tuple.length === 1 ? "," : ""})`;
  if ("set" in value) return value.set.length === 0 ? "set()" : `{${all(value.set)}}`;
  if ("frozenset" in value)
    return value.frozenset.length === 0 ? "frozenset()" : `frozenset({${all(value.frozenset)}})`;
  if ("deque" in value) return `deque([${all(value.deque)}])`;
  if ("dict" in value) {
    const pairs = value.dict.map((pair) =>
      "cut" in pair ? inner(pair) : `${inner(pair[0])}: ${inner(pair[1])}`,
    );
    return `{${pairs.join(", ")}}`;
  }
  if ("range" in value)
    return `range(${(value.range[2] === "1" ? value.range.slice(0, 2) : value.range).join(", ")})`;
  if ("slice" in value) return `slice(${all(value.slice)})`;
  if ("constant" in value) return value.constant;
  if ("id" in value) return labelled(value.id, value.is);
  if ("ref" in value) return labelled(value.ref, shared.get(value.ref));
  if ("object" in value) {
    if (value.repr !== undefined) return libraryText(value.repr, value, inner);
    const fields = Object.entries(value.fields ?? {}).map(([name, field]) => ` ${name}=${inner(field)}`);
    return `<${value.object}${value.data === undefined ? "" : ` ${inner(value.data)}`}${fields.join("")}>`;
  }
  return `<${value.cut} more>`;
}

/** The repr of a library object: recorded texts around its data, in the format of its class. */
function libraryText(
  [before, after, ...names]: readonly string[],
  { object, data, fields }: Extract<PythonValue, { readonly object: string }>,
  inner: (part: PythonValue) => string,
): string {
  if (after === undefined) return before;
  const items = Object.entries(fields ?? {}).map(([name, field]) => `${name}=${inner(field)}`);
  if (data === undefined) return `${before}${items.join(", ")}${after}`;
  const isTuple = isObject(data) && "tuple" in data;
  if (isTuple && names.length > 0)
    return `${before}${data.tuple.map((item, i) => `${names[i]}=${inner(item)}`).join(", ")}${after}`;
  // an exception is written with its arguments, a program's number with what it is
  if (isTuple && before === `${object}(`) return `${before}${data.tuple.map(inner).join(", ")}${after}`;
  if (isObject(data) && "dict" in data) {
    const pairs = data.dict.map((pair) => ("cut" in pair ? [pair] : [...pair]));
    if (before.endsWith("["))
      return `${before}${pairs.map(([key, item]) => (item === undefined ? inner(key) : `(${inner(key)}, ${inner(item)})`)).join(", ")}${after}`;
    const counts = pairs.map(([, count]) => count);
    // the most common first
    if (object === "Counter" && counts.every((count) => typeof count === "number"))
      pairs.sort(([, a], [, b]) => (b as number) - (a as number)); // all are numbers
    return `${before}{${pairs.map(([key, item]) => (item === undefined ? inner(key) : `${inner(key)}: ${inner(item)}`)).join(", ")}}${after}`;
  }
  return `${before}${inner(data)}${after}`;
}

function bytesText(hex: string, cut = 0): string {
  const codes = (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const quote = codes.includes(39) && !codes.includes(34) ? '"' : "'";
  const text = codes.map((code) => {
    const letter = String.fromCharCode(code);
    if (letter === quote || letter === "\\") return `\\${letter}`;
    if (code >= 32 && code < 127) return letter;
    return escapes[letter] ?? `\\x${code.toString(16).padStart(2, "0")}`;
  });
  const whole = `b${quote}${text.join("")}${quote}`;
  return cut > 0 ? `<${whole} and ${cut} more>` : whole;
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** Python's quoting: single quotes, unless the text contains single and no double quotes. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const unprintable = /[\\\n\r\t]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
  const escaped = text.replace(unprintable, (character) => escapes[character] ?? escaped16(character));
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function escaped16(character: string): string {
  const code = character.codePointAt(0)!; // a match is never empty
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

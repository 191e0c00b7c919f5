/**
 * @file Parsing of user settings: YAML text, `--set task.commands=48`, and schema errors in one sentence.
 *
 *     parseConfig(RunConfig, applySettings(parseYaml(text, "run.yaml"), ["task.commands=many"]), "run.yaml")
 *     run.yaml: expected task.commands to be a number, got "many"
 */

import { isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { keyNamed, nearest } from "./did-you-mean.ts";
import { fail, LabError } from "./error.ts";

type PlainObject = Record<string, unknown>;

/** Six times the longest sample; the parser takes up to forty microseconds for a character. */
const longestYaml = 40_000;

/** YAML (and so JSON) text to a plain value. Throws a LabError that names `at` and the line. */
export function parseYaml(text: string, at: string): unknown {
  try {
    if (text.length <= longestYaml) return read(text, at);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError)
      fail(at, `YAML of at most ${longestYaml} characters, or JSON`, `${text.length} characters`);
    // the parser recurses
    if (error instanceof RangeError) fail(at, "YAML that is nested less deeply", "one that is too deep");
    throw error;
  }
}

function read(text: string, at: string): unknown {
  const lines = new LineCounter();
  const document = parsedDocument(text, lines);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    fail(
      `${at}, line ${line}, column ${col}`,
      "YAML",
      text.split("\n")[line - 1]?.trim() ?? "",
      error.message,
    );
  }
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${at}, line ${line}, column ${col}`;
  };
  visit(document, {
    // Such values can be circular or have no JSON form: dates, sets, bytes.
    Node(_, node) {
      const { tag } = node;
      if (tag !== undefined && !plainTags.has(tag))
        fail(place(node.range?.[0] ?? 0), "plain values, lists and keys", tag, "Remove the tag");
    },
    Pair(_, { key }) {
      if (isCollection(key))
        fail(place(key.range?.[0] ?? 0), "a word as a key", key.toString().trim(), "Quote it if it is text");
    },
  });
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (holdsItself(value, [])) fail(at, "YAML without an alias inside of what it stands for", "one");
    return value;
  } catch (cause) {
    if (cause instanceof LabError) throw cause;
    return fail(at, "YAML", "text that cannot be read", (cause as Error).message); // the library throws Errors
  }
}

function parsedDocument(text: string, lineCounter: LineCounter) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // the parser creates an Error for each bad character: their stacks take seconds
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const plainTags = new Set(
  ["map", "seq", "str", "int", "float", "bool", "null"].map((name) => `tag:yaml.org,2002:${name}`),
);

function holdsItself(value: unknown, open: readonly unknown[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (open.includes(value)) return true;
  return Object.values(value).some((part) => holdsItself(part, [...open, value]));
}

/** Far deeper than any valid file. */
const deepest = 100;

/**
 * A copy of `value` with each setting `a.b.c=value` applied, in order. The value is YAML: `3`, `true`, `[1, 2]`,
 * `{name: lstm}`, else a string. Objects on the way are made; list elements are addressed by index.
 */
export function applySettings(value: unknown, settings: readonly string[]): unknown {
  let result: unknown = structuredClone(value ?? {});
  for (const setting of settings) {
    const equals = setting.indexOf("=");
    const at = `--set ${setting.slice(0, 200)}`;
    const path = setting.slice(0, equals).split(".");
    if (equals < 1 || path.some((key) => key.trim() === ""))
      fail(at, "KEY=VALUE, such as task.commands=48", setting);
    if (path.length > deepest) fail(at, `a key of at most ${deepest} parts`, `${path.length} parts`);
    const text = setting.slice(equals + 1);
    if (text.trim() === "")
      fail(at, "a value after =", "", `Write ${at.slice(6)}null or ${at.slice(6)}'' to empty it`);
    result = withValue(result, path, parseYaml(text, at), at);
  }
  return result;
}

function withValue(target: unknown, path: readonly string[], value: unknown, at: string): unknown {
  if (path.length === 0) return value;
  const [key, ...rest] = path;
  if (key === "__proto__") fail(at, "a key that is not reserved", key);
  if (Array.isArray(target)) {
    const index = /^\d+$/.test(key) ? Number(key) : -1;
    if (index < 0 || index > target.length) fail(at, `an index from 0 to ${target.length}`, key);
    return target.toSpliced(index, 1, withValue(target[index], rest, value, at));
  }
  if (target !== undefined && target !== null && typeof target !== "object") {
    fail(at, `an object to hold ${key}`, target, "Set the whole object instead");
  }
  const object = (target ?? {}) as PlainObject; // not a list nor a scalar, by the two checks above
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValue(inner, rest, value, at) };
}

/** The line of the key `path` in YAML text, or of its innermost existing parent; undefined if there is none. */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number | undefined {
  if (text.length > longestYaml) return undefined;
  const lines = new LineCounter();
  let node: unknown = parsedDocument(text, lines).contents;
  let offset: number | undefined;
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0];
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = isScalar(node) || isCollection(node) ? node.range?.[0] : offset;
    } else break;
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

/** Every key path of an object schema, at any depth: `train.steps`. */
export function keyPaths(schema: unknown): string[] {
  return unwrap(schema).flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([key, field]) => [
      key,
      ...keyPaths(field).map((inner) => `${key}.${inner}`),
    ]),
  );
}

/**
 * Parses a value by its schema, with defaults filled in. Throws a LabError in one sentence that begins with `at`, or with what `at`
 * returns for the path of the error. The schema's `meta` may have the new names of former keys: `renamed: { "train.clip": ... }`.
 */
export function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: string | ((path: readonly PropertyKey[]) => string),
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = nearestIssue(parsed.error.issues[0]);
  const { expected, got, hint } = describe(issue, schema, value);
  const others = parsed.error.issues.slice(1);
  const named = others.slice(0, mostNamed).map((each) => {
    const { expected, got: other, hint: meant } = describe(nearestIssue(each), schema, value);
    if (each.code !== "unrecognized_keys") return expected;
    return `${expected}, not ${JSON.stringify(other)}${meant === undefined ? "" : ` (${meant})`}`;
  });
  const more = others.length - named.length;
  const rest =
    others.length > 0
      ? `Also expected: ${[...named, ...(more > 0 ? [`${more} more`] : [])].join("; ")}`
      : undefined;
  const end = [hint, rest].filter((part) => part !== undefined).join(". ");
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0]] : issue.path;
  return fail(typeof at === "string" ? at : at(path), expected, got, end === "" ? undefined : end);
}

/** Errors after the first one, which the message names. */
const mostNamed = 3;

/** More keys than these are not listed where one of them is suggested. */
const mostKeys = 12;

type Issue = z.core.$ZodIssue;

/** The alternative of a union that fits best: the one whose first error is deepest. */
function nearestIssue(issue: Issue): Issue {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const inner = issue.errors.flatMap(([first]) => {
    const found = first === undefined ? undefined : nearestIssue(first);
    return found === undefined ? [] : [{ ...found, path: [...issue.path, ...found.path] }];
  });
  const depth = Math.max(...inner.map(({ path }) => path.length));
  const deepest = inner.filter(({ path }) => path.length === depth);
  const [first] = deepest;
  if (depth > issue.path.length || deepest.length === 1) return first;
  const wanted = deepest.map((option) => {
    if (option.code === "invalid_type") return withArticle(option.expected);
    if (option.code === "invalid_value")
      return option.values.map((value) => JSON.stringify(value)).join(" or ");
    return option.message;
  });
  return { ...first, code: "custom", message: `to be ${[...new Set(wanted)].join(" or ")}` } as Issue;
}

function describe(issue: Issue, schema: z.ZodType, value: unknown) {
  const got = valueAt(value, issue.path);
  const name = issue.path.length === 0 ? "the whole" : issue.path.join(".");
  switch (issue.code) {
    case "unrecognized_keys": {
      const [key] = issue.keys;
      const known = keysAt(schema, value, issue.path);
      const everywhere = keyPaths(schema);
      const here = nearest(key, known);
      const meant = here === undefined ? keyNamed(key, everywhere) : [...issue.path, here].join(".");
      const former = [...issue.path.filter((step) => typeof step === "string"), key].join(".");
      const { renamed = {} } = (schema.meta() ?? {}) as { renamed?: Readonly<Record<string, string>> };
      const now = Object.hasOwn(renamed, former) ? `${former} is called ${renamed[former]}` : undefined;
      const place = meant === key ? " at the top level" : ""; // the key is right, and its section wrong
      const hint = now ?? (meant === undefined ? undefined : `Did you mean ${meant}${place}?`);
      const where = issue.path.length === 0 ? "" : ` in ${name}`;
      const choice =
        hint !== undefined && known.length > mostKeys
          ? "a known key"
          : `one of ${known.join(", ") || "no keys"}`;
      return { expected: `${choice}${where}`, got: key, hint };
    }
    case "invalid_type":
      if (got === undefined) return { expected: `${name} (${withArticle(issue.expected)})`, got: "nothing" };
      return { expected: `${name} to be ${withArticle(issue.expected)}`, got };
    case "invalid_value":
      return { expected: `${name} to be ${issue.values.map((v) => JSON.stringify(v)).join(" or ")}`, got };
    case "too_small": {
      const unit = sizeUnit(issue.origin);
      const bound = issue.inclusive === false ? `more than ${issue.minimum}` : `at least ${issue.minimum}`;
      return { expected: `${name} to be ${bound}${unit}`, got };
    }
    case "too_big": {
      const unit = sizeUnit(issue.origin);
      const bound = issue.inclusive === false ? `less than ${issue.maximum}` : `at most ${issue.maximum}`;
      return { expected: `${name} to be ${bound}${unit}`, got };
    }
    case "invalid_union": {
      const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] };
      if (discriminator === undefined) return { expected: `${name} to match one of its forms`, got };
      // zod puts the discriminator itself at the end of the path
      return {
        // undefined is among them if it has a default
        expected: `${name} to be ${options?.flatMap((v) => JSON.stringify(v) ?? []).join(" or ") ?? "known"}`,
        got,
      };
    }
    case "custom":
      return {
        expected: `${name} ${/^to /.test(issue.message) ? issue.message : `to be right: ${issue.message}`}`,
        got,
      };
    default:
      return { expected: `${name} to be right: ${issue.message}`, got };
  }
}

function sizeUnit(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" || origin === "set" ? " elements long" : "";
}

function withArticle(type: string): string {
  const word = type === "int" ? "integer" : type === "record" ? "object" : type;
  return /^(undefined|null|never|NaN)$/.test(word) ? word : `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as PlainObject | undefined)?.[key as string], value);
}

/** The keys that the schema allows at `path`, as far as it can be followed: only for suggestions. */
function keysAt(schema: unknown, value: unknown, path: readonly PropertyKey[]): string[] {
  const alternatives = unwrap(schema);
  if (path.length === 0) {
    const fitting = alternatives.filter((option) => discriminates(option, value));
    return [...new Set(fitting.flatMap((option) => Object.keys(option.shape)))];
  }
  const [key, ...rest] = path;
  const inner = (value as PlainObject | undefined)?.[key as string];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, inner, rest);
  return alternatives
    .filter((option) => discriminates(option, value))
    .flatMap((option) => keysAt(option.shape[key as string], inner, rest));
}

/** The object schemas inside optional, default, nullable, pipe and union. */
function unwrap(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(unwrap);
  if (schema instanceof z.ZodPipe) {
    const before = unwrap(schema.in);
    return before.length > 0 ? before : unwrap(schema.out); // the output schema of a preprocess
  }
  const wraps =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly;
  return wraps ? unwrap(schema.unwrap()) : [];
}

/** Whether every literal field of the object schema (`kind: "swap"`) matches the value. */
function discriminates(schema: z.ZodObject, value: unknown): boolean {
  return Object.entries(schema.shape).every(([key, field]) => {
    const said = field instanceof z.ZodDefault ? field.unwrap() : field;
    if (!(said instanceof z.ZodLiteral)) return true;
    return z.safeParse(field, (value as PlainObject | undefined)?.[key]).success;
  });
}

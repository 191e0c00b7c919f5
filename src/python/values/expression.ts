/**
 * @file Expressions over recorded values: what `print`, `display` and conditions of breakpoints are asked for. Nothing runs.
 *
 *     total + xs[-1] > 3 and "a" not in seen      True
 *
 * The part of Python's expressions that has no effect: names, literals, `or and not in is < == +` and their like, subscripts, slices,
 * fields, `a if b else c`, and calls of a few built-in functions. Errors have Python's types and mostly its words.
 */

import { nearest } from "../../core/did-you-mean.ts";
import { literalText, scanNumber, scanString } from "./literal.ts";
import {
  add,
  arithmetic,
  checkHashable,
  compare,
  equal,
  negate,
  order,
  truth,
  typeName,
} from "./operators.ts";
import { pythonLiteral } from "./repr.ts";
import {
  checkWhole,
  EvaluationError,
  isComplex,
  isDictionary,
  isFloat,
  isOpaque,
  isSequence,
  isThing,
  range,
  type Sequence,
  toPythonValue,
  type Value,
} from "./value.ts";

export type Scope = (name: string) => Value | undefined;
export type Expression = (scope: Scope) => Value;

type Token =
  | { readonly kind: "value"; readonly text: string; readonly value: Value }
  | { readonly kind: "name" | "sign" | "end"; readonly text: string };

const SIGNS = ["**", "//", "<<", ">>", "<=", ">=", "==", "!=", ..."+-*/%()[]{},:.<>&|^~="];
const WORDS = new Set(["or", "and", "not", "in", "is", "if", "else", "None", "True", "False"]);
const DEEPEST = 100;
const LONGEST = 2_000;

/** @throws EvaluationError (SyntaxError) if the text is not an expression of this subset. */
export function parseExpression(text: string): Expression {
  if (text.length > LONGEST) throw new EvaluationError("SyntaxError", `more than ${LONGEST} characters`);
  const parser = new Parser(tokensOf(text));
  return parser.whole();
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const value = valueToken(text, at);
    const name = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(rest);
    const sign = SIGNS.find((each) => rest.startsWith(each));
    if (value !== undefined) tokens.push(value);
    else if (name !== null) tokens.push({ kind: "name", text: name[0] });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
    else throw new EvaluationError("SyntaxError", `no expression begins with ${rest.slice(0, 10)}`);
    at += tokens.at(-1)!.text.length; // one was pushed
  }
  return [...tokens, { kind: "end", text: "" }];
}

function valueToken(text: string, at: number): Token | undefined {
  const number = scanNumber(text, at);
  if (number !== undefined) {
    const { value, end } = number;
    if (typeof value !== "bigint" && isComplex(value))
      throw new EvaluationError("NotRecorded", "complex numbers are not computed here");
    return { kind: "value", text: text.slice(at, end), value };
  }
  const string = scanString(text, at);
  if (string === "none") return undefined;
  if (string === undefined) throw new EvaluationError("SyntaxError", "unterminated string literal");
  const { kind, codes, end } = string;
  const value = kind === "str" ? literalText(codes) : { kind, items: codes.map(BigInt) };
  return { kind: "value", text: text.slice(at, end), value };
}

/** Binary operators from the loosest to the tightest binding, as in Python's grammar. */
const LEVELS = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%"]] as const;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const found = this.#listed();
    if (this.#next.kind !== "end") this.#unexpected();
    return found;
  }

  get #next(): Token {
    return this.#tokens[this.#at];
  }

  #is(text: string): boolean {
    const { kind } = this.#next;
    return (kind === "sign" || (kind === "name" && WORDS.has(text))) && this.#next.text === text;
  }

  #take(text: string): boolean {
    const found = this.#is(text);
    if (found) this.#at++;
    return found;
  }

  #need(text: string): void {
    if (!this.#take(text)) this.#unexpected(text);
  }

  #unexpected(wanted?: string): never {
    const got = this.#next.kind === "end" ? "the end" : this.#next.text;
    const what = wanted === undefined ? "" : `, where ${wanted} was expected`;
    const hint = got === "=" ? "; a recorded run cannot be assigned to" : "";
    throw new EvaluationError("SyntaxError", `no expression goes on with ${got}${what}${hint}`);
  }

  /** A bare tuple, `a, b`. */
  #listed(): Expression {
    const first = this.#choice();
    if (!this.#is(",")) return first;
    const items = [first];
    while (this.#take(",")) if (this.#next.kind !== "end") items.push(this.#choice());
    return (scope) => ({ kind: "tuple", items: items.map((each) => each(scope)) });
  }

  /** `a if b else c`. */
  #choice(): Expression {
    if (++this.#depth > DEEPEST) throw new EvaluationError("SyntaxError", "too many nested parentheses");
    const yes = this.#or();
    if (this.#take("if")) {
      const test = this.#or();
      this.#need("else");
      const no = this.#choice();
      this.#depth--;
      return (scope) => (truth(test(scope)) ? yes(scope) : no(scope));
    }
    this.#depth--;
    return yes;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#take("or")) {
      const [first, second] = [left, this.#and()];
      left = (scope) => {
        const value = first(scope);
        return truth(value) ? value : second(scope);
      };
    }
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#take("and")) {
      const [first, second] = [left, this.#not()];
      left = (scope) => {
        const value = first(scope);
        return truth(value) ? second(scope) : value;
      };
    }
    return left;
  }

  #not(): Expression {
    let negated: boolean | undefined;
    while (this.#take("not")) negated = negated !== true;
    const inner = this.#comparison();
    return negated === undefined ? inner : (scope) => truth(inner(scope)) !== negated;
  }

  /** `a < b <= c` compares each pair. */
  #comparison(): Expression {
    const first = this.#binary(0);
    const others: { readonly sign: string; readonly operand: Expression }[] = [];
    for (let sign = this.#comparator(); sign !== undefined; sign = this.#comparator())
      others.push({ sign, operand: this.#binary(0) });
    if (others.length === 0) return first;
    return (scope) => {
      let left = first(scope);
      for (const { sign, operand } of others) {
        const right = operand(scope);
        if (!compare(sign, left, right)) return false;
        left = right;
      }
      return true;
    };
  }

  #comparator(): string | undefined {
    for (const sign of ["<=", ">=", "==", "!=", "<", ">", "in"]) if (this.#take(sign)) return sign;
    if (this.#is("not")) {
      this.#at++;
      this.#need("in");
      return "not in";
    }
    if (this.#take("is")) return this.#take("not") ? "is not" : "is";
    return undefined;
  }

  #binary(level: number): Expression {
    if (level === LEVELS.length) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const sign = LEVELS[level].find((each) => this.#is(each));
      if (sign === undefined) return left;
      this.#at++;
      const [first, second] = [left, this.#binary(level + 1)];
      left = (scope) => arithmetic(sign, first(scope), second(scope));
    }
  }

  #unary(): Expression {
    for (const sign of ["-", "+", "~"] as const) {
      if (this.#take(sign)) {
        const inner = this.#unary();
        return (scope) => negate(sign, inner(scope));
      }
    }
    const base = this.#postfix();
    if (!this.#take("**")) return base;
    const exponent = this.#unary();
    return (scope) => arithmetic("**", base(scope), exponent(scope));
  }

  #postfix(): Expression {
    const name = this.#next;
    let found = this.#atom();
    let called = false;
    for (;;) {
      const inner = found;
      if (this.#take(".")) {
        const field = this.#next;
        if (field.kind !== "name") this.#unexpected("a field");
        this.#at++;
        found = (scope) => fieldOf(inner(scope), field.text);
      } else if (this.#take("[")) {
        found = this.#subscript(inner);
      } else if (this.#is("(") && !called && name.kind === "name" && !WORDS.has(name.text)) {
        this.#at++;
        const args = this.#items(")");
        found = (scope) =>
          callOf(
            name.text,
            args.map((each) => each(scope)),
          );
      } else if (this.#is("(")) {
        throw new EvaluationError(
          "SyntaxError",
          "a recorded run cannot be called; only built-in functions are",
        );
      } else return found;
      called = true;
    }
  }

  #subscript(inner: Expression): Expression {
    const parts: (Expression | undefined)[] = [];
    let colons = 0;
    let part: Expression | undefined;
    while (!this.#is("]")) {
      if (this.#take(":")) {
        parts.push(part);
        part = undefined;
        colons++;
        if (colons > 2) this.#unexpected("]");
      } else if (part === undefined) part = this.#listed();
      else this.#unexpected("]");
    }
    parts.push(part);
    this.#need("]");
    if (colons === 0) {
      if (part === undefined) this.#unexpected("an index");
      const index = part;
      return (scope) => itemOf(inner(scope), index(scope));
    }
    return (scope) =>
      sliceOf(
        inner(scope),
        parts.map((each) => each?.(scope) ?? null),
      );
  }

  #items(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#take(end)) {
      items.push(this.#choice());
      if (!this.#is(end)) this.#need(",");
    }
    return items;
  }

  #atom(): Expression {
    const token = this.#next;
    if (token.kind === "value") {
      this.#at++;
      return () => token.value;
    }
    if (token.kind === "name" && !WORDS.has(token.text)) {
      this.#at++;
      return (scope) => {
        const found = scope(token.text);
        if (found === undefined)
          throw new EvaluationError("NameError", `name '${token.text}' is not defined`);
        return found;
      };
    }
    for (const [word, value] of [
      ["None", null],
      ["True", true],
      ["False", false],
    ] as const)
      if (this.#take(word)) return () => value;
    if (this.#take("(")) {
      if (this.#take(")")) return () => ({ kind: "tuple", items: [] });
      const first = this.#choice();
      if (this.#take(")")) return first;
      this.#need(",");
      const items = [first, ...this.#items(")")];
      return (scope) => ({ kind: "tuple", items: items.map((each) => each(scope)) });
    }
    if (this.#take("[")) {
      const items = this.#items("]");
      return (scope) => ({ kind: "list", items: items.map((each) => each(scope)) });
    }
    if (this.#take("{")) return this.#braces();
    return this.#unexpected();
  }

  #braces(): Expression {
    if (this.#take("}")) return () => ({ entries: [] });
    const first = this.#choice();
    if (!this.#is(":")) {
      this.#take(",");
      const items = [first, ...this.#items("}")];
      return (scope) =>
        unique(
          "set",
          items.map((each) => each(scope)),
        );
    }
    const pairs: [Expression, Expression][] = [];
    let key = first;
    for (;;) {
      this.#need(":");
      pairs.push([key, this.#choice()]);
      if (this.#take("}")) break;
      this.#need(",");
      if (this.#take("}")) break;
      key = this.#choice();
    }
    return (scope) => {
      const entries: [Value, Value][] = [];
      for (const [left, right] of pairs) {
        const [name, value] = [left(scope), right(scope)];
        checkHashable(name);
        const known = entries.find(([each]) => equal(each, name));
        if (known === undefined) entries.push([name, value]);
        else known[1] = value;
      }
      return { entries };
    };
  }
}

function fieldOf(value: Value, name: string): Value {
  const fields =
    isThing(value) || isDictionary(value) || isSequence(value)
      ? (value as { fields?: ReadonlyMap<string, Value> }).fields
      : undefined;
  const found = fields?.get(name) ?? partOf(value, name);
  if (found !== undefined) return found;
  if (isThing(value) && value.text !== undefined)
    throw new EvaluationError(
      "NotRecorded",
      `the record does not show the field '${name}' of a ${value.object}`,
    );
  throw new EvaluationError(
    "AttributeError",
    `'${typeName(value)}' object has no field '${name}' in the record`,
  );
}

/** `.year` of a date, `.days` of a timedelta, `.numerator` of a Fraction. */
function partOf(value: Value, name: string): Value | undefined {
  if (isThing(value) && value.text !== undefined) {
    const positions = /^datetime\.(datetime|date|time)\(([\d, ]*)/.exec(value.text);
    if (positions !== null) {
      const units = ["year", "month", "day", "hour", "minute", "second", "microsecond"];
      const at = (
        positions[1] === "time" ? units.slice(3) : units.slice(0, positions[1] === "date" ? 3 : 7)
      ).indexOf(name);
      if (at >= 0) return BigInt(positions[2].split(", ")[at] || 0);
    }
    if (value.text.startsWith("datetime.timedelta(") && ["days", "seconds", "microseconds"].includes(name))
      return BigInt(new RegExp(`\\b${name}=(-?\\d+)`).exec(value.text)?.[1] ?? 0);
    const fraction = /^Fraction\((-?\d+), (\d+)\)$/.exec(value.text);
    if (fraction !== null && name === "numerator") return BigInt(fraction[1]);
    if (fraction !== null && name === "denominator") return BigInt(fraction[2]);
  }
  return undefined;
}

function itemOf(value: Value, index: Value): Value {
  if (isDictionary(value)) {
    checkHashable(index);
    const found = value.entries.find(([key]) => equal(key, index));
    if (found !== undefined) return found[1];
    checkWhole(value);
    if (value.type === "Counter") return 0n;
    if (value.type === "defaultdict")
      throw new EvaluationError(
        "NotRecorded",
        `the key ${pythonLiteral(toPythonValue(index))} is not there, and its default is not made`,
      );
    throw new EvaluationError("KeyError", pythonLiteral(toPythonValue(index)));
  }
  const items = itemsOf(value, "subscriptable");
  const number = typeof index === "boolean" ? BigInt(index) : index;
  if (typeof number !== "bigint")
    throw new EvaluationError(
      "TypeError",
      typeof value === "string"
        ? `string indices must be integers, not '${typeName(index)}'`
        : `${typeName(value)} indices must be integers or slices, not ${typeName(index)}`,
    );
  const { more } = value as Sequence; // a text has none
  if (more !== undefined && (number < 0n || number >= BigInt(items.length))) checkWhole(value);
  const found = items.at(
    number >= BigInt(-items.length) && number < BigInt(items.length) ? Number(number) : items.length,
  );
  if (found === undefined)
    throw new EvaluationError(
      "IndexError",
      `${typeof value === "string" ? "string" : typeName(value)} index out of range`,
    );
  return found;
}

/** The items of a value that can be indexed by position. */
function itemsOf(value: Value, ability: string): readonly Value[] {
  if (typeof value === "string") return [...value];
  if (isSequence(value) && value.kind !== "set" && value.kind !== "frozenset") return value.items;
  if (isOpaque(value) || isThing(value))
    throw new EvaluationError("NotRecorded", "the record does not show the items of this value");
  throw new EvaluationError("TypeError", `'${typeName(value)}' object is not ${ability}`);
}

function sliceOf(value: Value, [from = null, to = null, by = null]: readonly Value[]): Value {
  const items = itemsOf(value, "subscriptable");
  checkWhole(value);
  const step = by === null ? 1 : Number(indexOf(by));
  if (step === 0) throw new EvaluationError("ValueError", "slice step cannot be zero");
  const [least, most] = step > 0 ? [0, items.length] : [-1, items.length - 1];
  const bound = (part: Value, missing: number) => {
    if (part === null) return missing;
    const number = Number(indexOf(part));
    return Math.min(most, Math.max(least, number < 0 ? number + items.length : number));
  };
  const [start, stop] = [bound(from, step > 0 ? least : most), bound(to, step > 0 ? most : least)];
  const taken: Value[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) taken.push(items[at]);
  if (typeof value === "string") return taken.join("");
  return { kind: (value as Sequence).kind === "tuple" ? "tuple" : (value as Sequence).kind, items: taken }; // itemsOf refused others
}

function indexOf(value: Value): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "boolean") return BigInt(value);
  throw new EvaluationError(
    "TypeError",
    "slice indices must be integers or None or have an __index__ method",
  );
}

/** Everything that can be gone through. */
function each(value: Value): readonly Value[] {
  checkWhole(value);
  if (typeof value === "string") return [...value];
  if (isSequence(value)) return value.items;
  if (isDictionary(value)) return value.entries.map(([key]) => key);
  if (isOpaque(value) || isThing(value))
    throw new EvaluationError("NotRecorded", "the record does not show the items of this value");
  throw new EvaluationError("TypeError", `'${typeName(value)}' object is not iterable`);
}

function unique(kind: "set" | "frozenset", items: readonly Value[]): Sequence {
  const kept: Value[] = [];
  for (const item of items) {
    checkHashable(item);
    if (!kept.some((known) => equal(known, item))) kept.push(item);
  }
  return { kind, items: kept };
}

const sorted = (items: readonly Value[]) => items.toSorted((a, b) => order(a, b));

function extreme(name: "min" | "max", args: readonly Value[]): Value {
  const items = args.length === 1 ? each(args[0]) : args;
  if (items.length === 0) throw new EvaluationError("ValueError", `${name}() arg is an empty sequence`);
  return items.reduce((best, item) => {
    const sign = order(item, best);
    return (name === "min" ? sign < 0 : sign > 0) ? item : best;
  });
}

const functions: Readonly<Record<string, (...args: readonly Value[]) => Value>> = {
  len: lengthOf,
  sum: (value, start = 0n) => each(value).reduce((total: Value, item) => add(total, item), start),
  min: (...args) => extreme("min", args),
  max: (...args) => extreme("max", args),
  abs: (value) =>
    isFloat(value)
      ? { float: Math.abs(value.float) }
      : order(value, 0n) < 0
        ? negate("-", value)
        : negate("+", value),
  sorted: (value) => ({ kind: "list", items: sorted(each(value)) }),
  any: (value) => each(value).some(truth),
  all: (value) => each(value).every(truth),
  bool: (value = false) => truth(value),
  list: (value = { kind: "list", items: [] }) => ({ kind: "list", items: each(value) }),
  tuple: (value = { kind: "tuple", items: [] }) => ({ kind: "tuple", items: each(value) }),
  set: (value = { kind: "list", items: [] }) => unique("set", each(value)),
  repr: (value) => pythonLiteral(toPythonValue(value)),
  range: (first, second, third = 1n) => {
    const [start, stop] = second === undefined ? [0n, first] : [first, second];
    if (indexOf(third) === 0n) throw new EvaluationError("ValueError", "range() arg 3 must not be zero");
    return range(indexOf(start), indexOf(stop), indexOf(third));
  },
};

/** Also of what is recorded in part: how much is left out is recorded. */
function lengthOf(value: Value): Value {
  if (typeof value === "string") return BigInt([...value].length);
  if (isSequence(value)) return BigInt(value.items.length + (value.more ?? 0));
  if (isDictionary(value)) return BigInt(value.entries.length + (value.more ?? 0));
  const record = toPythonValue(value);
  if (typeof record === "object" && record !== null && "text" in record)
    return BigInt([...record.text].length + record.cut);
  if (isOpaque(value) || isThing(value))
    throw new EvaluationError("NotRecorded", "the record does not show the length of this value");
  throw new EvaluationError("TypeError", `object of type '${typeName(value)}' has no len()`);
}

function callOf(name: string, args: readonly Value[]): Value {
  if (!Object.hasOwn(functions, name)) {
    const close = nearest(name, Object.keys(functions));
    const hint =
      close === undefined ? `known are ${Object.keys(functions).join(", ")}` : `did you mean ${close}?`;
    throw new EvaluationError("NameError", `${name} cannot be called, a recorded run does not run; ${hint}`);
  }
  if (args.length === 0 && !["bool", "list", "tuple", "set"].includes(name))
    throw new EvaluationError("TypeError", `${name}() takes at least one argument (0 given)`);
  return functions[name](...args);
}

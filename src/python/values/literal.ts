/**
 * @file Parser for Python literals. It never runs code: names, calls and operators are refused.
 *
 *     readLiteral("[1, 'a' \"b\", (2.5,)]")     { kind: "list", items: [1n, "ab", { kind: "tuple", items: [{ float: 2.5 }] }] }
 *     readLiteral("0 or True")                  undefined
 *
 * Accepts what `ast.literal_eval` accepts, and further spellings: `inf`, `nan`, `float('-inf')`, `Ellipsis`, `set([])`. The one omission is
 * characters by name (`\N{...}`), which need the table of Unicode names.
 */

import { makeDict, makeSet } from "./equality.ts";
import {
  type Complex,
  type Float,
  isComplex,
  isDictionary,
  isFloat,
  isSequence,
  unhashablePart,
  type Value,
} from "./value.ts";

/** CPython's parser also refuses deeper nesting. */
const deepest = 200;
/** Far above any literal of a benchmark; converting a very long integer takes quadratic time. */
const longestText = 200_000;

/** A NUL or a lone surrogate cannot occur in Python source. */
const unencodable = /[\0\ud800-\udfff]/u;

/** @returns undefined if the text is not a literal. */
export function readLiteral(text: string): Value | undefined {
  if (text.length > longestText || unencodable.test(text)) return undefined;
  const source = text.replaceAll(/\r\n?/g, "\n").replace(/^(?:[ \t\f]*(?:#[^\n]*)?\n)*[ \t\f]*/, "");
  try {
    return new Reader(source.trimEnd()).whole();
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

class NoLiteral extends Error {}

/** `plain`: an unsigned number, which may be given a sign or an imaginary part. */
interface Read {
  readonly literal: Value;
  readonly plain: boolean;
}

const ELLIPSIS: Value = { opaque: { constant: "Ellipsis" } };

const number = {
  prefixed: /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+/y,
  float:
    /(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.)(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?|\d(?:_?\d)*[eE][+-]?\d(?:_?\d)*[jJ]?|\d(?:_?\d)*[jJ]/y,
  integer: /0(?:_?0)*(?![_\d])|[1-9](?:_?\d)*/y,
};
const stringStart = /([rR][bB]?|[bB][rR]?|[uU])?("""|'''|"|')/y;
const word = /[A-Za-z_]\w*/y;
/** Longest argument of `float('...')` that is read: an infinity is shorter, including white space. */
const longestNumber = 1000;
const notFinite = /^[ \t\n\f\v]*([+-]?)(inf|infinity|nan)[ \t\n\f\v]*$/i;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Value {
    this.skip();
    const first = this.sum();
    this.skip();
    if (this.text[this.at] !== ",") {
      if (this.at < this.text.length) throw new NoLiteral();
      return first.literal;
    }
    const items = [first.literal];
    while (this.take(",")) {
      if (this.at >= this.text.length) break;
      items.push(this.sum().literal);
      this.skip();
    }
    if (this.at < this.text.length) throw new NoLiteral();
    return { kind: "tuple", items };
  }

  /** `3 - 2j`: the only binary operation in a literal. */
  private sum(): Read {
    const left = this.signed();
    this.skip();
    const sign = this.text[this.at];
    if (sign !== "+" && sign !== "-") return left;
    this.at++;
    this.skip();
    const right = this.atom();
    const real = realPart(left.literal);
    if (real === undefined || !right.plain || !isComplex(right.literal)) throw new NoLiteral();
    const [, size] = right.literal.complex;
    return { literal: { complex: [real, sign === "+" ? size : 0 - size] }, plain: false }; // 1 - 0j is 1 + 0j
  }

  private signed(): Read {
    const sign = this.text[this.at];
    if (sign !== "+" && sign !== "-") return this.atom();
    this.at++;
    this.skip();
    const { literal, plain } = this.atom();
    if (!plain) throw new NoLiteral();
    return { literal: sign === "-" ? negative(literal) : literal, plain: false };
  }

  private atom(): Read {
    const next = this.text[this.at];
    switch (next) {
      case "(":
        return this.parenthesis();
      case "[": {
        const items = this.inBrackets("]", () => this.sum().literal).items;
        return { literal: { kind: "list", items }, plain: false };
      }
      case "{":
        return { literal: this.braces(), plain: false };
      case ".":
        if (!this.text.startsWith("...", this.at)) break;
        this.at += 3;
        return { literal: ELLIPSIS, plain: false };
      default:
    }
    const string = this.strings();
    if (string !== undefined) return { literal: string, plain: false };
    return this.numberOrName();
  }

  private numberOrName(): Read {
    const found = scanNumber(this.text, this.at);
    if (found === undefined) return this.name();
    this.at = found.end;
    if (/[\w.]/.test(this.text[this.at] ?? "")) throw new NoLiteral();
    return { literal: found.value, plain: true };
  }

  private name(): Read {
    switch (this.match(word)) {
      case "None":
        return { literal: null, plain: false };
      case "True":
        return { literal: true, plain: false };
      case "False":
        return { literal: false, plain: false };
      case "Ellipsis":
        return { literal: ELLIPSIS, plain: false };
      case "inf":
        return { literal: { float: Number.POSITIVE_INFINITY }, plain: true };
      case "nan":
        return { literal: { float: Number.NaN }, plain: true };
      case "set": {
        // `set()` and `set([])`
        const argument = this.argument();
        if (argument !== undefined && !isEmpty(argument)) throw new NoLiteral();
        return { literal: { kind: "set", items: [] }, plain: false };
      }
      case "float": {
        const argument = this.argument();
        const text = typeof argument === "string" && argument.length <= longestNumber ? argument : "";
        const [, sign, what] = notFinite.exec(text) ?? [];
        if (what === undefined) throw new NoLiteral();
        const size = /nan/i.test(what) ? Number.NaN : Number.POSITIVE_INFINITY;
        return { literal: { float: sign === "-" ? -size : size }, plain: true };
      }
      default:
        throw new NoLiteral();
    }
  }

  /** The only argument of a call; undefined if it has none. */
  private argument(): Value | undefined {
    this.skip();
    if (this.text[this.at] !== "(") throw new NoLiteral();
    const { items } = this.inBrackets(")", () => this.sum().literal);
    if (items.length > 1) throw new NoLiteral();
    return items[0];
  }

  private parenthesis(): Read {
    let only: Read | undefined;
    const { items, comma } = this.inBrackets(")", () => {
      only = this.sum();
      return only.literal;
    });
    if (only !== undefined && items.length === 1 && !comma) return only;
    return { literal: { kind: "tuple", items }, plain: false };
  }

  private braces(): Value {
    const entries: (readonly [Value, Value])[] = [];
    const { items } = this.inBrackets("}", () => {
      const key = this.sum().literal;
      if (unhashablePart(key) !== undefined) throw new NoLiteral();
      if (this.take(":")) entries.push([key, this.sum().literal]);
      return key;
    });
    if (entries.length === items.length) return makeDict(entries);
    if (entries.length > 0) throw new NoLiteral();
    return makeSet(items);
  }

  /** The items from the opening bracket at the current position to `close`; `comma`: whether the last one is followed by a comma. */
  private inBrackets(close: string, item: () => Value): { items: Value[]; comma: boolean } {
    if (++this.depth > deepest) throw new NoLiteral();
    this.at++;
    const items: Value[] = [];
    let comma = false;
    for (this.skip(); this.text[this.at] !== close; this.skip()) {
      if (items.length > 0 && !comma) throw new NoLiteral();
      items.push(item());
      comma = this.take(",");
    }
    this.at++;
    this.depth--;
    return { items, comma };
  }

  /** Adjacent string literals are concatenated. */
  private strings(): Value | undefined {
    let joined: StringToken | undefined;
    for (;;) {
      const found = scanString(this.text, this.at);
      if (found === undefined) throw new NoLiteral();
      if (found === "none") return joined && stringValue(joined);
      if (joined !== undefined && joined.kind !== found.kind) throw new NoLiteral();
      this.at = found.end;
      if (joined === undefined) joined = found;
      else for (const code of found.codes) joined.codes.push(code); // copying per string would take quadratic time
      this.skip();
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Consumes the mark and the white space around it, if it comes next. */
  private take(mark: string): boolean {
    this.skip();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    this.skip();
    return true;
  }

  /** Skips white space, comments and joined lines. A newline is white space only inside brackets. */
  private skip(): void {
    const gap = this.depth > 0 ? /(?:[ \t\f\n]|\\\n|#[^\n]*)*/y : /(?:[ \t\f]|\\\n|#[^\n]*$)*/y;
    gap.lastIndex = this.at;
    gap.exec(this.text);
    this.at = gap.lastIndex;
  }
}

/** `[]`, `()` or `{}`. */
function isEmpty(value: Value): boolean {
  if (isDictionary(value)) return value.entries.length === 0;
  return isSequence(value) && (value.kind === "list" || value.kind === "tuple") && value.items.length === 0;
}

function realPart(value: Value): number | undefined {
  if (typeof value === "bigint") return Number(value);
  return isFloat(value) ? value.float : undefined;
}

function negative(value: Value): Value {
  if (typeof value === "bigint") return -value;
  if (isFloat(value)) return { float: -value.float };
  if (isComplex(value)) return { complex: [-value.complex[0], -value.complex[1]] };
  throw new NoLiteral();
}

/** The number that begins at `at`, and where it ends. */
export function scanNumber(
  text: string,
  at: number,
): { readonly value: bigint | Float | Complex; readonly end: number } | undefined {
  for (const [kind, pattern] of Object.entries(number)) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0].replaceAll("_", "");
    if (found === undefined) continue;
    const end = pattern.lastIndex;
    if (kind !== "float") return { value: BigInt(found), end };
    if (/[jJ]$/.test(found)) return { value: { complex: [0, Number(found.slice(0, -1))] }, end };
    return { value: { float: Number(found) }, end };
  }
  return undefined;
}

export interface StringToken {
  readonly kind: "str" | "bytes";
  /** Code points or bytes. */
  readonly codes: number[];
  readonly end: number;
}

/** The string or bytes literal that begins at `at`; "none" if there is no opening quote, undefined if it is malformed. */
export function scanString(text: string, at: number): StringToken | "none" | undefined {
  stringStart.lastIndex = at;
  const found = stringStart.exec(text);
  if (found === null) return "none";
  const prefix = (found[1] ?? "").toLowerCase();
  const kind = prefix.includes("b") ? "bytes" : "str";
  const body = scanBody(text, stringStart.lastIndex, found[2], prefix.includes("r"), kind);
  return body && { kind, ...body };
}

function stringValue({ kind, codes }: StringToken): Value {
  const isPair = (code: number, i: number) => code >> 10 === 0x36 && codes[i + 1] >> 10 === 0x37;
  if (kind === "bytes" || codes.some(isPair)) return { kind, items: codes.map(BigInt) };
  return literalText(codes);
}

/** Spreading all codes into one call would overflow the stack. */
export function literalText(codes: readonly number[]): string {
  return codes.map((code) => String.fromCodePoint(code)).join("");
}

/** The text of a string, also of one that is kept as code points; undefined for other values. */
export function stringText(value: Value): string | undefined {
  if (typeof value === "string") return value;
  return isSequence(value) && value.kind === "str" ? literalText(value.items.map(Number)) : undefined;
}

function scanBody(
  text: string,
  start: number,
  quote: string,
  raw: boolean,
  kind: StringToken["kind"],
): { readonly codes: number[]; readonly end: number } | undefined {
  const codes: number[] = [];
  let at = start;
  while (!text.startsWith(quote, at)) {
    const code = text.codePointAt(at);
    if (code === undefined || (code === 10 && quote.length === 1)) return undefined;
    if (kind === "bytes" && code > 127) return undefined;
    if (code !== BACKSLASH) {
      codes.push(code);
      at += code > 0xffff ? 2 : 1;
    } else if (raw) {
      // The backslash and the next character are kept: an escaped quote does not end the string.
      const next = text.codePointAt(at + 1);
      if (next === undefined || (kind === "bytes" && next > 127)) return undefined;
      codes.push(BACKSLASH, next);
      at += next > 0xffff ? 3 : 2;
    } else {
      const escaped = escapeAt(text.slice(at + 1, at + LONGEST_ESCAPE), kind);
      if (escaped === undefined) return undefined;
      codes.push(...escaped.codes);
      at += 1 + escaped.length;
    }
  }
  return { codes, end: at + quote.length };
}

const BACKSLASH = 92;
/** `\U` and eight digits. */
const LONGEST_ESCAPE = 10;

/** Decodes the text after a backslash: the characters, and the length of the escape. */
function escapeAt(
  text: string,
  kind: StringToken["kind"],
): { readonly codes: readonly number[]; readonly length: number } | undefined {
  const [next] = text;
  const simple = simpleEscapes[next];
  if (simple !== undefined) return { codes: simple, length: 1 };
  const octal = /^[0-7]{1,3}/.exec(text)?.[0];
  if (octal !== undefined) {
    const code = Number.parseInt(octal, 8);
    return { codes: [kind === "bytes" ? code & 255 : code], length: octal.length };
  }
  const size =
    next === "x" ? 2 : kind === "bytes" ? undefined : next === "u" ? 4 : next === "U" ? 8 : undefined;
  if (size === undefined) {
    if (kind === "str" && next === "N") return undefined;
    return { codes: [BACKSLASH], length: 0 }; // an unknown escape keeps its backslash
  }
  const hex = text.slice(1, 1 + size);
  const code = hex.length === size && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  return code <= 0x10ffff ? { codes: [code], length: 1 + size } : undefined;
}

const simpleEscapes: Readonly<Record<string, readonly number[]>> = {
  "\n": [],
  "\\": [92],
  "'": [39],
  '"': [34],
  a: [7],
  b: [8],
  f: [12],
  n: [10],
  r: [13],
  t: [9],
  v: [11],
};

/**
 * @file Reads a Python literal, and nothing else: no names, no calls, nothing is run.
 *
 *     readLiteral("[1, 'a' \"b\", (2.5,)]")     { kind: "list", items: [1, "ab", (2.5,)] }
 *     readLiteral("0 or True")                  undefined
 *
 * What it takes is what `ast.literal_eval` takes, and the ways in which an infinity or a NaN is written besides: `inf`,
 * `nan`, `float('-inf')`; `Ellipsis`; and `set([])`. Not taken: characters by name (`\N{...}`), which would need the table of Unicode's names.
 */

import { dictOf, isHashable, type Literal, setOf } from "./equality.ts";
import { stringBody } from "./literal-string.ts";

/** Python's own parser refuses deeper brackets. */
const deepest = 200;
/** No literal of a benchmark comes near; reading a very long integer takes quadratic time. */
const longestText = 200_000;

/** A NUL, or half of a surrogate pair: no source of Python holds them. */
const unencodable = /[\0\ud800-\udfff]/u;

/** undefined where the text is no literal. */
export function readLiteral(text: string): Literal | undefined {
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

/** What was read, and whether it was a number without a sign: only such a one takes a sign or an imaginary part. */
interface Read {
  readonly literal: Literal;
  readonly plain: boolean;
}

const number = {
  prefixed: /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+/y,
  float:
    /(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.)(?:[eE][+-]?\d(?:_?\d)*)?[jJ]?|\d(?:_?\d)*[eE][+-]?\d(?:_?\d)*[jJ]?|\d(?:_?\d)*[jJ]/y,
  integer: /0(?:_?0)*(?![_\d])|[1-9](?:_?\d)*/y,
};
const stringStart = /([rR][bB]?|[bB][rR]?|[uU])?("""|'''|"|')/y;
const word = /[A-Za-z_]\w*/y;
/** The longest text of a `float('...')` that is looked at: that of an infinity is shorter, white space and all. */
const longestNumber = 1000;
const notFinite = /^[ \t\n\f\v]*([+-]?)(inf|infinity|nan)[ \t\n\f\v]*$/i;

class Reader {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Literal {
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

  /** `3 - 2j`: the one operation that a literal may hold. */
  private sum(): Read {
    const left = this.signed();
    this.skip();
    const sign = this.text[this.at];
    if (sign !== "+" && sign !== "-") return left;
    this.at++;
    this.skip();
    const right = this.atom();
    const real = realPart(left.literal);
    if (real === undefined || !right.plain || right.literal.kind !== "complex") throw new NoLiteral();
    const imaginary = sign === "+" ? right.literal.imaginary : -right.literal.imaginary;
    return { literal: { kind: "complex", real, imaginary }, plain: false };
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
        return { literal: { kind: "ellipsis" }, plain: false };
      default:
    }
    const string = this.strings();
    if (string !== undefined) return { literal: string, plain: false };
    return this.numberOrName();
  }

  private numberOrName(): Read {
    const prefixed = this.match(number.prefixed);
    if (prefixed !== undefined) return this.ended(integer(prefixed));
    const float = this.match(number.float);
    if (float !== undefined) {
      const value = Number(float.replaceAll(/[_jJ]/g, ""));
      return this.ended(
        /[jJ]$/.test(float) ? { kind: "complex", real: 0, imaginary: value } : { kind: "float", value },
      );
    }
    const whole = this.match(number.integer);
    if (whole !== undefined) return this.ended(integer(whole));
    return this.name();
  }

  /** Directly behind a number no letter may stand. */
  private ended(literal: Literal): Read {
    if (/[\w.]/.test(this.text[this.at] ?? "")) throw new NoLiteral();
    return { literal, plain: true };
  }

  private name(): Read {
    switch (this.match(word)) {
      case "None":
        return { literal: { kind: "none" }, plain: false };
      case "True":
        return { literal: { kind: "bool", value: true }, plain: false };
      case "False":
        return { literal: { kind: "bool", value: false }, plain: false };
      case "Ellipsis":
        return { literal: { kind: "ellipsis" }, plain: false };
      case "inf":
        return { literal: { kind: "float", value: Number.POSITIVE_INFINITY }, plain: true };
      case "nan":
        return { literal: { kind: "float", value: Number.NaN }, plain: true };
      case "set": {
        // empty, in either way to write it
        const argument = this.argument();
        if (argument !== undefined && !isEmpty(argument)) throw new NoLiteral();
        return { literal: { kind: "set", items: [] }, plain: false };
      }
      case "float": {
        const argument = this.argument();
        const text = argument?.kind === "str" ? shortText(argument.codes) : "";
        const [, sign, what] = notFinite.exec(text) ?? [];
        if (what === undefined) throw new NoLiteral();
        const size = /nan/i.test(what) ? Number.NaN : Number.POSITIVE_INFINITY;
        return { literal: { kind: "float", value: sign === "-" ? -size : size }, plain: true };
      }
      default:
        throw new NoLiteral();
    }
  }

  /** The one argument of a call, or undefined where there is none. */
  private argument(): Literal | undefined {
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

  private braces(): Literal {
    const entries: (readonly [Literal, Literal])[] = [];
    const { items } = this.inBrackets("}", () => {
      const key = this.sum().literal;
      if (!isHashable(key)) throw new NoLiteral();
      if (this.take(":")) entries.push([key, this.sum().literal]);
      return key;
    });
    if (entries.length === items.length) return dictOf(entries);
    if (entries.length > 0) throw new NoLiteral();
    return setOf(items);
  }

  /** What stands between the opening bracket at hand and `close`, separated by commas. */
  private inBrackets(close: string, item: () => Literal): { items: Literal[]; comma: boolean } {
    if (++this.depth > deepest) throw new NoLiteral();
    this.at++;
    const items: Literal[] = [];
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

  /** Strings that follow each other are one. */
  private strings(): Literal | undefined {
    let joined: { kind: "str" | "bytes"; codes: number[] } | undefined;
    for (;;) {
      stringStart.lastIndex = this.at;
      const found = stringStart.exec(this.text);
      if (found === null) return joined;
      this.at = stringStart.lastIndex;
      const prefix = (found[1] ?? "").toLowerCase();
      const kind = prefix.includes("b") ? "bytes" : "str";
      if (joined !== undefined && joined.kind !== kind) throw new NoLiteral();
      const body = stringBody(this.text, this.at, { quote: found[2], raw: prefix.includes("r"), kind });
      if (body === undefined) throw new NoLiteral();
      this.at = body.end;
      if (joined === undefined) joined = { kind, codes: body.codes };
      else for (const code of body.codes) joined.codes.push(code); // a copy for each string would take quadratic time
      this.skip();
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** Takes the mark if it comes next, and the white space around it. */
  private take(mark: string): boolean {
    this.skip();
    if (this.text[this.at] !== mark) return false;
    this.at++;
    this.skip();
    return true;
  }

  /** White space, comments and joined lines. Only inside brackets does a line's end count as white space. */
  private skip(): void {
    const gap = this.depth > 0 ? /(?:[ \t\f\n]|\\\n|#[^\n]*)*/y : /(?:[ \t\f]|\\\n|#[^\n]*$)*/y;
    gap.lastIndex = this.at;
    gap.exec(this.text);
    this.at = gap.lastIndex;
  }
}

/** `[]`, `()` or `{}`. */
function isEmpty(literal: Literal): boolean {
  if (literal.kind === "dict") return literal.entries.length === 0;
  return (literal.kind === "list" || literal.kind === "tuple") && literal.items.length === 0;
}

/** "" where there is more than a number takes: a call takes no list of a hundred thousand arguments. */
function shortText(codes: readonly number[]): string {
  return codes.length > longestNumber ? "" : String.fromCodePoint(...codes);
}

function integer(text: string): Literal {
  return { kind: "int", value: BigInt(text.replaceAll("_", "")) };
}

function realPart(literal: Literal): number | undefined {
  if (literal.kind === "float") return literal.value;
  return literal.kind === "int" ? Number(literal.value) : undefined;
}

function negative(literal: Literal): Literal {
  switch (literal.kind) {
    case "int":
      return { kind: "int", value: -literal.value };
    case "float":
      return { kind: "float", value: -literal.value };
    case "complex":
      return { kind: "complex", real: -literal.real, imaginary: -literal.imaginary };
    default:
      throw new NoLiteral();
  }
}

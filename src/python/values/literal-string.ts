/**
 * @file The inside of a Python string or bytes literal, behind its opening quote.
 *
 *     stringBody(`a\\x41"`, 0, { quote: '"', raw: false, kind: "str" })     { codes: [97, 65], end: 6 }
 *
 * Characters by name (`\\N{...}`) are not taken.
 */

export interface StringForm {
  /** One quote, or three. */
  readonly quote: string;
  readonly raw: boolean;
  readonly kind: "str" | "bytes";
}

/** Its characters as code points, and where it ends behind the closing quote; undefined where it is none. */
export function stringBody(
  text: string,
  start: number,
  { quote, raw, kind }: StringForm,
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
      // The backslash stays, and so does what follows it: a quote does not end the string.
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
/** \U and eight digits, with the backslash. */
const LONGEST_ESCAPE = 10;

/** What stands behind a backslash: its characters, and how many of the text it takes. */
function escapeAt(
  text: string,
  kind: StringForm["kind"],
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
    return { codes: [BACKSLASH], length: 0 }; // an unknown escape: the backslash is one character, what follows stands
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

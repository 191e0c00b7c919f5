/**
 * @file Values and places as people and models write them.
 *
 *     valueAt("total = [1, 2] now", 8)      { text: "[1, 2]", end: 14 }
 *     valueAt("x = 3 + 4 = 7", 4)           { text: "7", ... }            the result of a sum
 *     placesIn("after line 5 (2nd time)")   [{ line: 5, time: 2 }]
 *
 * JSON's true, false and null are read as Python's.
 */

import { z } from "zod";
import { equalLiteral } from "../../python/values/equality.ts";
import { readLiteral, stringText } from "../../python/values/literal.ts";
import { isFloat, type Value } from "../../python/values/value.ts";
import type { Claim, ClaimPlace } from "../../schemas/transcript.ts";
import { parts } from "../scoring/source-text.ts";

export interface Found<T> {
  readonly index: number;
  readonly value: T;
}

/** Parses a Python or JSON value; undefined if it is neither. */
export function readValue(text: string): Value | undefined {
  return readLiteral(text) ?? readLiteral(withPythonWords(text));
}

/** Whether two texts are equal values in Python, however they are written. Undefined if the first is not a value. */
export function sameValue(text: string, truth: string): boolean | undefined {
  const [claimed, known] = [readValue(text), readLiteral(truth)];
  if (known === undefined) return text.trim() === truth; // an object of the program, written in angle brackets
  return claimed === undefined ? undefined : equalLiteral(claimed, known);
}

/** A library container and its content: `deque([1])`, `<Counter {1: 2}>`. */
const HOLDS = /^<?[A-Za-z_]\w*[ (](?:<class '\w+'>, )?([[{(][\s\S]*[\]})])(?:, maxlen=\d+)?[)>]$/;

/**
 * Whether a text may mean the value as people write it: a string without quotes, a float with fewer digits, the items
 * of a deque. Undefined if either cannot be parsed.
 */
export function sameText(text: string, truth: string): boolean | undefined {
  const same = sameValue(text, truth);
  if (same === true) return true;
  const known = readLiteral(truth);
  if (known === undefined) {
    const inside = HOLDS.exec(truth)?.[1];
    return inside !== undefined && sameValue(text, inside) === true ? true : undefined;
  }
  if (stringText(known) === text.trim()) return true;
  if (isFloat(known) && same === false) {
    const digits = /^[+-]?\d+\.(\d+)$/.exec(text.trim())?.[1].length;
    if (digits !== undefined && digits < (truth.split(".")[1] ?? "").length)
      return Math.abs(Number(text) - known.float) <= 0.5 * 10 ** -digits * (1 + 1e-9);
  }
  return same;
}

const words: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** Outside of strings. */
function withPythonWords(text: string): string {
  return text.replaceAll(
    /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\b(?:true|false|null)\b/g,
    (part) => words[part] ?? part,
  );
}

const NUMBER = /[+-]?(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?j?|\d+\.)/y;
const WORD = /(?:True|False|None|true|false|null|set\(\)|float\('[+-]?(?:inf|nan)'\)|-?inf\b|nan\b)/y;
const STRING = /[bBrRuU]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/y;
/**
 * What may follow a value: the end, a mark that is not an operator, the next name, or a word that does not change the
 * value (unlike "3 more").
 */
const ENDS = new RegExp(
  [
    String.raw`^(?:\\[)\]])?[\`*_'"$]*\s*(?:$|[.,;:!)\]}|\n#({\[\\]|<\/|[^\x00-\x7f])`,
    String.raw`^[\`*_'"$]*\s+[A-Za-z_]\w*\s*(?:=(?!=)|:)`,
    String.raw`^[\`*_'"$]*\s+(?:and|but|so|then|now|after|at|because|since|as|which|while|when|where|with|before|by|from|again|here|for|in|on|during|due|also|next|already|finally|thus|therefore|hence|too|initially|this|inside|returned|afterwards?|early|immediately|directly|instead)\b`,
  ].join("|"),
);
const ARROW = /^[`*_]*\s*(?:\u2192|->|=>|\u21d2|\u27f6)\s*[`*_]*/;
const LONGEST = 20_000;

export interface FoundValue {
  readonly text: string;
  readonly end: number;
  /** Values before it: `1 -> 3 -> 6`. */
  readonly through?: readonly { readonly text: string; readonly index: number }[];
}

/**
 * The value that begins here. For an expression, its stated result: `3 + 4 = 7` is 7. For values joined by arrows,
 * the last. `alone`: a comma ends it, and expressions are not parsed.
 */
export function valueAt(text: string, start: number, alone = false): FoundValue | undefined {
  const end = literalEnd(text, start);
  if (end !== undefined) {
    const value = text.slice(start, end);
    const behind = text.slice(end, end + 60);
    if (!/^\w/.test(behind) && readValue(value) !== undefined && !isSum(behind)) {
      const arrow = ARROW.exec(behind);
      const next = arrow === null ? undefined : valueAt(text, end + arrow[0].length, true);
      if (next !== undefined)
        return { ...next, through: [{ text: value, index: start }, ...(next.through ?? [])] };
      if (arrow !== null || ENDS.test(behind)) return { text: value, end };
    }
  }
  if (alone) return undefined;
  const clause = text.slice(start, start + 400).split(/[;\n]/)[0];
  const [first] = parts(clause, ",");
  if (first === undefined) return undefined;
  const equal = Math.max(first.lastIndexOf("= "), first.lastIndexOf("=> "), first.lastIndexOf("\u2192 "));
  if (equal < 0 || /[<>!]/.test(first[equal - 1] ?? "")) return undefined;
  if (!isExpression(first.slice(0, equal))) return undefined;
  const signs = first.startsWith("=> ", equal) ? 3 : 2;
  const from = start + equal + signs + (/^[`*]*/.exec(first.slice(equal + signs))?.[0].length ?? 0);
  const last = literalEnd(text, from);
  if (last === undefined || !ENDS.test(text.slice(last, last + 60))) return undefined;
  return readValue(text.slice(from, last)) === undefined
    ? undefined
    : { text: text.slice(from, last), end: last };
}

const OPERATORS = String.raw`(?:and|or|not|if|else|in|for)\b`;
/** Two words or values side by side: prose, no expression. */
const PROSE = new RegExp(String.raw`(?<!\b${OPERATORS})(?<=[\w)\]}'"])\s+(?!${OPERATORS})[A-Za-z_]`);
const isExpression = (text: string) => !PROSE.test(text.replaceAll(/'[^']*'|"[^"]*"/g, "''"));

/** A literal, followed by any text. */
export function literalAt(text: string, start: number): FoundValue | undefined {
  const end = literalEnd(text, start);
  return end === undefined || readValue(text.slice(start, end)) === undefined
    ? undefined
    : { text: text.slice(start, end), end };
}

/** `3 = 7` after a value: this is the left side of an equation. */
const isSum = (behind: string) => /^\s*=\s*\S/.test(behind);

/** The end of the literal that begins here; undefined if there is none. */
function literalEnd(text: string, start: number): number | undefined {
  for (const pattern of [STRING, WORD, NUMBER]) {
    pattern.lastIndex = start;
    const found = pattern.exec(text);
    if (found !== null) return pattern.lastIndex;
  }
  if (!/[[({]/.test(text[start] ?? "")) return undefined;
  let depth = 0;
  for (let at = start; at < text.length && at - start < LONGEST; at++) {
    const character = text[at];
    if (character === "'" || character === '"') {
      STRING.lastIndex = at;
      if (STRING.exec(text) === null) return undefined;
      at = STRING.lastIndex - 1;
    } else if (/[[({]/.test(character)) depth++;
    else if (/[\])}]/.test(character) && --depth === 0) return at + 1;
  }
  return undefined;
}

const ORDINALS = [
  ...["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"],
  ...["eleventh", "twelfth"],
];
const PLACE =
  /\b(line|step|moment)\s+#?(\d{1,6})\b(?:\s*[,(]?\s*(?:(?:the\s+)?(?:(\d{1,5})(?:st|nd|rd|th)|(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))\s+(?:time|run|iteration|pass)|(?:time|run|iteration|pass|visit)\s+(\d{1,5}))\)?)?/gi;

/** "the 2nd iteration", "pass #3": rounds of a loop. */
const ROUND = new RegExp(
  String.raw`\b(?:(${ORDINALS.join("|")}|\d{1,6}(?:st|nd|rd|th))\s+(?:loop\s+)?(?:iteration|pass|round|turn|loop|cycle|trip)\b` +
    String.raw`|(?:iteration|pass|round|turn|loop|cycle|iter)\s*(?:#|no\.|number)?\s*(\d{1,6})\b)`,
  "gi",
);

/** The places that a sentence names. */
export function placesIn(sentence: string): Found<ClaimPlace>[] {
  const rounds = [...sentence.matchAll(ROUND)].map((match): Found<ClaimPlace> => {
    const [, nth, number] = match;
    const word = ORDINALS.indexOf((nth ?? "").toLowerCase()) + 1;
    const iteration = word > 0 ? word : Number.parseInt(nth ?? number, 10);
    const before = sentence.slice(Math.max(0, match.index - 24), match.index);
    const after = /\b(?:after|end of)\s+(?:the\s+)?(?:loop\s+)?[`*]*$/i.test(before);
    return {
      index: match.index,
      value: { iteration, ...(nth !== undefined && { ordinal: true }), ...(after && { after: true }) },
    };
  });
  const lines = [...sentence.matchAll(PLACE)].flatMap((match): Found<ClaimPlace>[] => {
    const [, kind, number, nth, word, time] = match;
    const value = Number(number);
    const index = match.index;
    if (/^moment$/i.test(kind)) return [{ index, value: { moment: value } }];
    if (value === 0) return [];
    if (/^step$/i.test(kind)) return [{ index, value: { step: value } }];
    const visit = Number(nth ?? time ?? (word === undefined ? 0 : ORDINALS.indexOf(word.toLowerCase()) + 1));
    return [{ index, value: { line: value, ...(visit > 0 && { time: visit }) } }];
  });
  // "line 5, 2nd iteration" is a line and its time
  const within = ({ index }: Found<ClaimPlace>) =>
    [...sentence.matchAll(PLACE)].some(
      (match) => index >= match.index && index < match.index + match[0].length,
    );
  return [...lines, ...rounds.filter((each) => !within(each))].toSorted((a, b) => a.index - b.index);
}

const Count = z.int().min(1).max(1e6);
const Placed = z.object({
  line: Count.optional(),
  time: Count.optional(),
  step: Count.optional(),
  moment: Count.optional(),
});
const wholes = ["state", "locals", "variables", "values"];

/**
 * The claims of an object of names and values, top-level or under `state` with a place next to it; undefined if the
 * text is not one.
 */
export function objectClaims(text: string): Claim[] | undefined {
  if (!text.startsWith("{") || !text.endsWith("}")) return undefined;
  const entries = entriesOf(text);
  if (entries === undefined || entries.length === 0) return undefined;
  const named = new Map(entries);
  const whole = wholes.find((key) => named.get(key)?.startsWith("{"));
  const placed = Placed.safeParse(
    Object.fromEntries(
      [...named].flatMap(([key, value]) => (/^\d{1,6}$/.test(value) ? [[key, Number(value)]] : [])),
    ),
  );
  const { line, time, step, moment } = placed.data ?? {};
  const place: ClaimPlace = {
    ...(line !== undefined && { line }),
    ...(time !== undefined && { time }),
    ...(step !== undefined && { step }),
    ...(moment !== undefined && { moment }),
  };
  const found = whole === undefined ? entries : entriesOf(named.get(whole)!);
  const isPlaced = whole !== undefined && Object.keys(place).length > 0;
  return found?.map(([name, value]) => ({ name, value, place: isPlaced ? place : null }));
}

/** `{"a": 1, 'b': [2]}` as pairs of name and text; undefined if a key is not a name. */
function entriesOf(text: string): (readonly [string, string])[] | undefined {
  const pairs = parts(text.slice(1, -1), ",").filter((pair) => pair.trim() !== "");
  const entries: (readonly [string, string])[] = [];
  for (const pair of pairs) {
    const match = /^\s*(["'])([A-Za-z_]\w*)\1\s*:\s*([\s\S]*?)\s*$/.exec(pair);
    if (match === null) return undefined;
    entries.push([match[2], match[3]]);
  }
  return entries;
}

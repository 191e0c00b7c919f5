/**
 * @file Extracts claims about a program's variables from text, each with the place it refers to.
 *
 *     After line 5 (2nd time): total = 3, `i` is now 1.      total 3, i 1         at line 5, time 2
 *     | step | a | b |  ...  | 4 | 2 | 1 |                   a 2, b 1             at step 4
 *     total += xs[i]  # total = 3                            total 3              in a code block: only its comments
 *     {"line": 5, "state": {"total": 3}}                     total 3              at line 5
 *
 * Questions, conditions and expectations are not claims ("if x = 3", "is x = 3?"), and neither is code. The last
 * claim about a name in a step counts.
 */

import type { Claim, ClaimPlace } from "../../schemas/transcript.ts";
import { parts } from "../scoring/source-text.ts";
import { type Found, type FoundValue, literalAt, objectClaims, placesIn, valueAt } from "./parse-values.ts";

/** A part of a text with one place; becomes a separate step. */
export interface Part {
  readonly text: string;
  readonly claims: readonly Claim[];
}

/** Names of the whole state, whose items are its variables. */
const WHOLE = new Set(["state", "locals", "variables", "values", "vars", "environment"]);
/** Words after which the rest of the sentence is not a claim. */
const NOT_SAID =
  /(?:^|[^\w])(?:if|suppose|supposing|assume|assuming|would|could|might|unless|whether|expect|expected|expects|should|while|assert|wanted|until|imagine|instead|rather|unlike|never|wrong|incorrect|incorrectly|mistakenly|for example|e\.g\.)\b|n't\b/i;
/** Words after which the rest of the clause is not a claim. */
const NOT_SAID_IN_CLAUSE =
  /(?:^|[^\w])(?:when|whenever|once|checks?|checking|tests?|testing|compares?|compared|condition|not|range|default|need|needs|to have)\b[^,;:]*$/i;
const VERBS = [
  `(?:is|was) (?:now|still|again|then|initially|currently|already|also|just|therefore|thus)(?: equal to)?`,
  `(?:(?:is|was|gets?) )?(?:now )?(?:set|updated|reset|initiali[sz]ed|assigned|incremented|decremented|increased|decreased|reduced|changed|bound) (?:to|as|with)`,
  `(?:is|was|equals?|becomes?|became|holds|contains|(?:is )?(?:now )?equal to|gets|(?:now )?has the value(?: of)?|takes (?:on )?the value)`,
  `(?:stays|remains|starts|started|begins|began|stands)(?: (?:at|as|with|out as|off at))?`,
  `(?:goes|changes|increases|decreases|grows|rises|drops|falls|shrinks|moves|went|changed|turns) (?:in)?to`,
  `(?:will be|must be|is going to be)`,
].join("|");
/** The last value that a name has. */
const LAST_VERBS = "(?:ends(?: up)?|ended(?: up)?|finishes|finished)(?: (?:at|as|with|being|equal to))?";
const NAMED = new RegExp(
  String.raw`(?<![\w.$'"\])])(?<ticks>[\`*_]*)(?<name>[A-Za-z_]\w*)[\`*]*(?<sign>\s*(?:=(?![=>])|:(?!\/)|\u2192|->|=>|\b(?:${VERBS}|(?<last>${LAST_VERBS}))(?=[\s\`*]))\s*)[\`*]*`,
  "g",
);
/** `makes t 4`, `sets t to 4`, `brings t to 4`. */
const MADE =
  /\b(?:makes?|making|sets?|setting|updates?|updating|resets?|changes?|changing|increments?|incrementing|decrements?|increases?|increasing|raises?|brings?|bringing|initiali[sz]es?|initiali[sz]ing|leaves?|leaving|turns?)\s+(?:the (?:variable|value of)\s+)?([`*]*)([A-Za-z_]\w*)[`*]*\s+(?:(?:back )?(?:to|at|as|equal to|into|be)\s+)?[`*]*(?=[-+\d.'"[({TFNtfn])/g;
/** `the value of t after the loop is 9` */
const VALUE_AT =
  /\bvalue\s+(?:of|for)\s+[`*]*([A-Za-z_]\w*)[`*]*\s+(?:after|at|before|by|during|in|on|once|when)\b[^.;:,=?]{0,60}?\s(?:is|was|becomes|equals|will be)\s+[`*]*/g;
/** `t goes from 1 to 3` */
const FROM_TO =
  /(?<![\w.$'"\])])[`*_]*([A-Za-z_]\w*)[`*]*\s+(?:goes|changes|increases|decreases|grows|rises|drops|falls|shrinks|moves|went|changed|is updated|is changed)\s+from\s+[`*]*/g;
const TARGETS = /(?<![\w.])[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+\s*=(?!=)\s*/g;
const MODAL = "(?:will|must|should|does|then|finally|thus|therefore|also|correctly|just|simply)";
const GIVES = `(?:${MODAL}\\s+)*(?:returns?|returned|gives?|yields?|produces?|outputs?|evaluates to|comes out as|results in|is equal to)(?:\\s+(?:us|you|the value|a value of))?`;
/** Words for the result, with the operation they name; "" if it may be another value. */
const RESULTS: readonly { readonly words: RegExp; readonly of: (match: RegExpMatchArray) => string }[] = [
  {
    words:
      /\bfinal\s+(?:answer|result|output|return(?:ed)?(?:\s+value)?)[`*]*\s*(?:is|was|=|:|\u2192|->|will be|equals)[`*]*\s*[`*$]*/gi,
    of: () => "final",
  },
  { words: /\\boxed\s*\{\s*(?=[^{}]*\})|\[ANSWER\]\s*|<answer>\s*|^####\s+/g, of: () => "final" },
  {
    words: new RegExp(
      String.raw`(?<![\w.])([A-Za-z_][\w.]*)(\((?:[^()]|\([^()]*\))*\))[\`*]*\s*(?:${GIVES}|is|==?(?!=)|\u2192|->|=>)[\`*]*\s*[\`*$]*`,
      "g",
    ),
    of: ([, name, given]) => `${name}${given}`,
  },
  {
    words: new RegExp(
      String.raw`\b(?:the|this|our)\s+(?:whole\s+|entire\s+|original\s+)?(?:function|program|code|call)(?:\s+call)?(?:\s+(?!${MODAL}\b)[\`*]*([A-Za-z_]\w*)(?:\([^)]*\))?[\`*]*)?\s+${GIVES}\s*:?[\`*]*\s*[\`*$]*`,
      "gi",
    ),
    of: ([, name]) => name ?? "the function",
  },
  {
    words: /\b(?:the\s+)?return(?:ed)?\s+value(?:\s+is|\s+of|\s*=|:)[`*]*\s*[`*$]*/gi,
    of: () => "the function",
  },
  {
    words:
      /(?<![\w.])(?:answer|result|output|final value|value returned)[`*]*\s*(?:is|was|should be|must be|=|:|\u2192|->|will be|becomes|equals)[`*]*\s*[`*$]*/gi,
    of: () => "",
  },
  {
    words:
      /\b(?:returns?|returned|returning)(?:\s+(?:the\s+)?value)?:?\s+[`*]*(?:[A-Za-z_]\w*[`*]*\s*(?:=|\u2192|->|\(|,? which is)\s*)?[`*$]*/gi,
    of: () => "",
  },
  {
    words:
      /\b(?:it|we|you)\s+(?:gives?|yields?|produces?|outputs?|gets?|obtains?|evaluates? to)\s+(?:us\s+)?[`*$]*/gi,
    of: () => "",
  },
];
/** `8 is returned`, `8 is the answer` */
const VALUE_FIRST = /((?:^|[\s,:])[`*$]*)(?=[-+\d'"[({]|True\b|False\b|None\b)/g;
const RESULT_LAST =
  /^[`*$]*\s+(?:is|will be|gets|as)\s+(?:(?:then\s+)?returned|the\s+(?:final\s+)?(?:answer|result|output|return value))\b/i;
/** `the final value of total is 7`; at the beginning of a sentence, of all that it says. */
const LAST_VALUE =
  /\bfinal\s+(?:value\s+(?:of|for)\s+)?(?:the\s+)?[`*]*([A-Za-z_]\w*)[`*]*\s*(?:is|was|=|:|\u2192|->|equals|becomes)\s*[`*]*/gi;
const AT_THE_END =
  /^\W*(?:(?:so|and|then|thus|finally),?\s+)?(?:at the (?:very )?end(?: of (?:the |its )?(?:function|program|run|execution|call|trace|code))?|in the end|ultimately)\s*[,:]?\s+(?!of\b)/i;
/** Words that retract the claims before them. */
const CORRECTED = /\b(?:wait|no|actually|correction|corrected|sorry|oops|scratch|rather|hmm)\b/i;

/** Splits a text into parts without losing characters. */
export function claimParts(text: string): Part[] {
  const made: { from: number; claims: Claim[]; names: Map<string, number>; place: string; line: number }[] =
    [];
  const lines = text.split("\n");
  const blank = lines.map((line) => line.trim() === "");
  let place: ClaimPlace | null = null;
  let [placed, isHead] = [0, false];
  for (const { text: sentence, at, line, kind, head } of sentencesOf(text)) {
    const places = kind === "prose" ? placesIn(sentence) : [];
    const found = kind === "prose" ? claimsIn(sentence) : kind === "row" ? tableRow(head, sentence) : [];
    // a place named in a separate sentence applies up to the next empty line
    const isOwn = isHead && !blank.slice(placed, line).includes(true);
    const claims: (Claim & { readonly index: number })[] = [];
    for (const { index, value } of found) {
      const named = places.filter((each) => each.index < index).at(-1) ?? places[0];
      const own: ClaimPlace | null = value.place ?? named?.value ?? (kind === "row" ? null : place);
      const inherited = value.place == null && named === undefined && own !== null && !isOwn;
      claims.push({ ...value, place: own, ...(inherited && { inherited }), index });
    }
    if (places.length > 0) {
      place = places.at(-1)!.value;
      placed = line;
      isHead = claims.every(({ quoted }) => quoted === true);
    }
    for (const { index, ...claim } of claims) {
      const key = JSON.stringify(claim.place);
      const last = made.at(-1);
      const before = last?.names.get(claim.name);
      // claimed again on another line: another state, unless the text continues about the same one
      const again = before !== undefined && last?.line !== line;
      const isAnew = claim.place === null || places.length > 0;
      const isLater = before !== undefined && last?.line === line && !CORRECTED.test(lines[line]);
      if (
        last === undefined ||
        last.place !== key ||
        (again && isAnew) ||
        isLater ||
        (kind === "row" && last.line !== line)
      )
        made.push({
          ...{ from: last?.line === line ? at + index : at, claims: [claim], place: key, line },
          names: new Map([[claim.name, at + index]]),
        });
      else {
        last.claims.push(claim);
        last.names.set(claim.name, at + index);
        last.line = line;
      }
    }
  }
  if (made.length === 0) return [{ text, claims: [] }];
  return made.map(({ claims }, i) => ({
    text: text.slice(i === 0 ? 0 : made[i].from, made[i + 1]?.from),
    claims: lastOfEach(claims),
  }));
}

function lastOfEach(claims: readonly Claim[]): Claim[] {
  return [...new Map(claims.map((claim) => [claim.name, claim])).values()];
}

interface Sentence {
  readonly text: string;
  readonly at: number;
  readonly line: number;
  readonly kind: "prose" | "code" | "row";
  /** For a table row: the header. */
  readonly head: string;
}

/** Sentences of prose, rows of tables, comments of code; other lines of a code block are `code`. */
function* sentencesOf(text: string): Generator<Sentence> {
  let fence: { mark: string; language: string } | undefined;
  let head = "";
  let at = 0;
  let opened = -1;
  for (const [line, whole] of text.split("\n").entries()) {
    const start = at;
    at += whole.length + 1;
    const isRow = fence === undefined && /^\s*\|.*\|\s*$/.test(whole);
    if (!isRow) head = "";
    const place = { at: start, line, head };
    const mark = /^\s*(`{3,}|~{3,})\s*(\w*)/.exec(whole);
    if (mark !== null) {
      opened = line;
      if (fence === undefined) fence = { mark: mark[1], language: mark[2].toLowerCase() };
      else if (mark[1].startsWith(fence.mark)) fence = undefined;
      continue;
    }
    const isCode = fence !== undefined && !["json", "text", "state", "yaml"].includes(fence.language);
    if (
      fence !== undefined &&
      opened === line - 1 &&
      /^\s*(?:`{3,}|~{3,})\s*$/.test(text.slice(at)) &&
      isLiteral(whole)
    ) {
      yield { ...place, text: `result: ${whole.trim()}`, kind: "prose" }; // the whole last block
      continue;
    }
    if (isCode && !/^\s*\{.*\}\s*$/.test(whole) && !/^\s*\w+:\s/.test(whole)) {
      const comment = /^([^#'"]*(?:(?:'[^']*'|"[^"]*")[^#'"]*)*)#\s*(.*)$/.exec(whole);
      if (comment !== null) yield { ...place, text: comment[2], kind: "prose" };
      else yield { ...place, text: whole, kind: "code" };
    } else if (/^\s*(?:>>>|\.\.\.)(?:\s|$)/.test(whole)) yield { ...place, text: whole, kind: "code" };
    else if (isRow) {
      if (head === "") head = whole;
      else yield { ...place, text: whole, kind: "row" };
    } else
      for (const { 0: sentence, index } of whole.matchAll(/\S(?:.*?)(?:[.;!?](?=\s)|$)/g))
        yield { ...place, text: sentence, at: start + index, kind: "prose" };
  }
}

function isLiteral(line: string): boolean {
  const found = literalAt(line, line.search(/\S/));
  return found !== undefined && line.slice(found.end).trim() === "";
}

const COLUMN = /^[`*]*([A-Za-z_]\w*)[`*]*(?:\s*\(?(?:after|before|value|now|new)\)?)?$/i;
const PLACES = /^(?:line|time|visit|step|iteration|iter|pass|round|turn|loop)$/i;

/** The cells of a row under the names of the table's head. */
function tableRow(head: string, row: string): Found<Claim>[] {
  if (/^[\s|:-]*$/.test(row)) return [];
  const names = cellsOf(head).map((name) =>
    name.replace(/^(?:line|step|iteration)\s*(?:no\.?|number|#)$/i, (all) => all.split(/\s/)[0]),
  );
  const cells = cellsOf(row);
  const place: { -readonly [K in keyof ClaimPlace]: ClaimPlace[K] } = {};
  for (const [i, name] of names.entries()) {
    const number = Number(
      /^(?:(?:line|step|iteration|pass|round)\s*)?#?(\d{1,6})(?:st|nd|rd|th)?\b/i.exec(cells[i] ?? "")?.[1] ??
        Number.NaN,
    );
    if (!Number.isInteger(number)) continue;
    if (/^(?:iteration|iter|pass|round|turn|loop)$/i.test(name)) place.iteration = number;
    if (number < 1) continue;
    if (/^line$/i.test(name)) place.line = number;
    if (/^(?:time|visit)$/i.test(name)) place.time = number;
    if (/^(?:step|#)$/i.test(name)) place.step = number;
  }
  if (place.line !== undefined) {
    delete place.iteration;
    delete place.step;
  } else delete place.time;
  const at = Object.keys(place).length === 0 ? null : place;
  return names.flatMap((head, i): Found<Claim>[] => {
    const name = COLUMN.exec(head)?.[1];
    const cell = cells[i] ?? "";
    if (name === undefined || PLACES.test(name) || cell === "" || /^[-\u2013\u2014?]$/.test(cell)) return [];
    const value = valueAt(cell, 0);
    const last = value !== undefined && value.end === cell.length ? value.text : cell;
    return [{ index: 0, value: { name, value: last, place: at, cell: true } }];
  });
}

const cellsOf = (row: string) =>
  parts(row.trim().slice(1, -1), "|").map((cell) => cell.trim().replaceAll(/^[`*]+|[`*]+$/g, ""));

/** The claims of a sentence, in their order. */
function claimsIn(sentence: string): Found<Claim>[] {
  const whole = objectClaims(sentence.trim().replace(/[.,;]$/, ""));
  if (whole !== undefined) return whole.map((value) => ({ index: 0, value }));
  if (sentence.length > LONGEST || /\?["')\]]*$/.test(sentence)) return [];
  const found: Found<Claim>[] = [];
  const end = AT_THE_END.test(sentence) ? { end: true as const } : null;
  const isSaid = (from: number) => {
    const before = sentence.slice(0, from);
    return !NOT_SAID.test(before) && !NOT_SAID_IN_CLAUSE.test(before);
  };
  const claim = (index: number, name: string, value: FoundValue, more: Partial<Claim> = {}) => {
    for (const each of value.through ?? [])
      found.push({ index: each.index, value: { name, value: each.text, place: null } });
    const at = value.through === undefined ? index : value.end - value.text.length;
    found.push({ index: at, value: { name, value: value.text, place: null, ...more } });
  };
  const taken: { readonly from: number; readonly to: number }[] = [];
  const isTaken = (from: number) => taken.some((each) => from >= each.from && from < each.to);
  for (const { words, of } of RESULTS) {
    for (const match of sentence.matchAll(words)) {
      const from = match.index;
      const value = valueAt(sentence, from + match[0].length);
      if (value === undefined || isTaken(from) || isListed(sentence, value.end)) continue;
      taken.push({ from, to: value.end });
      // the form in which benches ask
      if (!isSaid(from) && !/^\W*assert\s+$/.test(sentence.slice(0, from))) continue;
      found.push({
        index: from,
        value: { name: "return", value: value.text, place: { end: true }, of: of(match) },
      });
    }
  }
  for (const match of sentence.matchAll(VALUE_FIRST)) {
    const value = literalAt(sentence, match.index + match[1].length);
    if (value === undefined || !RESULT_LAST.test(sentence.slice(value.end)) || !isSaid(match.index)) continue;
    found.push({
      index: match.index,
      value: { name: "return", value: value.text, place: { end: true }, of: "" },
    });
  }
  for (const match of sentence.matchAll(LAST_VALUE)) {
    const value = valueAt(sentence, match.index + match[0].length);
    if (value === undefined || isTaken(match.index) || isListed(sentence, value.end)) continue;
    taken.push({ from: match.index, to: value.end });
    if (isSaid(match.index)) claim(match.index, match[1], value, { place: { end: true } });
  }
  for (const match of sentence.matchAll(TARGETS)) {
    const from = match.index;
    const names = match[0].replace(/\s*=\s*$/, "").split(/\s*,\s*/);
    const values = valuesFrom(sentence, from + match[0].length, names.length);
    if (values === undefined || isTaken(from)) continue;
    taken.push({ from, to: values.end });
    for (const [i, value] of values.texts.entries())
      if (isSaid(from)) found.push({ index: from, value: { name: names[i], value, place: end } });
  }
  for (const match of sentence.matchAll(FROM_TO)) {
    const first = literalAt(sentence, match.index + match[0].length);
    const to = first === undefined ? null : /^[`*]*\s+to\s+[`*]*/.exec(sentence.slice(first.end));
    const value =
      to === null || first === undefined ? undefined : valueAt(sentence, first.end + to[0].length, true);
    if (value === undefined || first === undefined || isTaken(match.index)) continue;
    taken.push({ from: match.index, to: value.end });
    const index = first.end - first.text.length;
    if (isSaid(match.index))
      claim(match.index, match[1], { ...value, through: [{ text: first.text, index }] });
  }
  for (const [words, name] of [
    [MADE, 2],
    [VALUE_AT, 1],
  ] as const)
    for (const match of sentence.matchAll(words)) {
      const value = valueAt(sentence, match.index + match[0].length, true);
      if (value === undefined || isTaken(match.index)) continue;
      taken.push({ from: match.index, to: value.end });
      if (isSaid(match.index)) claim(match.index, match[name], value);
    }
  let at = 0;
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(sentence); match !== null; match = NAMED.exec(sentence)) {
    const [{ length }] = match;
    const { ticks, name, sign, last } = match.groups as Record<string, string>; // its own groups
    const from = match.index;
    NAMED.lastIndex = from + ticks.length + name.length;
    if (from < at || isTaken(from) || !isSaid(from)) continue;
    if (
      /^\s*:/.test(sign) &&
      !/^[\s*>#+-]*(?:\d+[.)]\s*)?[`*"']*$/.test(sentence.slice(0, from)) &&
      !/[,;:]\s*[`*]*$/.test(sentence.slice(0, from))
    )
      continue;
    const value = valueAt(sentence, from + length, !/=|\u2192|->/.test(sign));
    if (value === undefined || isListed(sentence, value.end)) continue;
    at = value.end;
    NAMED.lastIndex = at;
    const items = WHOLE.has(name) ? objectClaims(value.text) : undefined;
    const place = last === undefined ? end : { end: true as const };
    if (items !== undefined)
      for (const each of items) found.push({ index: from, value: { ...each, place: each.place ?? place } });
    else claim(from, name, value, { place, ...(ticks.includes("`") && { quoted: true }) });
  }
  return found.toSorted((a, b) => a.index - b.index);
}

/** `1, 2` after a value: one of several, or a tuple without parentheses. */
function isListed(text: string, end: number): boolean {
  const comma = /^[`*]*\s*,\s*[`*]*(?=[-+\d.'"[({]|True\b|False\b|None\b)/.exec(text.slice(end));
  const next = comma === null ? undefined : literalAt(text, end + comma[0].length);
  return next !== undefined && !/^\s*[=:]/.test(text.slice(next.end));
}

/** Longer sentences do not describe states and are slow to scan. */
const LONGEST = 5_000;

/** This many values separated by commas. */
function valuesFrom(text: string, start: number, count: number) {
  const texts: string[] = [];
  let end = start;
  for (let i = 0; i < count; i++) {
    const value = valueAt(text, end, i < count - 1);
    if (value === undefined) return undefined;
    texts.push(value.text);
    end = value.end;
    if (i < count - 1) {
      const comma = /^\s*,\s*/.exec(text.slice(end));
      if (comma === null) return undefined;
      end += comma[0].length;
    }
  }
  return { texts, end };
}

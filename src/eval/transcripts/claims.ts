/**
 * @file What a text claims about a program's variables, each claim with the place that it speaks of.
 *
 *     After line 5 (2nd time): total = 3, `i` is now 1.      total 3, i 1         at line 5, time 2
 *     | step | a | b |  ...  | 4 | 2 | 1 |                   a 2, b 1             at step 4
 *     total += xs[i]  # total = 3                            total 3              in a block of code: its comments alone
 *     {"line": 5, "state": {"total": 3}}                     total 3              at line 5
 *
 * What is asked, supposed or expected is no claim ("if x = 3", "is x = 3?"), and neither is code. What is claimed of a name last in a step counts.
 */

import type { Claim, ClaimPlace } from "../../records/transcript.ts";
import { parts } from "../source-text.ts";
import { type Found, objectClaims, placesIn, valueAt } from "./reading.ts";

/** A part of a text with one place: a step of its own. */
export interface Part {
  readonly text: string;
  readonly claims: readonly Claim[];
}

/** Names of the whole state, whose items are its variables. */
const WHOLE = new Set(["state", "locals", "variables", "values", "vars", "environment"]);
const NOT_SAID =
  /(?:^|[^\w])(?:if|suppose|supposing|assume|assuming|would|unless|whether|expect|expected|expects|should|while|assert|wanted|until)\b/i;
const NAMED =
  /(?<![\w.$'"])([`*_]*)([A-Za-z_]\w*)[`*]*(\s*(?:==?(?![=])|:(?!\/)|\u2192|->|\bis (?:now|still|again|then)\b|\bis\b|\bbecomes\b|\bholds\b|\bstays\b)\s*)[`*]*/g;
const TARGETS = /(?<![\w.])[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)+\s*=(?!=)\s*/g;
const RETURNED = /\b(?:returns|returned|return value(?: is|:)|final answer(?: is|:))\s+[`*]*/gi;

/** The parts of a text; none of its characters is lost. */
export function partsOf(text: string): Part[] {
  const made: { from: number; claims: Claim[]; names: Set<string>; place: string; line: number }[] = [];
  let place: ClaimPlace | null = null;
  for (const { text: sentence, at, line, kind, head } of sentencesOf(text)) {
    const places = kind === "prose" ? placesIn(sentence) : [];
    const found = kind === "prose" ? claimsIn(sentence) : kind === "row" ? tableRow(head, sentence) : [];
    const claims: Claim[] = [];
    for (const each of found) {
      const named = places.filter(({ index }) => index < each.index).at(-1) ?? places[0];
      const own: ClaimPlace | null = each.value.place ?? named?.value ?? place;
      claims.push({ ...each.value, place: own });
    }
    if (places.length > 0) place = places.at(-1)!.value;
    for (const claim of claims) {
      const key = JSON.stringify(claim.place);
      const last = made.at(-1);
      // said again on another line: of another state, unless it goes on about the same one
      const again = last?.names.has(claim.name) && last.line !== line;
      const isAnew = claim.place === null || places.length > 0;
      if (last === undefined || last.place !== key || (again && isAnew))
        made.push({ from: at, claims: [claim], names: new Set([claim.name]), place: key, line });
      else {
        last.claims.push(claim);
        last.names.add(claim.name);
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
  /** Of a row: that of the names. */
  readonly head: string;
}

/** Sentences of prose, rows of tables, comments of code; what else stands in a block of code is `code`. */
function* sentencesOf(text: string): Generator<Sentence> {
  let fence: { mark: string; language: string } | undefined;
  let head = "";
  let at = 0;
  for (const [line, whole] of text.split("\n").entries()) {
    const start = at;
    at += whole.length + 1;
    const isRow = fence === undefined && /^\s*\|.*\|\s*$/.test(whole);
    if (!isRow) head = "";
    const place = { at: start, line, head };
    const mark = /^\s*(`{3,}|~{3,})\s*(\w*)/.exec(whole);
    if (mark !== null) {
      if (fence === undefined) fence = { mark: mark[1], language: mark[2].toLowerCase() };
      else if (mark[1].startsWith(fence.mark)) fence = undefined;
      continue;
    }
    const isCode = fence !== undefined && !["json", "text", "state", "yaml"].includes(fence.language);
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

/** The cells of a row under the names of the table's head. */
function tableRow(head: string, row: string): Found<Claim>[] {
  if (/^[\s|:-]*$/.test(row)) return [];
  const names = cellsOf(head);
  const cells = cellsOf(row);
  const place: { -readonly [K in keyof ClaimPlace]: ClaimPlace[K] } = {};
  for (const [i, name] of names.entries()) {
    const number = Number(cells[i]);
    if (!Number.isInteger(number) || number < 1) continue;
    if (/^line$/i.test(name)) place.line = number;
    if (/^(?:time|visit)$/i.test(name)) place.time = number;
    if (/^(?:step|#)$/i.test(name)) place.step = number;
  }
  if (place.line === undefined && place.step === undefined) return [];
  return names.flatMap((name, i) =>
    /^[A-Za-z_]\w*$/.test(name) &&
    !/^(?:line|time|visit|step)$/i.test(name) &&
    (cells[i] ?? "") !== "" &&
    !/^[-\u2013\u2014?]$/.test(cells[i])
      ? [{ index: 0, value: { name, value: cells[i], place } }]
      : [],
  );
}

const cellsOf = (row: string) =>
  parts(row.trim().slice(1, -1), "|").map((cell) => cell.trim().replaceAll(/^[`*]+|[`*]+$/g, ""));

/** The claims of a sentence, in their order. */
function claimsIn(sentence: string): Found<Claim>[] {
  const whole = objectClaims(sentence.trim().replace(/[.,;]$/, ""));
  if (whole !== undefined) return whole.map((value) => ({ index: 0, value }));
  if (sentence.length > LONGEST || /\?["')\]]*$/.test(sentence)) return [];
  const found: Found<Claim>[] = [];
  const tuples = [...sentence.matchAll(TARGETS)].map((match) => {
    const from = match.index;
    const names = match[0].replace(/\s*=\s*$/, "").split(/\s*,\s*/);
    const values = valuesFrom(sentence, from + match[0].length, names.length);
    for (const [i, value] of (values?.texts ?? []).entries())
      if (!NOT_SAID.test(sentence.slice(0, from)))
        found.push({ index: from, value: { name: names[i], value, place: null } });
    return { from, to: values?.end ?? from };
  });
  let at = 0;
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(sentence); match !== null; match = NAMED.exec(sentence)) {
    const [{ length }, ticks, name, sign] = match;
    const from = match.index;
    const inTuple = tuples.some((tuple) => from >= tuple.from && from < tuple.to);
    if (from < at || inTuple || NOT_SAID.test(sentence.slice(0, from))) continue;
    if (
      /^\s*:/.test(sign) &&
      !/^[\s*>#+-]*[`*"']*$/.test(sentence.slice(0, from)) &&
      !/[,;]\s*$/.test(sentence.slice(0, from))
    )
      continue;
    const value = valueAt(sentence, from + length, !/=|\u2192|->/.test(sign));
    if (value === undefined) {
      NAMED.lastIndex = from + ticks.length + name.length;
      continue;
    }
    at = value.end;
    NAMED.lastIndex = at;
    const items = WHOLE.has(name) ? objectClaims(value.text) : undefined;
    for (const each of items ?? [{ name, value: value.text, place: null }])
      found.push({ index: from, value: { ...each, ...(ticks.includes("`") && { quoted: true as const }) } });
  }
  for (const match of sentence.matchAll(RETURNED)) {
    const value = valueAt(sentence, match.index + match[0].length);
    if (value !== undefined && !NOT_SAID.test(sentence.slice(0, match.index)))
      found.push({ index: match.index, value: { name: "return", value: value.text, place: { end: true } } });
  }
  return found.toSorted((a, b) => a.index - b.index);
}

/** A sentence longer than this is no sentence about a state, and takes long to look through. */
const LONGEST = 5_000;

/** So many values with commas between them. */
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

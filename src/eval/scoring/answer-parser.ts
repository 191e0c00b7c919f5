/**
 * @file Extracts the answer of a reply as a person would read it: possible readings, likeliest first.
 *
 *     "f gives back n.\n```python\nassert f(17) == 17\n```"     17
 *     "So **assert f(17) == 17**."                             17
 *     "[ANSWER]1[/ANSWER] No: [ANSWER]17[/ANSWER]"              17
 *     "The answer is 17."                                      17, and 17. (a float)
 *     "It may be 17 or 18."                                    none
 *
 * With tags only their content is read, and the last readable pair counts. In prose a value counts if a mark calls it
 * the answer; the last mark of the highest rank counts. If a weaker mark contradicts a stronger one, there is no
 * answer.
 */

import { pythonText } from "../../python/benchmarks/columns.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { answerIn, answersBetween, isMention, ownPart, tag } from "../prompt.ts";
import type { Judgement, Style } from "../question.ts";
import { type Grade, isReadable } from "./grade.ts";
import {
  assertionSides,
  callEnd,
  closedLines,
  deniedBy,
  parts,
  sentenceEnds,
  straightQuotes,
} from "./source-text.ts";

/** The part of a text in the format of a benchmark; undefined if there is none. */
export type Form = (text: string) => string | undefined;

/** `program`: the program of the question. Empty if the reply has no unambiguous answer. */
export function answersIn(
  reply: string,
  style: Style,
  program: string,
  form: Form = valueForm(program),
): string[] {
  const own = ownPart(reply, program);
  const asked = askedSide(program);
  const tagged = answersBetween(own, style);
  const meant = tagged.filter((text) => !isMention(text));
  for (const text of meant.length > 0 ? meant : tagged) {
    const found = answersWithin(text, "direct", asked, form);
    if (found.length > 0) return found;
  }
  return meant.length > 0 ? [] : answersWithin(own.replaceAll(tag, "\n"), style, asked, form);
}

/** The verdict on a reply. Where another reading than the likeliest is right, it is not wrong but unreadable. */
export async function judgeAnswer(
  reply: string,
  asked: { readonly style: Style; readonly program: string; readonly form?: Form },
  grade: (answer: string) => Grade | Promise<Grade>,
): Promise<Judgement> {
  const [answer, ...others] = answersIn(reply, asked.style, asked.program, asked.form);
  if (answer === undefined) {
    const extracted = answerIn(reply, asked.style) ?? null;
    const graded = extracted === null ? undefined : await grade(extracted);
    const words = graded?.kind === "unreadable" ? graded.words : "no answer in the reply";
    return { extracted, grade: { kind: "unreadable", words } };
  }
  if (answer.startsWith("not "))
    return { extracted: answer, grade: { kind: "wrong", words: "it is denied" } };
  const graded = await grade(answer);
  if (graded.kind === "wrong")
    for (const other of others)
      if ((await grade(other)).kind === "correct")
        return { extracted: answer, grade: { kind: "unreadable", words: "the answer has two readings" } };
  return { extracted: answer, grade: graded };
}

/** One value: a literal alone, or the other side of an assertion about what was asked; `not 3` of an assertion that denies it. */
export function valueForm(program: string): Form {
  const asked = askedSide(program);
  return (text) => {
    if (text.startsWith("#")) return undefined; // a heading, to Python a comment
    const denied = deniedBy(text);
    if (denied !== undefined) {
      const sides = assertionSides(denied);
      const value = sides.length > 1 ? valueAmong(sides, asked) : undefined;
      return value === undefined ? undefined : `not ${value}`;
    }
    const [name, value, ...more] = parts(text, "=");
    const isAssigned = more.length === 0 && asked !== "" && compact(name) === asked && value !== undefined;
    return isAssigned && isReadable(value.trim()) ? value.trim() : valueAmong(assertionSides(text), asked);
  };
}

function valueAmong(sides: readonly string[], asked: string): string | undefined {
  const others = sides.length === 1 ? sides : sides.filter((side) => compact(side) !== asked);
  const values = others.filter(isReadable);
  const isChain = sides.length > 2 && values.length < others.length;
  return isChain || new Set(values.map(compact)).size > 1 ? undefined : values[0];
}

/** The side of the program's last assertion that is known, without white space and brackets around it. */
export function askedSide(program: string): string {
  const last = program.trimEnd().split("\n").at(-1)!; // a text has a line
  return compact(assertionSides(last).find((side) => !side.includes("??")) ?? "");
}

const compact = (text: string) => text.replaceAll(/\s+/g, "").replaceAll('"', "'");

/** Something that a reply may mean as its answer. */
interface Claim {
  readonly at: number;
  readonly text: string;
  readonly rank: number;
  /** Code, read literally: a trailing point is part of a number. */
  readonly exact?: boolean;
  /** Printed, so that a text has lost its quotes. */
  readonly printed?: boolean;
  /** Occurs alone: read as a whole; two that differ are no answer. */
  readonly alone?: boolean;
}

/** Certainty of a mark; from `weak` on a claim counts only if no other of its rank differs. */
const rank = { answer: 1, output: 2, result: 3, weak: 4, hedged: 5, other: 6 } as const;

/** Limits of the search: the last claims of each kind; characters of one of them, and of all but the likeliest; marks around a value. */
const most = { claims: 400, line: 10_000, characters: 300_000, wrappers: 100 };

function answersWithin(text: string, style: Style, asked: string, form: Form): string[] {
  const whole = readingsOf({ at: 0, text, rank: rank.answer, alone: true }, form);
  if (whole.length > 0) return whole;
  const claims = claimsIn(text, style, asked).toSorted((a, b) => a.rank - b.rank || b.at - a.at);
  let left = most.characters;
  let best: { readonly claim: Claim; readonly readings: string[] } | undefined;
  for (const claim of claims) {
    if (left < 0) break;
    if (best !== undefined && !contests(claim, best.claim, text)) continue;
    left -= claim.text.length;
    const readings = readingsOf(claim, form);
    if (best === undefined && readings.length > 0) best = { claim, readings };
    else if (
      best !== undefined &&
      readings.length > 0 &&
      !readings.some((each) => best!.readings.includes(each))
    )
      return [];
  }
  return best?.readings ?? [];
}

/**
 * Whether a differing claim makes the answer ambiguous: both alone, both weak, or a weaker one contradicting a
 * stronger one.
 */
function contests(other: Claim, best: Claim, text: string): boolean {
  if (other.alone && best.alone) return true;
  if (other.rank === best.rank) return best.rank === rank.weak || best.rank === rank.hedged;
  return (
    other.rank <= rank.weak &&
    other.at > best.at &&
    correction.test(text.slice(best.at, Math.min(other.at, best.at + most.line)))
  );
}

const correction =
  /\b(?:wait|actually|correction|sorry|oops|mistaken?|wrong|incorrect|on second thought|scratch that|no,|rather)\b/i;

function claimsIn(text: string, style: Style, asked: string): Claim[] {
  const unfenced = text.replaceAll(fence, blank);
  const prose = unfenced.replaceAll(assertion, blank);
  const about = (subject: string) => asked !== "" && compact(subject.replaceAll(/[`*]/g, "")) === asked;
  return [
    ...fencesIn(text, about),
    ...assertions(unfenced, 0, about),
    ...sessionsIn(prose, 0, about),
    ...callsIn(prose, about),
    ...named(prose),
    ...labels(text),
    ...marked(unfenced, about),
    ...ends(unfenced, style),
  ];
}

const blank = (found: string) => " ".repeat(found.length);
const assertion = /(?<![\w'"])assert\b[^\n]*/g;
const fence = /```[\w-]*[ \t]*\n([\s\S]*?)(?:```|$)/g;

function fencesIn(text: string, about: (subject: string) => boolean): Claim[] {
  return lastOf(text, fence).flatMap(({ index, 1: inside }) => {
    const code = withoutLastLine(inside);
    return [
      { at: index, text: code, rank: rank.result, exact: true },
      ...assertions(code, index, about).map((claim) => ({ ...claim, exact: true })),
      ...sessionsIn(code, index, about),
      ...callsIn(code.replaceAll(assertion, blank), about).map((claim) => ({
        ...claim,
        at: index + claim.at,
      })),
    ];
  });
}

/** The text before the closing mark of a fence, without its newline. */
function withoutLastLine(inside: string): string {
  let end = inside.length;
  while (end > 0 && " \t".includes(inside[end - 1])) end--;
  return inside.slice(0, inside[end - 1] === "\n" ? end - 1 : end);
}

/** Assertions; one with open brackets continues on the next line. */
function assertions(text: string, offset: number, about: (subject: string) => boolean): Claim[] {
  return lastOf(text, assertion).map(({ index, 0: line }) => {
    const whole = closedLines(text, index, line.length);
    const isAbout = whole.length <= most.line && assertionSides(whole).some(about);
    return { at: offset + index, text: withoutMarks(whole), rank: isAbout ? rank.answer : rank.other };
  });
}

/** The matches that are looked at, each the last of what begins with it. */
const lastOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].slice(-most.claims);

/** Without the white space, the semicolon and the marks of bold and code at its end. */
function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 1 && /[\s*`;]/.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/** `>>> f(17)` and what is printed below. */
function sessionsIn(text: string, offset: number, about: (subject: string) => boolean): Claim[] {
  return [
    ...text.matchAll(/^>>> ?([^\n]*)\n(?:\.\.\.[^\n]*\n)*((?!>>>|\.\.\.)[^\n]+(?:\n(?!>>>)[^\n]+)*)/gm),
  ].flatMap(({ index, 1: entered, 2: printed }) => {
    const inside = /^print\(([\s\S]*)\)$/.exec(entered.trim())?.[1];
    const isAbout = about(inside ?? entered);
    return [printed, printed.split("\n")[0]].map((text) => ({
      ...{ at: offset + index, text, exact: true, printed: inside !== undefined },
      rank: isAbout ? rank.answer : rank.other,
    }));
  });
}

const gives =
  "(?:(?:will|would|should|must|then|which|always|is going to)\\s+)?(?:returns?|gives?|prints?|yields?|evaluates? to|outputs?|produces?|results? in|equals?|becomes?|is equal to|is|be)\\b\\s*:?";
const behindCall = new RegExp(
  `[\`*]*\\s*(?:,?\\s*)(?:={1,2}(?!=)|->|=>|\\u2192|\\u21d2|:|${gives})[ \\t]*(?=\\S)`,
  "y",
);

/** `f(17) -> 17`, `f(17)` returns `17`, ?? = 17. */
function callsIn(text: string, about: (subject: string) => boolean): Claim[] {
  return lastOf(text, /(?<![\w.])[^\W\d]\w*\(|\?\?/gu).flatMap(({ index, 0: start }) => {
    const end = start === "??" ? index + 2 : callEnd(text, index);
    behindCall.lastIndex = end ?? 0;
    if (end === undefined || !behindCall.test(text)) return [];
    const subject = text.slice(index, end);
    const place = { at: index, rank: start === "??" || about(subject) ? rank.answer : rank.other };
    const value = closedLines(text, behindCall.lastIndex);
    return [
      { ...place, text: value },
      ...(start === "??" ? [] : [{ ...place, text: `${subject} == ${value}` }]),
    ];
  });
}

const noun =
  /(?<![\w</'"])(final answer|final value|final output|final result|answer|solution|output|result|value)s?\b([^\n:=?{}[\]<>]{0,60}?)(?::|=|->|\u2192|\bis\b|\bare\b|\bbe\b|\bequals\b|\bbecomes\b)[*_`]*[ \t]*(?:(?:exactly|simply|just|therefore|thus|then|now):?[ \t]+|[:=][ \t]*)?(?=\S)/gi;
const verb =
  /\b(?:returns|gives|prints|outputs|yields|evaluates to|results in|produces)\b[ \t]*:?[ \t]+(?=\S)/gi;
const hedge = /\b(?:may|might|could|can|cannot|not|never|perhaps|maybe|possibly)\b|n['\u2019]t\b|\bif\b/i;

/** Values that prose calls the answer. */
function named(text: string): Claim[] {
  const nouns = lastOf(text, noun).map(({ index, 0: found, 1: name, 2: between }) => {
    const sure = /answer|solution|final/i.test(name)
      ? rank.answer
      : /output/i.test(name)
        ? rank.output
        : rank.result;
    const ofOther = /\bof\s+[`*]*[^\W\d]\w*\(/.test(between) ? rank.weak : sure;
    const value = closedLines(text, index + found.length);
    return { at: index, text: value, rank: hedge.test(between) ? rank.hedged : ofOther };
  });
  const verbs = lastOf(text, verb).map(({ index, 0: found }) => {
    const before = text
      .slice(Math.max(0, index - 40), index)
      .split("\n")
      .at(-1)!; // a text has a line
    const value = closedLines(text, index + found.length);
    return { at: index, text: value, rank: hedge.test(before) ? rank.hedged : rank.result };
  });
  const boxes = lastOf(text, /\\boxed\s*\{/g).flatMap(({ index, 0: open }) => {
    const inside = inBraces(text, index + open.length);
    return inside === undefined ? [] : [{ at: index, text: inside, rank: rank.answer }];
  });
  const tags = lastOf(
    text,
    /<(\w{0,20}(?:answer|output|result)\w{0,20})>((?:(?!<\1>)[\s\S]){0,10000}?)<\/\1>/gi,
  );
  const tagged = tags.map(({ index, 2: inside }) => ({ at: index, text: inside, rank: rank.answer }));
  return [...nouns, ...verbs, ...boxes, ...tagged];
}

/** Up to the brace that closes. */
function inBraces(text: string, start: number): string | undefined {
  let depth = 1;
  for (let at = start; at < Math.min(text.length, start + most.line); at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(start, at);
  }
  return undefined;
}

/** A line that says that the answer follows, and what follows it. */
function labels(text: string): Claim[] {
  const label =
    /^[#*>\s-]*(?:so |thus |therefore,? )?(?:(?:the|my) )?((?:final |correct )?(?:answer|solution|output|result))s?(?: is| would be| will be)?[*:\s]*\n\s*(\S[\s\S]*?)(?=\n\s*\n|$(?![\s\S]))/gim;
  return lastOf(text, label).map(({ index, 1: name, 2: value }) => ({
    at: index,
    text: value,
    rank: /answer|solution|final/i.test(name) ? rank.answer : rank.output,
  }));
}

/** Bold and code: an assertion in one is as good as any. */
function marked(text: string, about: (subject: string) => boolean): Claim[] {
  return lastOf(text, /\*\*(?!\s)(.+?)\*\*|(?<!`)`([^`\n]+)`(?!`)/g).map(({ index, 1: bold, 2: code }) => {
    const span = bold ?? code;
    return {
      at: index,
      text: span,
      rank: assertionSides(span).some(about) ? rank.answer : rank.weak,
      alone: true,
    };
  });
}

/**
 * Answers that occur alone: at the beginning of a completion, at the end of a thought, or as the only line that is a
 * value.
 */
function ends(text: string, style: Style): Claim[] {
  const lines: Claim[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    if (line.trim() !== "") lines.push({ at, text: line, rank: rank.weak, alone: true });
    at += line.length + 1;
  }
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== "");
  if (style === "cot")
    return [...lines.slice(-1), ...paragraphs.slice(-1).map((text) => ({ at, text, alone: true }))].map(
      (claim) => ({
        ...{ ...claim, rank: rank.answer },
      }),
    );
  const first = [
    ...lines.slice(0, 1),
    ...paragraphs.slice(0, 1).map((text) => ({ at: 0, text, alone: true })),
  ];
  return [...first.map((claim) => ({ ...claim, rank: rank.output })), ...lines.slice(1).slice(-most.claims)];
}

/** Possible meanings of a claim, likeliest first: unchanged, without marks, and up to possible ends of its sentence. */
function readingsOf({ text, exact = false, printed = false, alone = false }: Claim, form: Form): string[] {
  const readings: string[] = [];
  const add = (candidate: string) => {
    const reading = form(candidate);
    if (reading !== undefined && !readings.includes(reading)) readings.push(reading);
  };
  if (exact && answerOfJson(text.trim()).length === 0) add(text);
  for (const inside of bare(text)) {
    for (const each of written(inside)) add(each);
    if (readings.length > 0 || alone) break;
  }
  if (printed && readings.length > 0) add(JSON.stringify(text.trim()));
  return readings;
}

/** The whole first, then its beginnings, the longest first: each without marks of bold, code and mathematics around it. */
function* bare(text: string): Generator<string> {
  const whole = unmarked(text);
  yield whole;
  const ends = sentenceEnds(whole);
  for (const end of ends.toReversed()) yield unmarked(whole.slice(0, end).replace(/[,;:\s]+$/, ""));
}

function unmarked(text: string): string {
  let inside = text.trim();
  for (let wrappers = 0; wrappers < most.wrappers; wrappers++) {
    const before = inside;
    inside = inside
      .replace(/^(?:=>|->|={1,2}(?!=)|[\u2192\u21d2])\s*/, "")
      .replace(/^(?:the )?(?:final )?(?:answer|output|result)\s*(?::|is)\s+(?=\S)/i, "")
      .replace(/^\\(?:text|texttt|textbf|mathrm|mathtt|boxed)\s*\{([\s\S]*)\}$/, "$1")
      .replace(/^\$+([\s\S]*?)\$+(?=[.,;!]*$)/, "$1")
      .replace(/^\\[([]([\s\S]*)\\[)\]](?=[.,;!]*$)/, "$1")
      .replace(/^```[\w-]*[ \t]*\n?([\s\S]*?)\n?```$/, "$1");
    const end = /[.!;:,]*$/.exec(inside)!.index; // it may be the end itself
    for (const mark of ["***", "**", "__", "`", "*"])
      if (
        end > 2 * mark.length &&
        inside.startsWith(mark) &&
        inside.indexOf(mark, mark.length) === end - mark.length
      )
        inside = inside.slice(mark.length, end - mark.length) + inside.slice(end);
    inside = inside.trim();
    if (inside === before) break;
  }
  return inside;
}

/** The ways in which one value may have been written: with a point at its end, with curly quotes, as JSON. */
function written(text: string): string[] {
  const json = answerOfJson(text);
  const sentence = /[^.][.!;]$/.test(text) ? [text.replace(/[.!;]$/, "")] : [];
  const thousands = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?[.!;]?$/.test(text)
    ? [text.replaceAll(/[,!;]|\.$/g, "")]
    : [];
  const plain = text
    .replaceAll(/[\u2212\u2012\u2013](?=\d)/g, "-")
    .replaceAll("\u00a0", " ")
    .replaceAll(/\\([{}_%#&$])/g, "$1");
  const straight = straightQuotes(plain);
  const other = [plain, straight]
    .filter((each) => each !== text)
    .flatMap((each) => [each.replace(/[.!;]$/, ""), each]);
  return [...json, ...thousands, ...sentence, text, ...(readLiteral(text) === undefined ? other : [])];
}

/** The answer field of a JSON object: its text, or its value. */
function answerOfJson(text: string): string[] {
  if (!/^\{[\s\S]*\}$/.test(text)) return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const entries = Object.entries(json as object); // the text is in braces, so this is an object
  const value = entries.filter(([name]) => /^(?:final[_ ]?)?(?:answer|output|result|value)$/i.test(name));
  if (value.length !== 1) return [];
  const [[, answer]] = value;
  return typeof answer === "string" ? [answer, JSON.stringify(answer)] : [pythonText(answer)];
}

/**
 * @file Scans Python source as text, skipping strings and brackets.
 *
 *     parts("f([1, 2], 'a == b') == 3", "==")     ["f([1, 2], 'a == b') ", " 3"]
 */

/** An unclosed string extends to the end, so it is scanned once, however many quotes it has. */
const token =
  /[A-Za-z]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*(?:\1|$)|[A-Za-z]{0,2}"(?:\\[\s\S]|[^"\\\n])*"?|[A-Za-z]{0,2}'(?:\\[\s\S]|[^'\\\n])*'?|#[^\n]*|[([{]|[)\]}]|[=!<>]=|[^\W\d]\w*|[\s\S]/gu;

/** The text cut at every separator (one token: `,`, `==`, `=`) outside of strings, comments and brackets. */
export function parts(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    else if (depth === 0 && found === separator) {
      pieces.push(text.slice(start, match.index));
      start = match.index + found.length;
    }
  }
  return [...pieces, text.slice(start)];
}

/** The lines from `start` up to where all brackets are closed; only the first line if that is too far away. */
export function closedLines(text: string, start: number, least = 0): string {
  const near = text.slice(start, start + Math.max(least, longestCall));
  let depth = 0;
  for (const { 0: found, index } of near.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    else if (found === "\n" && depth <= 0) return near.slice(0, index);
  }
  return depth <= 0 && start + near.length >= text.length ? near : near.split("\n")[0];
}

/**
 * The condition of an assertion, as Python parses it: without `assert`, the message and outer brackets. A message
 * inside of the brackets, which makes a tuple that is always true, is treated as a message.
 *
 *     assert (f(17) == 17, "so")     f(17) == 17
 *     assert f(17) == 1, 2           f(17) == 1
 */
export function claimText(text: string): string {
  const [, word, rest] = /^(assert\b)?\s*([\s\S]*)$/.exec(text.trim())!; // every text is of this form
  let claim = word === undefined ? rest : parts(rest, ",")[0].trim();
  for (let before = ""; before !== claim; ) {
    before = claim;
    if (!/^\([\s\S]*\)$/.test(claim)) break;
    const inside = claim.slice(1, -1);
    if (!opensOnce(inside)) break; // the first bracket closes before the end
    const [first, message, ...more] = parts(inside, ",");
    const isMessage = word !== undefined && /^\s*[fFrRuU]{0,2}["']/.test(message ?? "") && more.length === 0;
    const alone = message === undefined || isMessage;
    if (alone && (parts(first, "==").length > 1 || parts(first, "is").length > 1)) claim = first.trim();
  }
  return claim;
}

/** Whether every closing bracket has an opening one in the text. */
function opensOnce(text: string): boolean {
  let depth = 0;
  for (const [found] of text.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found) && --depth < 0) return false;
  }
  return true;
}

/** Operators that make a comparison more than an equality of its sides. */
const otherOperators = new Set("or and not if else lambda in != < > <= >=".split(" "));

/** All sides of what an assertion claims to be equal by `==`, or both by `is`; else the whole alone. */
export function assertionSides(text: string): string[] {
  const { claim, negations } = withoutNegations(text);
  if (negations % 2 === 1 || hasOtherOperators(claim)) return [claimText(text)];
  const [equal, same] = ["==", "is"].map((separator) => parts(claim, separator));
  const isSame = same.length === 2 && (/^\s*assert\b/.test(text) || callParts(same[0]) !== undefined);
  const sides = equal.length > 1 ? equal : isSame ? same : [claim];
  return sides.map((side) => bound(side.trim()));
}

/** The negated text: `f(17) == 17` of `assert not f(17) == 17`; undefined without a negation. */
export function deniedBy(text: string): string | undefined {
  const { claim, negations } = withoutNegations(text);
  return negations % 2 === 1 ? claim : undefined;
}

function withoutNegations(text: string): { readonly claim: string; readonly negations: number } {
  let claim = claimText(text);
  let negations = 0;
  for (; /^not\b/.test(claim); negations++) claim = claimText(claim.slice("not".length));
  return { claim, negations };
}

function hasOtherOperators(claim: string): boolean {
  let depth = 0;
  for (const [found] of claim.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    else if (depth === 0 && otherOperators.has(found)) return true;
  }
  return false;
}

/** `f(17)` of `(y := f(17))`. */
function bound(side: string): string {
  const inside = /^\(\s*[^\W\d]\w*\s*:=([\s\S]*)\)$/u.exec(side)?.[1];
  return inside !== undefined && opensOnce(inside) ? inside.trim() : side;
}

/** `f` and `1, [2]` of `f(1, [2])`; undefined if the text is not a single call. */
export function callParts(text: string): { readonly name: string; readonly input: string } | undefined {
  const [, name, rest] = /^\s*([^\W\d]\w*)\s*(\([\s\S]*)$/u.exec(text) ?? [];
  if (rest === undefined) return undefined;
  let depth = 0;
  for (const { 0: found, index } of rest.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found) && --depth === 0) {
      const behind = rest.slice(index + 1);
      return /^\s*(?:#[^\n]*)?$/.test(behind) ? { name, input: rest.slice(1, index) } : undefined;
    }
  }
  return undefined;
}

/** End of the call whose name begins at `start`; undefined if it is not closed on its line. */
export function callEnd(text: string, start: number): number | undefined {
  const line = text.slice(start, start + longestCall).split("\n")[0];
  let depth = 0;
  for (const { 0: found, index } of line.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found) && --depth === 0) return start + index + 1;
  }
  return undefined;
}
const longestCall = 5_000;

/**
 * Possible ends of a sentence that begins with a value: outside of strings and brackets, never before an alternative
 * (", or 18").
 */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(token)) {
    const rest = text.slice(index, index + 40);
    if (depth === 0 && index > 0 && goesOn.test(rest)) ends.push(index);
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    if (ends.length >= mostEnds || found === "?") break;
  }
  return ends;
}
const mostEnds = 12;
/** `. `, `, a tuple`, ` because`, ` (that is`, ` \u2014`; not `, or 18`. */
const goesOn =
  /^(?:[.!;:]+(?=\s|$)|[*`]*,\s+(?!or\b|and\b|maybe\b|perhaps\b|if\b|unless\b|either\b)(?=[a-z])|\s+(?:because|since|as|which|when|where|after|for|so|in|with|by|from|not|a|the|at|once|that|due|is|and (?=(?:it|this|that|the|so|not)\b))\b|\s+[(\u2013\u2014]|\s+-{1,2}\s+(?=[a-z])|\s+#\s|\n|[*`]+[.,;:]?\s+(?=[a-z(\u2013\u2014]))/i;

/** With the curly quotes around texts as Python has them; those within straight quotes stay. */
export function straightQuotes(text: string): string {
  return text.replaceAll(
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\u201c\u201d\u201e]([^\u201c\u201d\n]*)[\u201c\u201d]|[\u2018\u2019\u201a]([^\u2018\u2019\n]*)[\u2018\u2019]/g,
    (found, double?: string, single?: string) => {
      const inside = double ?? single;
      return inside === undefined ? found : `"${inside.replaceAll(/(?<!\\)"/g, '\\"')}"`;
    },
  );
}

/** The source with its names replaced; strings, comments, attributes and names of keyword arguments stay. */
export function renamed(source: string, names: ReadonlyMap<string, string>): string {
  let before = "";
  return source.replaceAll(token, (found, ...rest) => {
    const dotted = before === ".";
    const opened = before === "(" || before === ",";
    if (/\S/.test(found)) before = found;
    if (!names.has(found)) return found; // return early: looking ahead for each token would take quadratic time
    const at = rest.find((each): each is number => typeof each === "number")!; // the match's place is among them
    const keyword = opened && /^\s*=(?!=)/.test(source.slice(at + found.length));
    return dotted || keyword ? found : names.get(found)!; // it is one of them
  });
}

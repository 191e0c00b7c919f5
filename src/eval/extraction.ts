/**
 * @file What a reply gives as its answer, read as a person reads it: the texts that may be meant, the likeliest first. Whoever
 * judges takes the first that can be read; where none can, the first.
 *
 *     "f gives back n.\n```python\nassert f(17) == 17\n```"     assert f(17) == 17
 *     "So **assert f(17) == 17**."                             assert f(17) == 17
 *     "[PYTHON] (the program once more) [/PYTHON]\n[ANSWER]17"  17
 *
 * Between tags nothing else is looked at. A value in running prose is only taken where the prose says that it is the answer.
 */

import { answerIn, stopMark } from "./prompt.ts";
import type { Style } from "./question.ts";
import { isClosed } from "./source-text.ts";

/** `program`: what was asked about, to know it when the reply repeats it. */
export function answersIn(reply: string, style: Style, program: string): string[] {
  if (style === "cot" && !reply.includes("[ANSWER]")) return unique(concluding(reply));
  const scopes = [answerIn(reply, style), ...(style === "direct" ? behindRepeated(reply, program) : [])];
  return unique(scopes.flatMap((scope) => (scope === undefined ? [] : answersWithin(scope))));
}

const unique = (texts: readonly string[]) => [
  ...new Set(texts.map((text) => text.trim()).filter((text) => text !== "")),
];

/** A thought without tags has an answer where its last line is one, or says that it is. */
function concluding(reply: string): string[] {
  const last = reply
    .trimEnd()
    .replace(/\n```$/, "")
    .split("\n")
    .at(-1)!; // of any text there is one line
  const whole = bare(last);
  const claim = /\bassert\b.*==.*$/.exec(last)?.[0];
  return [
    ...assertions(last),
    ...(claim === undefined ? [] : [bare(claim)]),
    ...named(last),
    ...(/^(?:[-+]?[\d.]|[bBrRuU]?["']|[([{]|(?:None|True|False)$|set\()/.test(whole) ? [whole] : []),
  ];
}

/** The answer behind the program that was asked about, where a reply writes it again, or in it. */
function behindRepeated(reply: string, program: string): string[] {
  const opening = /\[(?:PYTHON|TEXT)\]\n?/.exec(reply);
  if (opening === null) return [];
  const rest = reply.slice(opening.index + opening[0].length);
  const closing = /\[\/(?:PYTHON|TEXT)\]/.exec(rest);
  if (closing === null) return [];
  const [before, block] = [reply.slice(0, opening.index), rest.slice(0, closing.index)];
  const behind = rest.slice(closing.index + closing[0].length);
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const [asked, again] = [lines(program), lines(block)];
  if (before.includes(stopMark) || asked.slice(0, -1).join("\n") !== again.slice(0, -1).join("\n")) return [];
  const completed = asked.at(-1) === again.at(-1) ? [] : again.slice(-1);
  const said = answerIn(behind, "direct");
  return said === undefined ? completed : [...completed, said];
}

function answersWithin(text: string): string[] {
  const fences = [...text.matchAll(/```[a-z]*[ \t]*\n([\s\S]*?)(?:```|$)/gi)]
    .map(([, inside]) => withoutLastLine(inside))
    .reverse();
  const spans = [
    ...text.replaceAll(/```[\s\S]*?```/g, "").matchAll(/\*\*(?!\s)(.+?)\*\*|(?<!`)`([^`\n]+)`(?!`)/g),
  ].map(([, bold, code]) => bare(bold ?? code));
  const claims = spans.filter((span) => span.includes("==")).reverse();
  const single = new Set(spans).size === 1 ? spans : [];
  const asserted = assertions(text);
  return [
    ...(asserted.length === 0 ? [bare(text)] : []),
    ...fences.flatMap((fence) => [...assertions(fence), fence]),
    ...asserted,
    ...claims,
    ...named(text),
    ...[bare(text.split(/\n\s*\n/)[0]), bare(text.split("\n")[0])],
    ...single,
    ...(asserted.length === 0 ? [] : [text]),
  ];
}

/** What stands before the closing mark of a fence, without the end of its line. */
function withoutLastLine(inside: string): string {
  let end = inside.length;
  while (end > 0 && " \t".includes(inside[end - 1])) end--;
  return inside.slice(0, inside[end - 1] === "\n" ? end - 1 : end);
}

/** What is read, in all, to find where assertions end that are not closed in their line. */
const mostRead = 2_000_000;

/** Assertions that begin a line, the last first; one that is not closed goes on in the next line. */
function assertions(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/^[\s>*`\d.-]*(?=assert\b)/, ""));
  let left = mostRead;
  const found = lines.flatMap((line, start) => {
    if (!/^assert\b/.test(line)) return [];
    for (let end = start + 1, whole = line; end <= lines.length && left > 0; whole += `\n${lines[end++]}`) {
      left -= whole.length;
      if (isClosed(whole)) return [withoutMarks(whole)];
    }
    return [line];
  });
  return found.reverse();
}

/** Without the white space, the semicolon and the marks of bold and code at its end. */
function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 1 && /[\s*`;]/.test(text[end - 1])) end--;
  return text.slice(0, end);
}

/** What the prose calls the answer, the last first: as it stands, and up to where the sentence goes on. */
function named(text: string): string[] {
  const said = [
    /\b(?:answer|output|result|value)\b[^\n:=]{0,60}?(?::|\bis\b|\bbe\b)[ \t]*(\S[^\n]*)$/gim,
    /\b(?:returns|gives|prints)\b[ \t]*:?[ \t]+(\S[^\n]*)$/gim,
    /\\boxed\{([^{}\n]*)\}/g,
    /<answer>([^<]*)<\/answer>/gi,
  ];
  const found = said.flatMap((form) => [...text.matchAll(form)]);
  const inOrder = found.toSorted((a, b) => b.index - a.index);
  return inOrder.flatMap(([, value]) => {
    const whole = value.replace(/^\*+\s+/, "").trim();
    const sentence = whole.split(/,\s+(?=[a-z])/i)[0];
    return [whole, sentence].map((each) => bare(each.replace(/(?<=\S)\.$/, "")));
  });
}

/** Without the marks of bold and code around the whole. */
function bare(text: string): string {
  for (let inside = text.trim(); ; ) {
    const end = inside.endsWith(".") ? inside.length - 1 : inside.length;
    if (end > 4 && inside.startsWith("**") && inside.endsWith("**", end))
      inside = inside.slice(2, end - 2).trim();
    else if (end > 2 && inside.startsWith("`") && inside.indexOf("`", 1) === end - 1)
      inside = inside.slice(1, end - 1).trim();
    else return /^[-+]?\d+\.$/.test(inside) ? inside.slice(0, -1) : inside; // a number at the end of a sentence
  }
}

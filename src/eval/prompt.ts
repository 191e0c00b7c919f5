/**
 * @file The few-shot prompt: examples, then the program with `??` in the place of what is asked.
 *
 *     INSTRUCTION
 *
 *     [PYTHON]                              an example; `??` is what is unknown
 *     def f(n):
 *         return n
 *     assert f(17) == ??
 *     [/PYTHON]
 *     [ANSWER]                              with a chain of thought, [THOUGHT] ... [/THOUGHT] stands before it
 *     assert f(17) == 17
 *     [/ANSWER]
 *
 *     [PYTHON] ... [/PYTHON]                the program that is asked about
 *     [ANSWER]                              here the model goes on
 *
 * A chat gets the same text as its one message, so that both protocols are asked the same.
 * Source: the form of Gu et al. 2024, arXiv:2401.03065, in the variants of "Grounding Code Understanding" (2024).
 */

import { fail } from "../core/error.ts";
import { readLiteral } from "../python/values/literal.ts";
import { unknown } from "../tasks/task-prompt.ts";
import { filled, type PromptForm } from "./prompt-template.ts";
import type { Predict, Style } from "./question.ts";

export { unknown };

export interface Shot {
  readonly program: string;
  readonly thought: string;
  readonly answer: string;
}

export interface Prompt {
  readonly instruction: string;
  readonly shots: readonly Shot[];
  readonly program: string;
  /** What stands around every program; PYTHON if not said. */
  readonly mark?: Mark;
}

/** PYTHON for what Python runs, TEXT for all else. */
export type Mark = "PYTHON" | "TEXT";
const beginning = /\[(?:PYTHON|TEXT)\]/;
export const stopMark = "[/ANSWER]";

export function promptText(
  { instruction, shots: known, program, mark = "PYTHON" }: Prompt,
  style: Style,
  { shots: most = known.length, template }: PromptForm = {},
  predict: Predict = "output",
): string {
  if (most > known.length) fail("--shots", `at most ${known.length}, which the bench has`, most);
  const shots = known.slice(0, most);
  const asked = (text: string) => `[${mark}]\n${text.replace(/\n+$/, "")}\n[/${mark}]\n`;
  const examples = shots.map(({ program: example, thought, answer }) => {
    const thinking = style === "cot" ? `[THOUGHT]\n${thought}\n[/THOUGHT]\n` : "";
    return `${asked(example)}${thinking}[ANSWER]\n${answer}\n${stopMark}\n\n`;
  });
  if (template !== undefined)
    return filled(template(style, predict), {
      ...{ instruction, shots: examples.join("").trimEnd(), program: program.replace(/\n+$/, "") },
    });
  const how = style === "cot" ? ` ${thinkFirst}` : "";
  return `${instruction}${how}\n\n${examples.join("")}${asked(program)}${style === "cot" ? "[THOUGHT]" : "[ANSWER]"}\n`;
}

const thinkFirst = "Work it out step by step between [THOUGHT] and [/THOUGHT] before you answer.";

/** The program that is asked about, behind the examples; all of the prompt where it has no marks. */
export function lastProgram(prompt: string): string {
  return prompt.split(beginning).at(-1)!; // of any text there is one part
}

/**
 * What a reply gives as its answer, without tags and code fences; undefined where there is none. A direct prompt ends
 * with the opening tag, so that a reply may begin with the answer itself; after a chain of thought the tag must be there.
 */
export function answerIn(reply: string, style: Style, isReadable = (_: string) => true): string | undefined {
  const own = ownPart(reply, "");
  const tagged = answersBetween(own, style).map(unfenced);
  const meant = tagged.filter((text) => !isMention(text));
  const untagged = meant.length === 0 && style === "direct" ? [unfenced(own.replaceAll(tag, "\n"))] : [];
  const answers = [...meant, ...untagged].filter((text) => text !== "");
  return answers.find(isReadable) ?? answers[0];
}

/** Of the prompt's marks those around an answer. */
export const tag = /\[\/?(?:ANSWER|THOUGHT)\]/gi;

function unfenced(text: string): string {
  const inside = /^```[a-z]*\n([\s\S]*?)\n?```/.exec(text.trim())?.[1] ?? text;
  return (/^`([^`]*)`$/.exec(inside.trim())?.[1] ?? inside).trim();
}

/** What stands between the tags, the last pair first; a direct reply may leave out the first opening tag, any the last closing one. */
export function answersBetween(reply: string, style: Style): string[] {
  return between(reply, "ANSWER", style === "direct");
}

/** What stands between [NAME] and [/NAME], the last pair first. `isOpen`: the text begins within a pair. */
export function between(text: string, name: string, isOpen = false): string[] {
  const pieces = text.split(new RegExp(`\\[/${name}\\]`, "i"));
  const found = pieces.flatMap((piece, i) => {
    const inside = piece.split(new RegExp(`\\[${name}\\]`, "i"));
    if (inside.length > 1) return inside.slice(-1);
    return isOpen && i === 0 && pieces.length > 1 ? [piece] : [];
  });
  return found.reverse();
}

/** Whether what stands between tags shows that they are only spoken of: `[ANSWER] and [/ANSWER]`. */
export const isMention = (text: string) =>
  /^(?:\s*|\s*(?:\.{3}|\u2026)\s*|(?:[`'"*]+\s)?\s*(?:and|or|to|then|,)\s*(?:\s[`'"*]+)?)$/i.test(text);

const block = /\[(PYTHON|TEXT)\]([\s\S]*?)(?:\[\/\1\]|$)/gi;

/**
 * A reply up to where it goes on with a program of its own, as a server that knows no stop lets it. Of the program that was asked about,
 * written once more, the last line is left where that is not the question's; a lone assertion in these marks is an answer.
 */
export function ownPart(reply: string, program: string): string {
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const asked = lines(program);
  let own = "";
  let at = 0;
  for (const { 0: whole, index, 2: inside } of reply.matchAll(block)) {
    own += reply.slice(at, index);
    at = index + whole.length;
    const again = lines(inside);
    if (isMention(inside)) continue;
    const last = again.at(-1)!; // it is more than white space
    const isAsked = again.length > 1 && asked.slice(0, -1).join("\n") === again.slice(0, -1).join("\n");
    const isAnswer = again.length === 1 && (/^assert\b/.test(last) || readLiteral(last) !== undefined);
    if (last.includes(unknown) ? !isAsked || last !== asked.at(-1) : !isAsked && !isAnswer) return own;
    if (!last.includes(unknown)) own += `\n${last}\n`;
  }
  return own + reply.slice(at);
}

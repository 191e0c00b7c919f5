/**
 * @file The few-shot prompt: examples, then the program with `??` for the unknown part.
 *
 *     INSTRUCTION
 *
 *     [PYTHON]                              an example; `??` is the unknown part
 *     def f(n):
 *         return n
 *     assert f(17) == ??
 *     [/PYTHON]
 *     [ANSWER]                              with a chain of thought, after [THOUGHT] ... [/THOUGHT]
 *     assert f(17) == 17
 *     [/ANSWER]
 *
 *     [PYTHON] ... [/PYTHON]                the question
 *     [ANSWER]                              continued by the model
 *
 * A chat gets the same text as its only message, so both protocols see the same prompt.
 * Source: the form of Gu et al. 2024, arXiv:2401.03065, in the variants of "Grounding Code Understanding" (2024).
 */

import { fail } from "../core/error.ts";
import { readLiteral } from "../python/values/literal.ts";
import { unknown } from "../tasks/task-prompt.ts";
import type { Predict, PromptForm, Style } from "./question.ts";

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
  /** The marks around every program; PYTHON by default. */
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
  if (most > known.length) fail("--few-shot", `at most ${known.length}, the examples of the benchmark`, most);
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

/** The program of the question, after the examples; the whole prompt if it has no marks. */
export function lastProgram(prompt: string): string {
  return prompt.split(beginning).at(-1)!; // split returns at least one part
}

/**
 * The answer in a reply, without tags and code fences; undefined if there is none. A direct prompt ends with the
 * opening tag, so the reply may begin with the answer; after a chain of thought the tag is required.
 */
export function answerIn(reply: string, style: Style, isReadable = (_: string) => true): string | undefined {
  const own = ownPart(reply, "");
  const tagged = answersBetween(own, style).map(unfenced);
  const meant = tagged.filter((text) => !isMention(text));
  const untagged = meant.length === 0 && style === "direct" ? [unfenced(own.replaceAll(tag, "\n"))] : [];
  const answers = [...meant, ...untagged].filter((text) => text !== "");
  return answers.find(isReadable) ?? answers[0];
}

/** The marks of the prompt around an answer. */
export const tag = /\[\/?(?:ANSWER|THOUGHT)\]/gi;

function unfenced(text: string): string {
  const inside = /^```[a-z]*\n([\s\S]*?)\n?```/.exec(text.trim())?.[1] ?? text;
  return (/^`([^`]*)`$/.exec(inside.trim())?.[1] ?? inside).trim();
}

/**
 * The texts between the tags, last pair first; a direct reply may omit the first opening tag, any reply the last
 * closing one.
 */
export function answersBetween(reply: string, style: Style): string[] {
  return between(reply, "ANSWER", style === "direct");
}

/** The texts between [NAME] and [/NAME], last pair first. `isOpen`: the text begins inside a pair. */
export function between(text: string, name: string, isOpen = false): string[] {
  const pieces = text.split(new RegExp(`\\[/${name}\\]`, "i"));
  const found = pieces.flatMap((piece, i) => {
    const inside = piece.split(new RegExp(`\\[${name}\\]`, "i"));
    if (inside.length > 1) return inside.slice(-1);
    return isOpen && i === 0 && pieces.length > 1 ? [piece] : [];
  });
  return found.reverse();
}

/** Whether the text between tags shows that they are only mentioned: `[ANSWER] and [/ANSWER]`. */
export const isMention = (text: string) =>
  /^(?:\s*|\s*(?:\.{3}|\u2026)\s*|(?:[`'"*]+\s)?\s*(?:and|or|to|then|,)\s*(?:\s[`'"*]+)?)$/i.test(text);

const block = /\[(PYTHON|TEXT)\]([\s\S]*?)(?:\[\/\1\]|$)/gi;

/**
 * The reply up to where it continues with another program, as servers without stop texts allow. If it repeats the
 * program of the question, its last line is kept unless it is the question's; a lone assertion in these marks is an
 * answer.
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

const place = /\{(\w+)\}/g;
const places = ["instruction", "shots", "program"];

/**
 * A prompt from a file with placeholders that a benchmark fills in:
 *
 *     What does this program assert?             {instruction}   the instruction of the benchmark
 *                                                {shots}         its worked examples, each as above
 *     {program}                                  {program}       the question, with ?? for the unknown part
 *     Answer between [ANSWER] and [/ANSWER].
 *
 * A file `prompts.py` is read as CRUXEval's: the text returned by its function make_STYLE_PREDICT_prompt, with
 * {program} in place of `{code}\nassert f({input}) == ??`. So its exact prompts can be used, shots included.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065, for the names of these functions.
 * @throws LabError if {program} is missing or a placeholder is unknown.
 */
export function promptTemplate(text: string, at: string): NonNullable<PromptForm["template"]> {
  if (at.endsWith(".py")) return (style, predict) => pythonTemplate(text, at, style, predict);
  checked(text, at);
  return () => text;
}

function pythonTemplate(source: string, at: string, style: Style, predict: Predict): string {
  const name = `make_${style}_${predict}_prompt`;
  const text = new RegExp(`^def ${name}\\(\\w+\\):[^]*?return f"""([^]*?)"""`, "m").exec(source)?.[1];
  if (text === undefined) return fail(at, `a function ${name} that returns f"""..."""`, "none");
  const asked = predict === "output" ? "{code}\nassert f({input}) == ??" : "{code}\nassert f(??) == {output}";
  return checked(
    text.replace(asked, () => "{program}"),
    `${at}, ${name}`,
  );
}

function checked(text: string, at: string): string {
  const found = [...text.matchAll(place)].map(([, name]) => name);
  const unknown = found.find((name) => !places.includes(name));
  if (unknown !== undefined) fail(at, `{${places.join("}, {")}} and no other place`, `{${unknown}}`);
  if (found.filter((name) => name === "program").length !== 1)
    fail(
      at,
      "one {program}, where the program stands",
      String(found.filter((name) => name === "program").length),
    );
  return text;
}

/** Values are inserted unchanged, braces included. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(place, (whole, name) => values[name] ?? whole);
}

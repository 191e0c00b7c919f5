/**
 * @file Prompt templates: a file with placeholders that a benchmark fills in.
 *
 *     What does this program assert?             {instruction}   the instruction of the benchmark
 *                                                {shots}         its worked examples, each as in prompt.ts
 *     {program}                                  {program}       the question, with ?? for the unknown part
 *     Answer between [ANSWER] and [/ANSWER].
 *
 * A file `prompts.py` is read as CRUXEval's: the text returned by its function make_STYLE_PREDICT_prompt, with
 * {program} in place of `{code}\nassert f({input}) == ??`. So its exact prompts can be used, shots included.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065, for the names of these functions.
 */

import { fail } from "../core/error.ts";
import type { Predict, PromptForm, Style } from "./question.ts";

export type { PromptForm };

const place = /\{(\w+)\}/g;
const places = ["instruction", "shots", "program"];

/** @throws LabError if {program} is missing or a placeholder is unknown. */
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
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(place, (whole, name) => values[name] ?? whole);
}

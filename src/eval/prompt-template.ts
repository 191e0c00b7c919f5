/**
 * @file A prompt in words of one's own: a file with places for what a bench fills in, and how many worked examples there are.
 *
 *     What does this program assert?             {instruction}   the bench's own words
 *                                                {shots}         its worked examples, each as in prompt.ts
 *     {program}                                  {program}       what is asked about, with ?? for what is unknown
 *     Answer between [ANSWER] and [/ANSWER].
 *
 * A file `prompts.py` is read as CRUXEval's own: of its function make_STYLE_PREDICT_prompt the text that it returns, in which
 * `{code}\nassert f({input}) == ??` is what is called {program} here. So its exact words are asked, shots included, from a copy of it.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065, for the names of these functions.
 */

import { fail } from "../core/error.ts";
import type { Predict, PromptForm, Style } from "./question.ts";

export type { PromptForm };

const place = /\{(\w+)\}/g;
const places = ["instruction", "shots", "program"];

/** @throws LabError where the file has no {program}, or a place that nobody fills. */
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

/** What stands in a place is taken as it is, braces included. */
export function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(place, (whole, name) => values[name] ?? whole);
}

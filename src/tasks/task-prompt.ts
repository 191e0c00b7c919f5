/**
 * @file Tasks as prompts for people and language models: plain data, and a function of an example.
 *
 *     instruction     Below are Python programs that end with an assertion that contains ??. ...
 *     text            p = 1 \n p ^= 0 \n assert p == ??
 *     expected        1
 *
 * A task defines its prompt by `ask`. By default the last reveal is asked: the text up to it is shown, or the whole text if the state
 * is asked and not written. The caller adds worked examples and the answer format.
 */

import type { Example, InWords, Prepared, Task, WordQuestion } from "./task.ts";

/** Placeholder for the answer. */
export const unknown = "??";

export type { InWords, WordQuestion };

/** The task's own prompt, or the default. */
export function inWords<Params>(task: Task<Params>, params: Params, prepared: Prepared): InWords {
  if (task.ask !== undefined) return task.ask(params);
  const about = `Below are examples of this: ${task.summary}.`;
  if (prepared.asks === "states")
    return stateAfter(`${about} ?? stands for what holds after the last word`, prepared.values);
  return {
    instruction: `${about} ?? stands for the value that comes next. Say that value alone`,
    language: "text",
    answers: prepared.values,
    question: lastReveal,
  };
}

/** The text up to its last reveal, whose value is asked. */
export function lastReveal({ text, reveals }: Example): WordQuestion {
  const { start, variable, value, commands } = reveals.at(-1)!; // an example has a reveal
  return {
    text: text.slice(0, start) + unknown,
    expected: value,
    thought: `After the last command ${variable} is ${value}.`,
    steps: commands,
  };
}

/** A program whose last line asserts one value. Its steps are the lines before it. */
export const lastAssertion: InWords = {
  instruction:
    "Below are Python programs that end with an assertion in which ?? stands for a value. Say which value makes it hold: that value alone",
  language: "Python",
  answers: "literal",
  question(example) {
    const { text, expected } = lastReveal(example);
    return asserted(text.slice(0, -unknown.length), expected, text.trimEnd().split("\n").length - 1);
  },
};

/** `before` ends where the asserted value begins: `... assert a == `. */
export function asserted(before: string, value: string, steps: number): WordQuestion {
  const name = /assert (\S+) == $/.exec(before)?.[1] ?? "the value";
  return {
    text: before + unknown,
    expected: value,
    thought: `After the last line ${name} is ${value}.`,
    steps,
  };
}

/** The whole text, and a line that asks for the unwritten state. */
export function stateAfter(meaning: string, names: readonly string[]): InWords {
  return {
    instruction: `${meaning}. Say that value alone`,
    language: "text",
    answers: names,
    question({ text, reveals }) {
      const { variable, value, commands } = reveals.at(-1)!; // an example has a reveal
      return {
        text: `${text}\n${variable} = ${unknown}`,
        expected: value,
        thought: `After the last word ${variable} is ${value}.`,
        steps: commands,
      };
    },
  };
}

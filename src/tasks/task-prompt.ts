/**
 * @file How a task is asked in words, of people and of language models: plain data, and a function of an example.
 *
 *     instruction     Below are Python programs that end with an assertion in which ?? stands for a value. Say ...
 *     text            p = 1 \n p ^= 0 \n assert p == ??
 *     expected        1
 *
 * A task says it by `ask`. One that does not is asked about its last reveal: the text up to it is shown, or the whole
 * text where the state is asked for and not written. Who asks adds worked examples and how an answer is marked.
 */

import type { Example, InWords, Prepared, Task, WordQuestion } from "./task.ts";

/** Stands for what is asked for. */
export const unknown = "??";

export type { InWords, WordQuestion };

/** What the task says, or what can be said of any. */
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

/** The text up to its last reveal; its value is asked for. */
export function lastReveal({ text, reveals }: Example): WordQuestion {
  const { start, variable, value, commands } = reveals.at(-1)!; // an example asks for something
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

/** The whole text, and a line below it that asks for the state which no word of it says. */
export function stateAfter(meaning: string, names: readonly string[]): InWords {
  return {
    instruction: `${meaning}. Say that value alone`,
    language: "text",
    answers: names,
    question({ text, reveals }) {
      const { variable, value, commands } = reveals.at(-1)!; // an example asks for something
      return {
        text: `${text}\n${variable} = ${unknown}`,
        expected: value,
        thought: `After the last word ${variable} is ${value}.`,
        steps: commands,
      };
    },
  };
}

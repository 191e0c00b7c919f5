/**
 * @file REPL traces: a session that permutes values, with the last reveal asked for. What was revealed before stays in it.
 *
 *     >>> a = 1 ...     >>> a, b = b, a     >>> print('a', a)     a 2     ...     >>> print('b', b)     b ??
 */

import { z } from "zod";
import { exampleFrom, exampleStream, prepareTask, tasks } from "../../tasks/index.ts";
import { gradeLiteral } from "../grade.ts";
import { answerIn, promptText, type Shot, stopMark, unknown } from "../prompt.ts";
import { defineBench } from "../question.ts";

const Params = z.strictObject({
  programs: z.int().min(1).default(200),
  variables: z.int().min(2).max(8).default(3),
  commandKind: z.enum(["swap", "permutation"]).default("swap"),
  commands: z.int().min(1).max(10_000).default(12),
  /** Commands per reveal. */
  spacing: z.int().min(1).default(4),
  reveal: z.enum(["partial", "full"]).default("partial"),
});

export const repl = defineBench<z.infer<typeof Params>>({
  name: "repl",
  summary: "a Python session that permutes values and sometimes prints one: what is printed last?",
  source: tasks.repl.source,
  params: Params,
  arms: ["function"],
  predict: ["output"],
  stop: [stopMark],
  prepare({ programs, ...task }, { seed, style }) {
    const prepared = prepareTask(tasks.repl, task);
    const drawn = (split: string) => {
      const stream = exampleStream(seed, split);
      return (index: number) => {
        const example = exampleFrom(prepared, stream(index));
        const { start, value, variable, commands } = example.reveals.at(-1)!; // a session has one reveal at least
        return { program: example.text.slice(0, start) + unknown, value, variable, commands };
      };
    };
    const [asked, examples] = [drawn("ask/repl"), drawn("ask/repl/shots")];
    const shots = [0, 1].map((index): Shot => {
      const { program, value, variable } = examples(index);
      return { program, thought: `After the last command ${variable} is ${value}.`, answer: value };
    });
    return {
      count: programs,
      excluded: [],
      question(index) {
        const { program, value, commands } = asked(index);
        return {
          id: `repl_${index}`,
          arm: "function",
          predict: "output",
          steps: commands,
          expected: value,
          next: (replies) =>
            replies.length === 0 ? promptText({ instruction, shots, program }, style) : undefined,
          async judge([reply]) {
            const extracted = answerIn(reply, style);
            if (extracted === undefined)
              return { extracted: null, grade: { kind: "unreadable", words: "no answer in the reply" } };
            return { extracted, grade: gradeLiteral(extracted, value) };
          },
        };
      },
    };
  },
});

const instruction =
  "Below are Python sessions whose last line of output is not finished: ?? stands for the value that is printed there. Say that value alone, between [ANSWER] and [/ANSWER].";

/**
 * @file Debugger benchmark: given a program, its current stop and a command, the model predicts the next stop and the
 * changed variables.
 *
 *     line 3:     a %= 2
 *     line 4:     return a
 *     line 3: {a: 6, b: 1}
 *     next
 *     ??                             expected: line 4: {a: 0}
 *
 * Programs and ceilings are those of the task; each question has a separate program, so the prompt shows no other
 * answer. Spacing, quoting and the order of variables do not matter; missing or extra variables are wrong.
 */

import { z } from "zod";
import { debuggerInstruction, debuggerTask } from "../../tasks/debugger.ts";
import { exampleStream, taskParams } from "../../tasks/index.ts";
import { promptText, type Shot, stopMark } from "../prompt.ts";
import { defineBench } from "../question.ts";
import { type Form, judgeAnswer } from "../scoring/answer-parser.ts";
import type { Grade } from "../scoring/grade.ts";
import { askedTask, Programs } from "./task-benchmark.ts";

const Params = z.looseObject({ programs: Programs }).transform(({ programs, ...rest }) => ({
  programs,
  ...taskParams(debuggerTask, { ...rest, questions: 1 }),
}));

const instruction = `${debuggerInstruction}. Say it in the same form, between [ANSWER] and [/ANSWER].`;

export const debuggerBench = defineBench<z.infer<typeof Params>>({
  name: "debugger",
  summary: "a debugger command at a position of a run: where does it stop, and what changes?",
  source: debuggerTask.source,
  params: Params,
  arms: ["function"],
  predict: ["output"],
  stop: [stopMark],
  prepare({ programs, ...params }, { seed, style, form = {} }) {
    const { words, example, references } = askedTask(debuggerTask, params);
    const drawn = (split: string, i: number) => example(exampleStream(seed, split)(i));
    const shots = Array.from({ length: form.shots ?? 2 }, (_, i): Shot => {
      const { text, thought, expected } = words.question(drawn("ask/debugger/shots", i));
      return { program: text, thought, answer: expected };
    });
    return {
      count: programs,
      excluded: [],
      question(index) {
        const { text, expected } = words.question(drawn("ask/debugger", index));
        const command = text
          .trimEnd()
          .split("\n")
          .at(-2)!
          .replace(/ line \d+$/, ""); // the line above the placeholder of the answer
        return {
          ...{
            id: `debugger_${index}_${command.replaceAll(" ", "-")}`,
            arm: "function",
            predict: "output",
            steps: null,
          },
          expected,
          next: (replies) =>
            replies.length === 0
              ? promptText({ instruction, shots, program: text, mark: "TEXT" }, style, form)
              : undefined,
          judge: ([reply]) =>
            judgeAnswer(reply, { style, program: text, form: stopForm }, (answer) =>
              graded(answer, expected),
            ),
        };
      },
      references() {
        const known = Array.from(
          { length: programs },
          (_, i) => references!.exactBayes(drawn("ask/debugger", i))[0],
        );
        return { exactBayes: known.reduce((sum, share) => sum + share, 0) / programs };
      },
    };
  },
});

const stopForm: Form = (text) => (readStop(text) === undefined ? undefined : text);

function graded(answer: string, expected: string): Grade {
  const stop = readStop(answer);
  if (stop === undefined) return { kind: "unreadable", words: "the answer is no stop" };
  return stop === readStop(expected) ? { kind: "correct" } : { kind: "wrong", words: "another stop" };
}

/** Normalizes a stop: `line 4: {'b': 1, a : 0}` becomes `line 4: {a: 0, b: 1}`; undefined if it cannot be parsed. */
export function readStop(text: string): string | undefined {
  const found = /^(?:(call|return),? )?line (\d+):? ?\{(.*)\}$/i.exec(text.trim().replaceAll(/\s+/g, " "));
  if (found === null) return undefined;
  const [, event = "", line, inside] = found;
  const held = new Map<string, string>();
  for (const part of inside.split(",")) {
    if (part.trim() === "" && inside.trim() === "") continue;
    const value = /^ ?["']?([a-z])["']? ?[:=] ?(-?\d+) ?$/.exec(part);
    if (value === null || held.has(value[1])) return undefined;
    held.set(value[1], String(Number(value[2])));
  }
  const values = [...held].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `${event.toLowerCase()} ${Number(line)} ${values.map((each) => each.join("=")).join(",")}`;
}

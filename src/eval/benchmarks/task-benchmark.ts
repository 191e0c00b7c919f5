/**
 * @file A task as a benchmark: its examples in its prompt format (tasks/task-prompt.ts), after two worked ones.
 *
 *     taskBench(tasks.recall)      parameters: those of the task, and the number of programs
 *
 * Reports the accuracy of the task's computed solvers on the same questions next to the model's.
 */

import { z } from "zod";
import type { Rng } from "../../core/rng.ts";
import {
  type Example,
  exampleFrom,
  exampleStream,
  type InWords,
  inWords,
  type Prepared,
  type Task,
  taskParams,
} from "../../tasks/index.ts";
import { promptText, type Shot, stopMark } from "../prompt.ts";
import { type Bench, type BenchInput, defineBench, type Question, type QuestionSet } from "../question.ts";
import { type Form, judgeAnswer, valueForm } from "../scoring/answer-parser.ts";
import { gradeLiteral, gradeName } from "../scoring/grade.ts";
import { parts } from "../scoring/source-text.ts";

/** The source of examples, and their prompts. */
export interface AskedTask {
  readonly words: InWords;
  example(rng: Rng): Example;
  readonly references?: Prepared["references"];
}

/** A task with its parameters fixed, as data. @throws LabError naming the parameter. */
export function askedTask<Params>(task: Task<Params>, given: unknown): AskedTask {
  const params = taskParams(task, given);
  const prepared = task.prepare(params);
  return {
    words: inWords(task, params, prepared),
    example: (rng) => exampleFrom(prepared, rng),
    ...(prepared.references !== undefined && { references: prepared.references }),
  };
}

/** Any task, under its own name and with its own parameters. */
export function taskBench<Params>(task: Task<Params>): Bench {
  return programBench({
    ...task,
    params: z
      .looseObject({ programs: Programs })
      .transform(({ programs, ...rest }) => ({ programs, ...taskParams(task, rest) })),
    task: ({ programs: _, ...rest }) => askedTask(task, rest),
  }) as unknown as Bench; // it takes exactly what its own schema gives
}

export const Programs = z.int().min(1).default(200).describe("Number of programs");

interface ProgramBench<Params> extends Pick<Bench<Params>, "name" | "summary" | "source"> {
  readonly params: z.ZodType<Params>;
  /** Published worked examples; without them they are made as the questions are. */
  readonly shots?: readonly Shot[];
  task(params: Params): AskedTask;
}

/** A benchmark with extra parameters, which select the task. */
export function programBench<Params extends { readonly programs: number }>(
  bench: ProgramBench<Params>,
): Bench<Params, never> {
  const { name, summary, source, params, shots, task } = bench;
  return defineBench<Params>({
    ...{ name, summary, source, params },
    arms: ["function"],
    predict: ["output"],
    stop: [stopMark],
    prepare: (given, input) => questionsOf(name, given.programs, task(given), input, shots),
  });
}

function questionsOf(
  name: string,
  count: number,
  { words, example, references = {} }: AskedTask,
  { seed, style, form = {} }: BenchInput<never>,
  published?: readonly Shot[],
): QuestionSet {
  const stream = exampleStream(seed, `ask/${name}`);
  const examples = exampleStream(seed, `ask/${name}/shots`);
  const made = (i: number): Shot => {
    const { text, thought, expected } = words.question(example(examples(i)));
    return { program: text, thought, answer: expected };
  };
  const shots = published ?? Array.from({ length: form.shots ?? 2 }, (_, i) => made(i));
  const instruction = `${words.instruction}, between [ANSWER] and [/ANSWER].`;
  const mark = words.language === "Python" ? "PYTHON" : "TEXT";
  return {
    count,
    excluded: [],
    question(index): Question {
      const { text, steps, expected } = words.question(example(stream(index)));
      return {
        ...{ id: `${name}_${index}`, arm: "function", predict: "output", steps, expected },
        next: (replies) =>
          replies.length === 0
            ? promptText({ instruction, shots, program: text, mark }, style, form)
            : undefined,
        judge: ([reply]) =>
          judgeAnswer(reply, { style, program: text, form: formOf(words.answers, text) }, (answer) =>
            words.answers === "literal"
              ? gradeLiteral(answer, expected)
              : gradeName(answer, expected, words.answers),
          ),
      };
    },
    ...(Object.keys(references).length > 0 && { references: known }),
  };

  /** Accuracy of each solver's best guess; the queried value is revealed last. */
  function known() {
    const asked = Array.from({ length: count }, (_, index) => example(stream(index)));
    const mean = (right: readonly number[]) => right.reduce((sum, each) => sum + each, 0) / count;
    const last = (solver: (example: Example) => number[]) => mean(asked.map((each) => solver(each).at(-1)!));
    return Object.fromEntries(Object.entries(references).map(([name, solver]) => [name, last(solver)]));
  }
}

/** An answer may repeat what it completes: `assert p == 1`, `parity = 1`. */
function formOf(answers: InWords["answers"], program: string): Form {
  if (answers === "literal") return valueForm(program);
  return (text) => [text, parts(text, "=").at(-1)!.trim()].find((each) => answers.includes(each)); // there is always one part
}

/**
 * @file S_5: the values of five variables after N permutations, in two modes.
 *
 *     a, b, c, d, e = 1, 2, 3, 4, 5
 *     a, b, c, d, e = c, e, b, a, d
 *     # a=3 b=5 c=2 d=1 e=4
 *
 * `free`: one reply with every command, the values after it, and the answer. `forced`: one reply per command; the
 * true command replaces the model's, the values stay the model's. This separates errors in the commands from errors
 * in the state. Correct: all five final values.
 *
 * Source: Siems et al. 2026, arXiv:2602.14814.
 */

import { z } from "zod";
import type { Rng } from "../../core/rng.ts";
import { exampleFrom, exampleStream, prepareTask, tasks } from "../../tasks/index.ts";
import { answerIn, stopMark } from "../prompt.ts";
import { defineBench, type Judgement, type Question } from "../question.ts";

const Params = z.strictObject({
  programs: z.int().min(1).default(50).describe("Programs for each number of commands"),
  commands: z
    .array(z.int().min(1).max(1024))
    .min(1)
    .default([8, 16, 32, 64, 128])
    .describe("Numbers of permutations"),
  mode: z
    .array(z.enum(["free", "forced"]))
    .min(1)
    .default(["free", "forced"])
    .describe("The model writes the commands (free), or the prompt contains them (forced)"),
});

const names = ["a", "b", "c", "d", "e"] as const;
const left = names.join(", ");

export interface S5Program {
  readonly first: string;
  readonly commands: readonly string[];
  /** states[t]: values after t commands. */
  readonly states: readonly (readonly number[])[];
}

/** A REPL session without prompts and prints, its initial values on one line. */
export function s5Program(commands: number, rng: Rng): S5Program {
  const session = prepareTask(tasks.repl, {
    ...{ variables: 5, commandKind: "permutation", promptStyle: "script" },
    ...{ commands, spacing: commands },
  });
  const { text, states } = exampleFrom(session, rng);
  const held = states.map(({ values }) => names.map((name) => Number(values[name])));
  const lines = text.split("\n").slice(names.length, names.length + commands);
  return { first: `${left} = ${held[0].join(", ")}`, commands: lines, states: held };
}

const stateLine = (values: readonly number[]) =>
  `# ${names.map((name, i) => `${name}=${values[i]}`).join(" ")}`;

export const s5 = defineBench<z.infer<typeof Params>>({
  name: "s5",
  summary: "five variables after N permutations: the model writes the commands, or reads them",
  source: "arXiv:2602.14814",
  params: Params,
  arms: ["function"],
  armSetting: "mode",
  predict: ["output"],
  fixedPrompt: true,
  stop: [stopMark],
  // a command and the values after it are about 50 tokens
  replyTokens: ({ commands }) => 300 + 60 * Math.max(...commands),
  prepare({ programs, commands, mode }, { seed }) {
    const example = s5Program(3, exampleStream(seed, "ask/s5/shot")(0));
    const kinds = commands.flatMap((n) => mode.map((how) => ({ n, how })));
    return {
      count: kinds.length * programs,
      excluded: [],
      question(index): Question {
        const { n, how } = kinds[Math.floor(index / programs)];
        const which = index % programs;
        const program = s5Program(n, exampleStream(seed, `ask/s5/${n}`)(which));
        const final = program.states[n];
        const base = {
          id: `s5_${n}_${which}`,
          arm: how,
          predict: "output",
          steps: n,
          expected: final.join(", "),
        } as const;
        return how === "free"
          ? { ...base, ...freeRun(program, example) }
          : { ...base, ...forced(program, example) };
      },
    };
  },
});

type Asking = Pick<Question, "next" | "judge">;

function freeRun(program: S5Program, example: S5Program): Asking {
  const prompt = [
    `Below are Python programs that permute the values of five variables. Go through the program: write each of its lines, and under it the values of all five. Then put the five last values, as ${stateLine([1, 2, 3, 4, 5])}, between [ANSWER] and [/ANSWER].`,
    whole(example),
    `[THOUGHT]\n${walk(example, example.commands.length)}\n[/THOUGHT]\n[ANSWER]\n${stateLine(example.states.at(-1)!)}\n${stopMark}`, // never empty
    whole(program),
    "[THOUGHT]\n",
  ].join("\n\n");
  return {
    next: (replies) => (replies.length === 0 ? prompt : undefined),
    judge: async ([reply]) => judged(answerIn(reply, "cot", hasValues), program),
  };
}

function forced(program: S5Program, example: S5Program): Asking {
  const head = `Below are lines of Python that permute the values of five variables, each with the values after it. Go on with the values after the last line: ${stateLine([1, 2, 3, 4, 5])} and nothing else, between [ANSWER] and [/ANSWER].`;
  const shot = `${walk(example, example.commands.length - 1)}\n${example.commands.at(-1)}\n[ANSWER]\n${stateLine(example.states.at(-1)!)}\n${stopMark}`; // never empty
  return {
    next(replies) {
      if (replies.length >= program.commands.length) return undefined;
      const own = replies.map((reply, t) => `${program.commands[t]}\n${claimed(reply)}\n`);
      const lines = [
        program.first,
        "\n",
        stateLine(program.states[0]),
        "\n",
        ...own,
        program.commands[replies.length],
      ];
      return `${head}\n\n${shot}\n\n${lines.join("")}\n[ANSWER]\n`;
    },
    judge: async (replies) => judged(answerIn(replies.at(-1) ?? "", "direct", hasValues), program),
  };
}

/** The values in the reply, or its first line: quoted in the next prompt. */
function claimed(reply: string): string {
  const answer = answerIn(reply, "direct", hasValues) ?? "";
  const values = valuesIn(answer);
  return values === undefined
    ? `# ${answer.split("\n")[0].replace(/^#\s*/, "").slice(0, 80)}`
    : stateLine(values);
}

const whole = ({ first, commands }: S5Program) => `[PYTHON]\n${[first, ...commands].join("\n")}\n[/PYTHON]`;

function walk({ first, commands, states }: S5Program, until: number): string {
  const steps = commands.slice(0, until).map((line, t) => `${line}\n${stateLine(states[t + 1])}`);
  return [first, stateLine(states[0]), ...steps].join("\n");
}

/** The five values of the last line that has them, `a=3 b=5 ...`, or `3, 5, 2, 1, 4` alone; or of the last five lines that have one each. */
function valuesIn(text: string): number[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  for (let end = lines.length; end > 0; end--) {
    const values = valuesOf(lines[end - 1]) ?? oneEach(lines.slice(Math.max(0, end - names.length), end));
    if (values !== undefined) return values;
  }
  return undefined;
}

function valuesOf(line: string): number[] | undefined {
  const named = names.map((name) => new RegExp(`\\b${name}['"]?\\s*[=:]\\s*(\\d+)\\b`).exec(line)?.[1]);
  if (named.every((value) => value !== undefined)) return named.map(Number);
  const listed = /^\W*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\W*$/.exec(
    line.replace(/^.*(?:[=:]|\b(?:is|are)\b)/i, ""),
  );
  return listed?.slice(1).map(Number);
}

/** `a = 3` or `3` in each line. */
function oneEach(lines: readonly string[]): number[] | undefined {
  const found = lines.map((line) => /^\W*(?:([a-e])\W*[=:]\W*)?(\d+)\W*$/.exec(line));
  const values = new Map(found.map((each, i) => [each?.[1] ?? i, Number(each?.[2])] as const));
  const inOrder = [names, [...names.keys()]].map((keys) => keys.map((key) => values.get(key)));
  return inOrder.find((each): each is number[] => each.every((value) => Number.isFinite(value)));
}

const hasValues = (text: string) => valuesIn(text) !== undefined;

function judged(answer: string | undefined, { states }: S5Program): Judgement {
  const values = answer === undefined ? undefined : valuesIn(answer);
  if (values === undefined)
    return {
      extracted: answer ?? null,
      grade: { kind: "unreadable", words: "no five values in the answer" },
    };
  const extracted = values.join(", ");
  const right = extracted === states.at(-1)!.join(", "); // never empty
  return { extracted, grade: right ? { kind: "correct" } : { kind: "wrong", words: "other values" } };
}

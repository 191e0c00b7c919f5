/**
 * @file Reading: a program of T lines is read in chunks; the question is the final value of a variable.
 *
 *     read(2)  ->  ["a, b = b, a", "b, c = c, b"]        10 tokens a line
 *     answer(1)                                          the value of a; only one attempt
 *
 * Lines need not stay in the prompt if the state is noted: closed forms in context/view.ts.
 */

import { z } from "zod";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import type { Shown } from "../history.ts";
import { definePolicy } from "../policies/policy.ts";
import { lock } from "./lock.ts";

export interface Text {
  readonly first: string;
  readonly lines: readonly string[];
  /** The final value of variable a. */
  readonly held: number;
  readonly read: number;
  readonly answered: number | undefined;
}

const Params = z.strictObject({
  values: z.int().min(2).max(10).default(3).describe("Number of variables"),
  lines: z.int().min(1).max(100_000).default(1000).describe("Lines of the program"),
});
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [
  { name: "read", parameters: ["lines"], words: "the next lines, as many as that" },
  { name: "answer", parameters: ["value"], words: "what a holds after the last line" },
];

export const reading: World<Params, Text> = {
  name: "reading",
  summary: "a long program, read in parts: what is a variable's final value?",
  source: "xyliu-cs/StateLM",
  params: Params,
  tools,

  draw({ values, lines }, rng) {
    const { program, code } = lock.draw({ values, length: lines }, rng);
    const [first, ...rest] = program;
    return { first, lines: rest, held: code[code.length - 1], read: 0, answered: undefined };
  },

  task: ({ first, lines }) =>
    [
      `Follow this program of ${lines.length} lines; what does a hold at its end?`,
      first,
      toolWords(tools),
    ].join("\n"),

  act(state, call) {
    const wrong = wrongCall(tools, call);
    if (wrong !== undefined) return { state, answer: wrong };
    if (reading.isOver(state)) return { state, answer: refused("RuntimeError", "it is answered") };
    const [number] = call.arguments;
    if (typeof number !== "number" || !Number.isInteger(number) || number < 0)
      return { state, answer: refused("TypeError", "a whole number, at least 0") };
    if (call.name === "answer")
      return { state: { ...state, answered: number }, answer: { value: "answered" } };
    const to = Math.min(state.lines.length, state.read + number);
    return { state: { ...state, read: to }, answer: { value: state.lines.slice(state.read, to) } };
  },

  isOver: ({ answered }) => answered !== undefined,

  score: ({ lines, held, read, answered }) => ({
    ...{
      share: answered === held ? 1 : 0,
      read,
      lines: lines.length,
      answered: Number(answered !== undefined),
    },
  }),
};

/**
 * Noting: reads m lines a turn and notes the values of all variables, so that earlier lines need not be shown
 * again.
 *
 *     # note: a=1, b=0, c=2           after all lines but those that are read now
 *     read(45)
 *
 * It uses only its last note and the lines of the last turn; if the view hides the note, it starts again from the
 * first line.
 */
export const noting = definePolicy({
  name: "noting",
  summary: "reads some lines per turn (noting.chunk) and notes the state",
  params: z.strictObject({ chunk: z.int().min(1).default(45).describe("Lines per turn") }),
  worlds: ["reading"],
  decide(shown, { chunk }) {
    const [, count] = /program of (\d+) lines/.exec(shown.task)!;
    const state = stateOf(shown);
    if (shown.turn * chunk >= Number(count)) return `answer(${state.get("a")})`;
    const note = [...state].map(([name, value]) => `${name}=${value}`).join(", ");
    return `# note: ${note}\nread(${chunk})`;
  },
});

function stateOf({ task, messages }: Shown): Map<string, string> {
  const [, names, values] = /^((?:[a-j], )+[a-j]) = ([\d, ]+)$/m.exec(task)!;
  const numbers = values.split(", ");
  const begin = names.split(", ").map((name, i) => [name, numbers[i]] as const);
  const notes = messages.flatMap(({ text }) => text.match(/^# note: .*$/gm) ?? []);
  const noted = [...(notes.at(-1) ?? "").matchAll(/(\w)=(\d+)/g)].map(
    ([, name, value]) => [name, value] as const,
  );
  const state = new Map(noted.length === 0 ? begin : noted);
  const last = messages.findLast(({ role, text }) => role === "user" && text.startsWith("["));
  for (const [, one, other] of (last?.text ?? "").matchAll(/"(\w), (\w) = \w, \w"/g)) {
    const held = [state.get(one)!, state.get(other)!];
    state.set(one, held[1]);
    state.set(other, held[0]);
  }
  return state;
}

/**
 * @file Reading: a program of T lines is read in chunks; the question is the final value of a variable.
 *
 *     read(2)  ->  ["a, b = b, a", "b, c = c, b"]        10 tokens a line
 *     answer(1)                                          the value of a; only one attempt
 *
 * Lines need not stay in the prompt if the state is noted: closed forms in context/notes.ts.
 */

import { z } from "zod";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
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
  values: z.int().min(2).max(10).default(3),
  lines: z.int().min(1).max(100_000).default(1000),
});
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [
  { name: "read", parameters: ["lines"], words: "the next lines, as many as that" },
  { name: "answer", parameters: ["value"], words: "what a holds after the last line" },
];

export const reading: World<Params, Text> = {
  name: "reading",
  summary: "a long program that is read in parts; what does a variable hold at its end?",
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

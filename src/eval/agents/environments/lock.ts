/**
 * @file Combination lock: the code is the value of a variable after each line of a program, and only the complete
 * code opens it.
 *
 *     a, b = 0, 1        enter(a) after each line
 *     a, b = b, a        1
 *     a, b = b, a        0          opened only by 1, 0
 *
 * n values and H lines: a random guess opens it with probability n^-H, exact tracking always, tracking with error e
 * per digit with probability (1 - e)^H. There is no feedback before the end.
 */

import { z } from "zod";
import { refused, type Tool, toolWords, type World, wrongCall } from "../environment.ts";
import { definePolicy } from "../policies/policy.ts";
import { callIn } from "../runtimes/tools-only.ts";

export interface Lock {
  readonly values: number;
  readonly program: readonly string[];
  readonly code: readonly number[];
  readonly entered: readonly number[];
}

const Params = z.strictObject({
  values: z.int().min(2).max(10).default(3).describe("Number of variables and digits"),
  length: z.int().min(1).max(10_000).default(6).describe("Length of the code"),
});
type Params = z.infer<typeof Params>;

const tools: readonly Tool[] = [
  { name: "enter", parameters: ["digit"], words: "the next digit of the code" },
];

export const lock: World<Params, Lock> = {
  name: "lock",
  summary: "a code: the values of a variable after each line of a program",
  source: "own definition",
  params: Params,
  tools,

  draw({ values, length }, rng) {
    const names = Array.from({ length: values }, (_, i) => String.fromCharCode(97 + i));
    const state = names.map((_, i) => i);
    const program = [`${names.join(", ")} = ${state.join(", ")}`];
    const code: number[] = [];
    for (let line = 0; line < length; line++) {
      const first = rng.below(values);
      const second = (first + 1 + rng.below(values - 1)) % values;
      [state[first], state[second]] = [state[second], state[first]];
      const [one, other] = [names[first], names[second]];
      program.push(`${one}, ${other} = ${other}, ${one}`);
      code.push(state[0]);
    }
    return { values, program, code, entered: [] };
  },

  task: ({ program }) =>
    [
      "Open the lock: its code is the value of a after each line of this program but the first.",
      ...program,
      "Enter one digit a turn; there is no second try, and nothing is told before the end.",
      toolWords(tools),
    ].join("\n"),

  act(state, call) {
    const wrong = wrongCall(tools, call);
    if (wrong !== undefined) return { state, answer: wrong };
    if (lock.isOver(state)) return { state, answer: refused("RuntimeError", "all digits are entered") };
    const [digit] = call.arguments;
    if (typeof digit !== "number" || !Number.isInteger(digit))
      return { state, answer: refused("TypeError", "a digit is a whole number") };
    return { state: { ...state, entered: [...state.entered, digit] }, answer: { value: "entered" } };
  },

  isOver: ({ code, entered }) => entered.length >= code.length,

  score({ values, code, entered }) {
    const right = entered.filter((digit, i) => digit === code[i]).length;
    return {
      ...{ share: right === code.length ? 1 : 0, right, digits: code.length, entered: entered.length },
      byGuess: values ** -code.length,
    };
  },

  claims: ({ code, entered }, { name, arguments: [digit] }) =>
    name === "enter" && entered.length < code.length
      ? [{ name: "a", claimed: JSON.stringify(digit ?? null), truth: String(code[entered.length]) }]
      : [],
  answers: ({ code }) => [code.join(" "), ...(code.length > 1 ? [code.join("")] : [])],

  isRight: ({ code, entered }, reply) => callIn(reply, tools)?.arguments[0] === code[entered.length],
};

/** Scripted policies for the lock: `guessing` (probability n^-H for H digits out of n) and `tracking` with independent errors. */
export const guessing = definePolicy({
  name: "guessing",
  summary: "answers with a random digit",
  params: z.strictObject({}),
  worlds: ["lock"],
  decide({ task }, _, rng) {
    const [first] = /^[a-j](?:, [a-j])+ = /m.exec(task)!;
    return `enter(${rng.below(first.split(",").length)})`;
  },
});

export const tracking = definePolicy({
  name: "tracking",
  summary: "tracks the state, with errors (tracking.error)",
  params: z.strictObject({
    error: z.number().min(0).max(1).default(0).describe("Probability of an error at each step"),
  }),
  worlds: ["lock"],
  decide({ task, turn }, { error }, rng) {
    const digit = digitAfter(task, turn);
    if (rng.next() >= error) return `enter(${digit.value})`;
    const other = (digit.value + 1 + rng.below(digit.values - 1)) % digit.values;
    return `enter(${other})`;
  },
});

/** Runs the program: the value of variable a after the line of this turn. */
function digitAfter(task: string, turn: number): { readonly value: number; readonly values: number } {
  const [first, ...lines] = task.match(/^[a-j](?:, [a-j])+ = .*$/gm)!;
  const [names, numbers] = first.split(" = ").map((side) => side.split(", "));
  const state = new Map(names.map((name, i) => [name, Number(numbers[i])]));
  for (const line of lines.slice(0, turn + 1)) {
    const [to, from] = line.split(" = ").map((side) => side.split(", "));
    const values = from.map((name) => state.get(name)!);
    for (const [i, name] of to.entries()) state.set(name, values[i]);
  }
  return { value: state.get("a")!, values: names.length };
}

/**
 * @file Generates a program of sums and differences, backwards, of any length and number size.
 *
 *     a = c + b        the output variable `a` is free at first: it gets an expression
 *     c = b - 4        of two operands, each a new variable, a free one or a number, and is then bound unless it occurs
 *     b = 57           in it; repeated until there are enough expressions. Then every free variable gets a number
 *
 * Reversed, it runs, and every assigned value is read by a later line. An expression that would leave no variable free too early is
 * drawn again.
 */

import type { Rng } from "../../core/rng.ts";
import type { Example } from "../task.ts";

/** A variable (its number), or a number. */
export type Operand = { readonly variable: number } | { readonly number: number };
interface Assignment {
  readonly target: number;
  readonly operands: readonly [Operand, Operand];
  readonly sign: 1 | -1;
}

interface ArithmeticProgram {
  /** The final numbers of the free variables. */
  readonly inputs: readonly { readonly variable: number; readonly number: number }[];
  /** In execution order. */
  readonly assignments: readonly Assignment[];
}

/** Numbers are uniform in 0 .. numbers - 1. */
export function drawProgram(rng: Rng, length: number, numbers: number): ArithmeticProgram {
  let names = 1;
  let free = [0];
  const assignments: Assignment[] = [];
  while (assignments.length < length) {
    const target = free[rng.below(free.length)];
    const opened: number[] = [];
    const operand = (): Operand => {
      const kind = rng.below(3);
      if (kind === 2) return { number: rng.below(numbers) };
      if (kind === 1) return { variable: free[rng.below(free.length)] };
      opened.push(names + opened.length);
      return { variable: opened.at(-1)! }; // just pushed
    };
    const operands = [operand(), operand()] as const;
    const sign = rng.below(2) === 0 ? 1 : -1;
    const occurs = operands.some((each) => "variable" in each && each.variable === target);
    const left = [...free.filter((each) => occurs || each !== target), ...opened];
    if (left.length === 0 && assignments.length < length - 1) continue;
    assignments.push({ target, operands, sign });
    names += opened.length;
    free = left;
  }
  const inputs = free.toSorted((a, b) => a - b).map((variable) => ({ variable, number: rng.below(numbers) }));
  return { inputs, assignments: assignments.reverse() };
}

/** a .. z, aa, ab .., without Python keywords. */
export function variableName(i: number): string {
  for (let at = 0, left = i; ; at++) {
    const name = letters(at);
    if (!keywords.has(name) && left-- === 0) return name;
  }
}

const letters = (i: number): string =>
  (i < 26 ? "" : letters(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));
const keywords = new Set(["as", "if", "in", "is", "or"]);

/** The program as a text example; numbers are exact at any size, as in Python. */
export function programText({ inputs, assignments }: ArithmeticProgram): Example {
  const held = new Map(inputs.map(({ variable, number }) => [variable, BigInt(number)]));
  const lines = inputs.map(({ variable, number }) => `${variableName(variable)} = ${number}\n`);
  for (const { target, operands, sign } of assignments) {
    const [left, right] = operands.map(
      (each) => ("number" in each ? BigInt(each.number) : held.get(each.variable)!), // assigned by an earlier line
    );
    held.set(target, sign === 1 ? left + right : left - right);
    const [first, second] = operands.map((each) =>
      "number" in each ? String(each.number) : variableName(each.variable),
    );
    lines.push(`${variableName(target)} = ${first} ${sign === 1 ? "+" : "-"} ${second}\n`);
  }
  const before = `${lines.join("")}assert a == `;
  const value = String(held.get(0));
  const end = before.length + value.length;
  return {
    text: `${before}${value}\n`,
    reveals: [{ start: before.length, end, variable: "a", value, commands: lines.length - 1 }],
    states: [],
  };
}

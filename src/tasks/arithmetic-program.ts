/**
 * @file Arithmetic as a program: sums and differences of variables and numbers; the end asserts the output variable.
 *
 *     b = 57
 *     c = b - 4
 *     a = c + b
 *     assert a == 110        asked: 110, its digits one word each
 *
 * It is generated backwards, below.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024), appendix C. Our own are the probabilities (kinds, signs,
 * names and numbers are equally likely) and the meaning of `length`.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Prepared, type Sink } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

/*
 * Generates a program of sums and differences, backwards, of any length and number size.
 *
 *     a = c + b        the output variable `a` is free at first: it gets an expression
 *     c = b - 4        of two operands, each a new variable, a free one or a number, and is then bound unless it occurs
 *     b = 57           in it; repeated until there are enough expressions. Then every free variable gets a number
 *
 * Reversed, it runs, and every assigned value is read by a later line. An expression that would leave no variable free too early is
 * drawn again.
 */

/** A variable (its number), or a number. */
type Operand = { readonly variable: number } | { readonly number: number };
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
function variableName(i: number): string {
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

const MOST_EXPRESSIONS = 6;
const Expressions = Length.refine((length) => [length].flat().every((each) => each <= MOST_EXPRESSIONS), {
  error: `to be at most ${MOST_EXPRESSIONS}`,
});

const ArithmeticProgramParams = z.strictObject({
  length: Expressions.default([4, 6]).describe("Lines with an expression"),
  digits: z.int().min(1).max(3).default(2).describe("Numbers are uniform below 10^digits"),
  below: z
    .int()
    .min(1)
    .optional()
    .describe("Numbers are uniform below this instead, with the vocabulary of `digits`"),
});
type ArithmeticProgramParams = z.infer<typeof ArithmeticProgramParams>;

export const arithmeticProgram = defineTask<ArithmeticProgramParams>({
  name: "arithmetic-program",
  summary: "a Python program of sums and differences: what is its output?",
  source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
  params: ArithmeticProgramParams,
  prepare: prepareArithmeticProgram,
  ask: () => lastAssertion,
});

const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit));
/** Every expression adds at most two names. */
const NAMES = Array.from({ length: 1 + 2 * MOST_EXPRESSIONS }, (_, i) => variableName(i));
const SYMBOLS = ["-", "\n", " = ", " + ", " - ", "assert a == "];
const WORDS = [...DIGITS, ...SYMBOLS, ...NAMES];
const [minus, newline, equals, plus, less, assert] = [...SYMBOLS.keys()].map((i) => DIGITS.length + i);
const firstName = DIGITS.length + SYMBOLS.length;

function prepareArithmeticProgram({ length, digits, below }: ArithmeticProgramParams): Prepared {
  const range = lengthRange(length, "arithmetic-program");
  const most = 10 ** digits;
  const numbers = below ?? most;
  if (numbers > most) fail("arithmetic-program", `below to be at most 10^digits, ${most}`, numbers);
  // A variable plus itself, in every line; the value names do not depend on the length.
  const largest = 2 ** MOST_EXPRESSIONS * (most - 1);
  const answer = String(-largest).length;
  const held = new Int32Array(NAMES.length);

  function write(rng: Rng, sink: Sink): void {
    const { inputs, assignments } = drawProgram(rng, drawLength(range, rng), numbers);
    const end = () => {
      sink.word(newline);
      sink.state(held);
    };
    held.fill(-1);
    for (const { variable, number } of inputs) {
      held[variable] = largest + number;
      writeName(sink, variable);
      sink.word(equals);
      writeNumber(sink, number);
      end();
    }
    for (const { target, operands, sign } of assignments) {
      const [left, right] = operands.map((each) =>
        "number" in each ? each.number : held[each.variable] - largest,
      );
      writeName(sink, target);
      sink.word(equals);
      writeOperand(sink, operands[0]);
      sink.word(sign === 1 ? plus : less);
      writeOperand(sink, operands[1]);
      held[target] = largest + left + sign * right;
      end();
    }
    sink.word(assert);
    sink.reveal(0, held[0], numberWords(held[0] - largest));
    writeNumber(sink, held[0] - largest);
    sink.word(newline);
  }

  return {
    words: WORDS,
    variables: NAMES,
    values: Array.from({ length: 2 * largest + 1 }, (_, i) => String(i - largest)),
    // In the longest program every operand is a new variable, which finally gets a number.
    maximumWords: range.most * (6 + 3 + digits) + (3 + digits) + (2 + answer),
    maximumCharacters:
      range.most * ("a = b + c\n".length + "b = \n".length + digits) +
      "a = \n".length +
      digits +
      "assert a == \n".length +
      answer,
    maximumStates: 2 * range.most + 1,
    maximumChanges: 1,
    write,
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
  };
}

function writeName(sink: Sink, variable: number): void {
  sink.word(firstName + variable);
}

function writeOperand(sink: Sink, operand: Operand): void {
  if ("number" in operand) writeNumber(sink, operand.number);
  else writeName(sink, operand.variable);
}

function writeNumber(sink: Sink, number: number): void {
  for (const character of String(number)) sink.word(character === "-" ? minus : Number(character));
}

function numberWords(number: number): number {
  return String(number).length;
}

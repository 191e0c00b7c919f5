/**
 * @file Arithmetic as a program: sums and differences of variables and numbers; the end asserts the output variable.
 *
 *     b = 57
 *     c = b - 4
 *     a = c + b
 *     assert a == 110        asked: 110, its digits one word each
 *
 * Made backwards. The output variable `a` is free at first. Again and again a free variable is given an expression of
 * two operands, each a new variable, a free one or a number, and is then bound unless it occurs in that expression. At
 * the end, which is the beginning of the program, every free variable gets a number. So what a line assigns is read by
 * a later one. An expression that would leave no variable free before the last one is drawn again.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024), appendix C. That all kinds, signs, names and
 * numbers are equally likely, and that `length` counts the expressions, are our own.
 */

import { z } from "zod";
import type { Rng } from "../math/rng.ts";
import { drawLength, Length, rangeOf } from "./length.ts";
import { defineTask, type Prepared, type Sink } from "./task.ts";

const MOST_EXPRESSIONS = 6;
const Expressions = Length.refine((length) => [length].flat().every((each) => each <= MOST_EXPRESSIONS), {
  error: `to be at most ${MOST_EXPRESSIONS}`,
});

export const ArithmeticProgramParams = z.strictObject({
  /** Lines with an expression, or the range from which that is drawn. */
  length: Expressions.default([4, 6]),
  /** Numbers are uniform in 0 .. 10^digits - 1. */
  digits: z.int().min(1).max(3).default(2),
});
export type ArithmeticProgramParams = z.infer<typeof ArithmeticProgramParams>;

export const arithmeticProgram = defineTask<ArithmeticProgramParams>({
  name: "arithmetic-program",
  summary: "a Python program of sums and differences; what is its output?",
  source: "Grounding Code Understanding in Step-by-Step Execution (2024)",
  params: ArithmeticProgramParams,
  prepare: prepareArithmeticProgram,
});

const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit));
/** Every expression brings two new names at most. */
const NAMES = Array.from({ length: 1 + 2 * MOST_EXPRESSIONS }, (_, i) => String.fromCharCode(97 + i));
const SYMBOLS = ["-", "\n", " = ", " + ", " - ", "assert a == "];
const WORDS = [...DIGITS, ...SYMBOLS, ...NAMES];
const [minus, newline, equals, plus, less, assert] = [...SYMBOLS.keys()].map((i) => DIGITS.length + i);
const firstName = DIGITS.length + SYMBOLS.length;

/** A variable (its number in NAMES), or a number. */
type Operand = { readonly variable: number } | { readonly number: number };
interface Assignment {
  readonly target: number;
  readonly operands: readonly [Operand, Operand];
  readonly sign: 1 | -1;
}

function prepareArithmeticProgram({ length, digits }: ArithmeticProgramParams): Prepared {
  const range = rangeOf(length, "arithmetic-program");
  const numbers = 10 ** digits;
  // A variable plus itself, in every line; the names of the values do not depend on the length.
  const largest = 2 ** MOST_EXPRESSIONS * (numbers - 1);
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
    // At its longest every operand is a new variable, which is given a number in the end.
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

/** What the free variables get, by name, and the assignments in the order in which they run. */
function drawProgram(rng: Rng, length: number, numbers: number) {
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
      return { variable: opened.at(-1)! }; // pushed just now
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

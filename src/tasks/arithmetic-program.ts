/**
 * @file Arithmetic as a program: sums and differences of variables and numbers; the end asserts the output variable.
 *
 *     b = 57
 *     c = b - 4
 *     a = c + b
 *     assert a == 110        asked: 110, its digits one word each
 *
 * arithmetic-program/program.ts generates it backwards.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024), appendix C. That all kinds, signs, names and
 * numbers are equally likely, and that `length` counts the expressions, are our own.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { drawProgram, type Operand, variableName } from "./arithmetic-program/program.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared, type Sink } from "./task.ts";
import { lastAssertion } from "./task-prompt.ts";

const MOST_EXPRESSIONS = 6;
const Expressions = Length.refine((length) => [length].flat().every((each) => each <= MOST_EXPRESSIONS), {
  error: `to be at most ${MOST_EXPRESSIONS}`,
});

const ArithmeticProgramParams = z.strictObject({
  /** Number of lines with an expression, or the range from which it is drawn. */
  length: Expressions.default([4, 6]),
  /** Numbers are uniform in 0 .. 10^digits - 1. */
  digits: z.int().min(1).max(3).default(2),
  /** Numbers are uniform in 0 .. below - 1 instead; the value names stay those of `digits`, so a curriculum can increase it. */
  below: z.int().min(1).optional(),
});
type ArithmeticProgramParams = z.infer<typeof ArithmeticProgramParams>;

export const arithmeticProgram = defineTask<ArithmeticProgramParams>({
  name: "arithmetic-program",
  summary: "a Python program of sums and differences; what is its output?",
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

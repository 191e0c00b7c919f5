/**
 * @file Modular arithmetic without brackets: what is the value of an expression, mod 5?
 *
 *     1+2*3-4=3        * binds more tightly than + and -; the revealed value follows the =
 *
 * Numbers are uniform in 0 .. modulus − 1 and operators in + - *, all independent. `length` counts numbers and operators (not the = and
 * the value), so it is odd: an even one is reduced by one. The state is the value so far, at every number; the automaton below has the
 * complete state.
 *
 * References: `exactBayes` sees the whole expression. `windowedBayes` sees the last W operators with their numbers, and the number
 * of operators before.
 *
 * Source: Deletang et al. 2022, arXiv:2207.02098 (numbers, operators, odd lengths). The written = and the lengths are from Grazzi
 * et al. 2024, arXiv:2411.12537. The windowed reference is our own.
 */

import { z } from "zod";
import { type Automaton, afterSeen, bestGuess, unseenFrom } from "../core/automata.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Example, type Prepared, writeWords } from "./task.ts";
import { lastReveal } from "./task-prompt.ts";

const ModularArithmeticParams = z.strictObject({
  length: Length.default([3, 40]).describe("Numbers and operators per expression"),
  modulus: z.int().min(2).max(10).default(5).describe("The modulus"),
});
type ModularArithmeticParams = z.infer<typeof ModularArithmeticParams>;

export const modularArithmetic = defineTask<ModularArithmeticParams>({
  name: "modular-arithmetic",
  summary: "an expression of + - * without brackets: what is its value mod 5?",
  source: "arXiv:2207.02098, arXiv:2411.12537",
  params: ModularArithmeticParams,
  prepare: prepareModularArithmetic,
  ask: ({ modulus }) => ({
    instruction: `Below are sums, differences and products of numbers, products first. ?? stands for the value modulo ${modulus}, which is 0 to ${modulus - 1}. Say that value alone`,
    language: "text",
    answers: Array.from({ length: modulus }, (_, value) => String(value)),
    question: lastReveal,
  }),
});

function prepareModularArithmetic({ length, modulus }: ModularArithmeticParams): Prepared {
  const range = lengthRange(length, "modular-arithmetic");
  const digits = Array.from({ length: modulus }, (_, digit) => String(digit));
  const firstOperator = modulus;
  const equals = firstOperator + OPERATORS.length;
  const automaton = expressionAutomaton(modulus);
  const state = new Int32Array(1);
  const longest = oddAtMost(range.most) + 2;
  return {
    words: [...digits, ...OPERATORS, "="],
    variables: ["value"],
    values: digits,
    maximumWords: longest,
    maximumCharacters: longest,
    write(rng, sink) {
      const operations = (oddAtMost(drawLength(range, rng)) - 1) / 2;
      const first = rng.below(modulus);
      let read = first; // sum 0, term first
      sink.word(first);
      state[0] = first;
      sink.state(state);
      for (let i = 0; i < operations; i++) {
        const operator = rng.below(OPERATORS.length);
        const digit = rng.below(modulus);
        writeWords(sink, firstOperator + operator, digit);
        read = automaton.next(read, operator * modulus + digit);
        state[0] = automaton.output(read);
        sink.state(state);
      }
      sink.word(equals);
      sink.reveal(0, state[0]);
      sink.word(state[0]);
    },
    references: arithmeticReferences(modulus, (oddAtMost(range.most) - 1) / 2),
  };
}

function oddAtMost(length: number): number {
  return length - 1 + (length % 2);
}

/** `window` is W, in operators; `prepare` uses the length of the longest expression. */
function arithmeticReferences(modulus: number, window: number) {
  const automaton = expressionAutomaton(modulus);
  const firstNumber = new Float64Array(automaton.states).fill(1 / modulus, 0, modulus);
  const unseen = unseenFrom(firstNumber, automaton);
  return {
    exactBayes: ({ reveals }: Example) => reveals.map(() => 1),
    windowedBayes: ({ text, reveals }: Example) =>
      reveals.map(({ commands, start }) => {
        if (commands <= window) return 1;
        // An operator and a digit each, before the =.
        const visible = text.slice(start - 1 - 2 * window, start - 1).match(/../g) ?? [];
        const inputs = visible.map(
          ([operator, digit]) => OPERATORS.indexOf(operator) * modulus + Number(digit),
        );
        const shares = inputs.reduce(
          (before, input) => afterSeen(before, input, automaton),
          unseen(commands - window),
        );
        return bestGuess(shares, automaton);
      }),
  };
}

/*
 * Evaluation by a finite automaton: besides the sum its state has the term that a * would continue.
 *
 *     sum := 0, term := first number   + d:  sum += term, term := d       * d:  term *= d
 *     value = sum + term               - d:  sum += term, term := −d                          all mod m
 *
 * So m² states follow any expression without brackets.
 */

export const OPERATORS: readonly string[] = ["+", "-", "*"];

/** States are sum * modulus + term, inputs operator * modulus + digit; the output is the value. */
function expressionAutomaton(modulus: number): Automaton {
  const mod = (n: number) => ((n % modulus) + modulus) % modulus;
  return {
    states: modulus ** 2,
    inputs: Array.from({ length: OPERATORS.length * modulus }, (_, input) => input),
    next(state, input) {
      const term = state % modulus;
      const digit = input % modulus;
      const operator = OPERATORS[Math.floor(input / modulus)];
      if (operator === "*") return state - term + mod(term * digit);
      const sum = mod(Math.floor(state / modulus) + term);
      return sum * modulus + (operator === "+" ? digit : mod(-digit));
    },
    output: (state) => mod(Math.floor(state / modulus) + (state % modulus)),
  };
}

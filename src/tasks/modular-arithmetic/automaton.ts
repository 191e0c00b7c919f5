/**
 * @file Reading an expression number by number: besides the sum one holds the term that a * would continue.
 *
 *     sum := 0, term := first number   + d:  sum += term, term := d       * d:  term *= d
 *     value = sum + term               - d:  sum += term, term := −d                          all mod m
 *
 * So m² states follow any expression without brackets.
 */

import type { Automaton } from "../../core/automata.ts";

export const OPERATORS: readonly string[] = ["+", "-", "*"];

/** States are sum * modulus + term, inputs operator * modulus + digit; the output is the value. */
export function expressionAutomaton(modulus: number): Automaton {
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

/**
 * @file Variables permuted by commands with hidden outcomes, as a hidden Markov model of n! states.
 *
 *     maybeSwap(3, 0, 1, 0.5)          if random.random() < 0.5: a, b = b, a
 *     state "2, 1, 3"                  what variables a, b, c hold; question i: what does variable i hold?
 *
 * States are in lexicographic order: state 0 is 1, 2, ..., n.
 */

import { certainly } from "./automata.ts";
import { type Machine, type Question, type Transition, transitionMatrix } from "./hidden-markov.ts";
import { allPermutations, apply, type Permutation } from "./permutations.ts";

/** Applied with this probability; the probabilities sum to 1. */
export type RandomCommand = readonly { readonly permutation: Permutation; readonly probability: number }[];

interface PermutationStates {
  readonly variables: number;
  /** states[q][i] is the value of variable i, from 0. */
  readonly states: readonly (readonly number[])[];
  indexOf(values: readonly number[]): number;
  transition(command: RandomCommand): Transition;
  /** The question for the value of a variable. */
  question(variable: number): Question;
}

export function permutationStates(variables: number): PermutationStates {
  const states = allPermutations(variables);
  const places = new Map(states.map((values, q) => [values.join(), q]));
  const indexOf = (values: readonly number[]) => places.get(values.join()) ?? -1;
  return {
    variables,
    states,
    indexOf,
    transition: (command) =>
      transitionMatrix(
        states.map((values) =>
          command.map(({ permutation, probability }) => [indexOf(apply(permutation, values)), probability]),
        ),
      ),
    question: (variable) => ({
      answers: variables,
      answer: Int32Array.from(states, (values) => values[variable]),
    }),
  };
}

/** The model: variables start with 1, 2, ..., n, or in any order. */
export interface PermutationWalk {
  readonly variables: number;
  readonly commands: readonly RandomCommand[];
  readonly start: "known" | "uniform";
}

/** Action k is command k, question i asks for variable i. */
export function permutationMachine({ variables, commands, start }: PermutationWalk): Machine {
  const { states, transition, question } = permutationStates(variables);
  const size = { states: states.length };
  return {
    ...size,
    start:
      start === "known"
        ? certainly(0, { ...size, inputs: [], next: (q) => q, output: (q) => q })
        : new Float64Array(size.states).fill(1 / size.states),
    actions: commands.map(transition),
    questions: Array.from({ length: variables }, (_, i) => question(i)),
  };
}

export function swapPermutation(variables: number, one: number, other: number): number[] {
  const from = Array.from({ length: variables }, (_, i) => i);
  [from[one], from[other]] = [other, one];
  return from;
}

/** Swaps two variables with this probability, else does nothing. */
export function maybeSwap(n: number, one: number, other: number, probability: number): RandomCommand {
  return [
    { permutation: swapPermutation(n, one, other), probability },
    { permutation: swapPermutation(n, one, one), probability: 1 - probability },
  ];
}

/** All pairs of variables, the lower first. */
export function indexPairs(n: number): [number, number][] {
  return Array.from({ length: n }, (_, i) => i).flatMap((one) =>
    Array.from({ length: n - 1 - one }, (_, k): [number, number] => [one, one + 1 + k]),
  );
}

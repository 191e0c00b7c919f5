/**
 * @file What can be known before each reveal: the exact filter over all n! orders, and the same with a window.
 *
 *     exact       everything above the reveal is seen
 *     windowed    the last W commands, every reveal behind the first of them and the one directly before it; of what
 *                 is above, only that all orders are equally likely. The start is seen where fewer than W commands ran.
 */

import type { Shares } from "../../math/automata.ts";
import { afterAction, afterAnswer, answerShares, type Transition } from "../../math/hidden-markov.ts";
import { type PermutationStates, permutationStates } from "../../math/permutation-walk.ts";
import type { UncertainProgram, UncertainStep } from "./program.ts";

/** For each reveal, in order, the probability of each value before it. */
export type Posteriors = Float64Array[];

/** Filters for programs of n variables; what a command does to the n! orders is worked out once. */
export function posteriorsOf(variables: number) {
  const states = permutationStates(variables);
  const size = states.states.length;
  const questions = Array.from({ length: variables }, (_, i) => states.question(i));
  const transition = transitionsOf(states);
  const anything = new Float64Array(size).fill(1 / size);
  const startOf = ({ start }: UncertainProgram): Shares =>
    start === undefined ? anything : anything.map((_, q) => (q === states.indexOf(start) ? 1 : 0));
  const after = (shares: Shares, step: UncertainStep): Shares =>
    step.kind === "command"
      ? afterAction(shares, transition(step))
      : afterAnswer(shares, questions[step.variable], step.value);
  return {
    exact(program: UncertainProgram): Posteriors {
      let shares = startOf(program);
      return program.steps.flatMap((step) => {
        const told = step.kind === "reveal" ? [answerShares(shares, questions[step.variable])] : [];
        shares = after(shares, step);
        return told;
      });
    },
    windowed(program: UncertainProgram, window: number): Posteriors {
      return program.steps.flatMap((step, at) => {
        if (step.kind !== "reveal") return [];
        const { from, whole } = windowBefore(program.steps, at, window);
        const begin = whole ? startOf(program) : anything;
        const seen = program.steps.slice(from, at);
        return [answerShares(seen.reduce(after, begin), questions[step.variable])];
      });
    },
  };
}

function transitionsOf(states: PermutationStates) {
  const known = new Map<string, Transition>();
  return ({ command, text }: Extract<UncertainStep, { kind: "command" }>): Transition => {
    const found = known.get(text) ?? states.transition(command);
    known.set(text, found);
    return found;
  };
}

/** Which steps before step `end` are seen, and whether the start is. */
function windowBefore(steps: readonly UncertainStep[], end: number, window: number) {
  let from = end;
  for (let commands = 0; commands < window; from--) {
    if (from === 0) return { from, whole: true };
    if (steps[from - 1].kind === "command") commands++;
  }
  while (from > 0 && steps[from - 1].kind === "reveal") from--;
  return { from, whole: false };
}

/** How often the guess of one filter is right, if another knows the true probabilities; ties are guessed evenly. */
export function guessAccuracy(guesser: Float64Array, truth: Float64Array): number {
  const most = Math.max(...guesser) * (1 - 1e-12);
  const guesses = Array.from(truth).filter((_, value) => guesser[value] >= most);
  return Math.min(1, guesses.reduce((sum, share) => sum + share, 0) / guesses.length);
}

/**
 * @file The joint filter without normalisation: what a linear recurrence can hold, in arithmetic of any precision.
 *
 *     α := T_u α        every product and every sum rounded
 *     α := D_o α        states that give another answer become 0
 *
 * Its mass Σ α is the probability of all that was revealed, so ln Σ α falls at each reveal by the nats that the exact
 * filter pays, and in few digits it is soon lost: a state below half of the smallest number is 0 from then on.
 * With a mass of 0 nothing is known: all answers are read as equally likely.
 */

import type { Shares } from "../../core/automata.ts";
import { type Precision, roundedTo } from "../../core/half-precision.ts";
import { answerShares, type Machine, type Transition } from "../../core/hidden-markov.ts";
import type { Filter } from "./filter.ts";

export function jointFilter({ start, actions, questions }: Machine, precision: Precision): Filter<Shares> {
  const round = roundedTo(precision);
  const rounded = (numbers: Shares) => numbers.map(round);
  const transitions = actions.map((action) => ({ ...action, probability: rounded(action.probability) }));
  return {
    start: rounded(start),
    act: (alpha, action) => applied(alpha, transitions[action], round),
    answers: (alpha, question) => {
      const sums = answerShares(alpha, questions[question]);
      const mass = totalMass(sums);
      return sums.map((sum) => (mass > 0 ? sum / mass : 1 / sums.length));
    },
    observe: (alpha, question, answer) =>
      alpha.map((share, state) => (questions[question].answer[state] === answer ? share : 0)),
  };
}

/** Σ α: the probability of everything that was revealed, as far as the digits go. */
export function totalMass(alpha: Shares): number {
  return alpha.reduce((sum, share) => sum + share, 0);
}

function applied(alpha: Shares, { starts, to, probability }: Transition, round: (x: number) => number) {
  const after = new Float64Array(alpha.length);
  for (let state = 0; state < alpha.length; state++) {
    if (alpha[state] === 0) continue;
    for (let k = starts[state]; k < starts[state + 1]; k++) {
      after[to[k]] = round(after[to[k]] + round(alpha[state] * probability[k]));
    }
  }
  return after;
}

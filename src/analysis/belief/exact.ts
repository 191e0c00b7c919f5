/**
 * @file The exact filter: the probability of every state given all that was seen. Nothing pays fewer nats on average.
 *
 *     α := T_u α               action u
 *     α := D_o α / Σ D_o α     answer o; Σ D_o α is what its probability was
 *
 * Source: the forward algorithm, normalised at every answer.
 */

import type { Shares } from "../../core/automata.ts";
import { afterAction, afterAnswer, answerShares, type Machine } from "../../core/hidden-markov.ts";
import { indexPairs, maybeSwap, type PermutationWalk } from "../../core/permutation-walk.ts";
import type { Filter } from "./filter.ts";

export function exactFilter({ start, actions, questions }: Machine): Filter<Shares> {
  return {
    start,
    act: (shares, action) => afterAction(shares, actions[action]),
    answers: (shares, question) => answerShares(shares, questions[question]),
    observe: (shares, question, answer) => afterAnswer(shares, questions[question], answer),
  };
}

export function swapWalk(variables: number, probability: number): PermutationWalk {
  const commands = indexPairs(variables).map(([i, j]) => maybeSwap(variables, i, j, probability));
  return { variables, commands, start: "known" };
}

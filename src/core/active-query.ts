/**
 * @file Active querying of a hidden state: the value of a question is the entropy of its predicted answer.
 *
 *     information(question) = H(answer) = - sum P(answer) ln P(answer)            H(state) - E[H(state | answer)]
 *     random                uniformly at random
 *     round-robin           in turn
 *     greedy                the most informative now; ties go to the first
 */

import type { Shares } from "./automata.ts";
import { answerShares, type Question } from "./hidden-markov.ts";
import type { Rng } from "./rng.ts";

/** In nats. */
export function entropy(shares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < shares.length; i++) if (shares[i] > 0) sum -= shares[i] * Math.log(shares[i]);
  return sum;
}

export interface Choosing {
  /** The belief: a probability for each state. */
  readonly belief: Shares;
  readonly questions: readonly Question[];
  /** Number of questions asked so far. */
  readonly asked: number;
  readonly rng: Rng;
}

/** Returns the index of the next question. */
export type ChooseReveal = (choosing: Choosing) => number;

export const expectedInformation = (belief: Shares, question: Question) =>
  entropy(answerShares(belief, question));

/** Tolerance for questions of equal value, whose sums differ by rounding. */
const tolerance = 1e-9;

function greediest({ belief, questions }: Choosing): number {
  const worth = questions.map((question) => expectedInformation(belief, question));
  const most = Math.max(...worth);
  return worth.findIndex((each) => each > most - tolerance);
}

export const revealChoices = {
  random: ({ questions, rng }) => rng.below(questions.length),
  "round-robin": ({ questions, asked }) => asked % questions.length,
  greedy: greediest,
} as const satisfies Record<string, ChooseReveal>;
export type RevealChoice = keyof typeof revealChoices;

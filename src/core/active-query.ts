/**
 * @file Which question to ask about a hidden state: an answer is a function of the state, so what it is worth is the entropy of its
 * own distribution, known before it is given.
 *
 *     information(question) = H(answer) = - sum P(answer) ln P(answer)            H(state) - E[H(state | answer)]
 *     random                any question, all alike
 *     round-robin           one after the other
 *     greedy                the one that is worth most now; of equals the first
 */

import type { Shares } from "./automata.ts";
import { answerShares, type Question } from "./hidden-markov.ts";
import type { Rng } from "./rng.ts";

/** In nats. */
export function entropyOf(shares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < shares.length; i++) if (shares[i] > 0) sum -= shares[i] * Math.log(shares[i]);
  return sum;
}

export interface Choosing {
  /** How likely each state is, after the last actions. */
  readonly belief: Shares;
  readonly questions: readonly Question[];
  /** Questions that were asked before. */
  readonly asked: number;
  readonly rng: Rng;
}

/** The place of the next question. */
export type ChooseReveal = (choosing: Choosing) => number;

export const informationOf = (belief: Shares, question: Question) =>
  entropyOf(answerShares(belief, question));

/** Sums of shares differ in their last digits, where questions are worth the same. */
const tolerance = 1e-9;

function greediest({ belief, questions }: Choosing): number {
  const worth = questions.map((question) => informationOf(belief, question));
  const most = Math.max(...worth);
  return worth.findIndex((each) => each > most - tolerance);
}

export const revealChoices = {
  random: ({ questions, rng }) => rng.below(questions.length),
  "round-robin": ({ questions, asked }) => asked % questions.length,
  greedy: greediest,
} as const satisfies Record<string, ChooseReveal>;
export type RevealChoice = keyof typeof revealChoices;

/**
 * @file What a filter is: a belief about the hidden state, one step for an action, one for an answer, and a reading.
 *
 *     for each event:   act                 belief := act(belief, action)
 *                       reveal              P = answers(belief, question); −ln P(answer) nats are paid;
 *                                           belief := observe(belief, question, answer)
 *
 * Like a recurrent cell it is one step; following a sequence is the caller's. A belief is never changed in place.
 */

import type { Event } from "../../core/hidden-markov.ts";

export interface Filter<Belief = unknown> {
  readonly start: Belief;
  act(belief: Belief, action: number): Belief;
  /** The probability of each answer, before it is seen. */
  answers(belief: Belief, question: number): Float64Array;
  observe(belief: Belief, question: number, answer: number): Belief;
}

/** What a filter held to be likely before a reveal, what was revealed, and what it then believed. */
export interface Evidence<Belief> {
  readonly shares: Float64Array;
  readonly question: number;
  readonly answer: number;
  readonly after: Belief;
}

/** Follows a sequence and yields at every reveal. */
export function* runFilter<Belief>(
  filter: Filter<Belief>,
  events: Iterable<Event>,
): Generator<Evidence<Belief>, Belief> {
  let belief = filter.start;
  for (const event of events) {
    if (event.kind === "act") belief = filter.act(belief, event.action);
    else {
      const { question, answer } = event;
      const shares = filter.answers(belief, question);
      belief = filter.observe(belief, question, answer);
      yield { shares, question, answer, after: belief };
    }
  }
  return belief;
}

/** Nats paid at each reveal: −ln of the probability that was given to what was revealed. */
export function surprises<Belief>(filter: Filter<Belief>, events: Iterable<Event>): number[] {
  return Array.from(runFilter(filter, events), ({ shares, answer }) => -Math.log(shares[answer]));
}

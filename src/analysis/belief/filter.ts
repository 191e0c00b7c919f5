/**
 * @file Filters: a belief about the hidden state, one step for an action, one for an answer, and a reading; three of them.
 *
 *     for each event:   act                 belief := act(belief, action)
 *                       reveal              P = answers(belief, question); −ln P(answer) nats are paid;
 *                                           belief := observe(belief, question, answer)
 *
 * Like a recurrent cell it is one step; following a sequence is the caller's. A belief is never changed in place.
 */

import type { Shares } from "../../core/automata.ts";
import { type Precision, roundedTo } from "../../core/half-precision.ts";
import {
  afterAction,
  afterAnswer,
  answerShares,
  type Event,
  type Machine,
  marginals,
  type Transition,
} from "../../core/hidden-markov.ts";
import { indexPairs, maybeSwap, type PermutationWalk } from "../../core/permutation-walk.ts";

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

/**
 * The exact filter: the probability of every state given all that was seen. Nothing pays fewer nats on average.
 *
 *     α := T_u α               action u
 *     α := D_o α / Σ D_o α     answer o; Σ D_o α is what its probability was
 *
 * Source: the forward algorithm, normalised at every answer.
 */
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

/**
 * The joint filter without normalisation: what a linear recurrence can hold, in arithmetic of any precision.
 *
 *     α := T_u α        every product and every sum rounded
 *     α := D_o α        states that give another answer become 0
 *
 * Its mass Σ α is the probability of all that was revealed, so ln Σ α falls at each reveal by the nats that the exact
 * filter pays, and in few digits it is soon lost: a state below half of the smallest number is 0 from then on.
 * With a mass of 0 nothing is known: all answers are read as equally likely.
 */
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

/** All that happened, the latest first. */
export interface Seen {
  readonly latest?: { readonly event: Event; readonly before: Seen };
  readonly actions: number;
}

/**
 * The windowed filter: exact about what it sees, but it sees only the last W actions.
 *
 *     … reveal  act   reveal  act  act  reveal  act   reveal asked
 *               └ older       └ W = 3 actions are seen, every reveal after the first of them, and the one before it
 *
 * For the time before, it knows how many actions there were and that each was drawn uniformly, and so how likely every state is; it
 * does not know which they were. The start is known as the machine has it.
 *
 * `unseen`: how likely every state is after so many actions before the window.
 */
export function windowedFilter(
  machine: Machine,
  window: number,
  unseen: (actions: number) => Shares = marginals(machine),
): Filter<Seen> {
  const exact = exactFilter(machine);
  const believed = (seen: Seen) =>
    eventsWithin(seen, window).reduce(
      (shares, event) =>
        event.kind === "act"
          ? exact.act(shares, event.action)
          : exact.observe(shares, event.question, event.answer),
      seen.actions < window ? machine.start : unseen(seen.actions - window),
    );
  return {
    start: { actions: 0 },
    act: (before, action) => ({
      latest: { event: { kind: "act", action }, before },
      actions: before.actions + 1,
    }),
    answers: (seen, question) => answerShares(believed(seen), machine.questions[question]),
    observe: (before, question, answer) => ({
      latest: { event: { kind: "reveal", question, answer }, before },
      actions: before.actions,
    }),
  };
}

/** The last `window` actions, the reveals after the first of them, and the one directly before it; in order. */
function eventsWithin(seen: Seen, window: number): Event[] {
  const events: Event[] = [];
  for (let at = seen; at.latest !== undefined; at = at.latest.before) {
    if (at.latest.event.kind === "act" && at.actions === seen.actions - window) break;
    events.push(at.latest.event);
  }
  return events.reverse();
}

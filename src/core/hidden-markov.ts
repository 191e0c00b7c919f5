/**
 * @file Hidden Markov models with observed actions and hidden outcomes: belief updates and sampling.
 *
 *     action u, seen               p'(q') = Σ_q p(q) · P(q' | q, u)
 *     question r                   P(answer) = Σ p(q) over the states q that give it
 *     answer, seen                 p'(q) = p(q) / P(answer) where q gives the answer, else 0
 *
 * Source: the forward algorithm of a hidden Markov model whose inputs are seen and whose outputs are exact.
 */

import type { Shares } from "./automata.ts";
import type { Rng } from "./rng.ts";

/** From state q the next one is to[k] with probability[k], for starts[q] <= k < starts[q + 1]. */
export interface Transition {
  readonly starts: Int32Array;
  readonly to: Int32Array;
  readonly probability: Float64Array;
}

/** Questions: answer[q] in 0 .. answers − 1 is the answer in state q. */
export interface Question {
  readonly answers: number;
  readonly answer: Int32Array;
}

export interface Machine {
  readonly states: number;
  readonly start: Shares;
  readonly actions: readonly Transition[];
  readonly questions: readonly Question[];
}

/** An observed event: an action with a hidden outcome, or an answer. */
export type Event =
  | { readonly kind: "act"; readonly action: number }
  | { readonly kind: "reveal"; readonly question: number; readonly answer: number };

/** rows[q] lists the successors of state q; equal successors are merged, impossible ones left out. */
export function transitionMatrix(
  rows: readonly (readonly (readonly [to: number, share: number])[])[],
): Transition {
  const starts = new Int32Array(rows.length + 1);
  const moves = rows.map((row, state) => {
    const shares = new Map<number, number>();
    for (const [to, share] of row) if (share > 0) shares.set(to, (shares.get(to) ?? 0) + share);
    starts[state + 1] = starts[state] + shares.size;
    return [...shares];
  });
  return {
    starts,
    to: Int32Array.from(moves.flat(), ([to]) => to),
    probability: Float64Array.from(moves.flat(), ([, share]) => share),
  };
}

/** The belief after an observed action with a hidden outcome. */
export function afterAction(shares: Shares, { starts, to, probability }: Transition): Float64Array {
  const after = new Float64Array(shares.length);
  for (let state = 0; state < shares.length; state++) {
    const share = shares[state];
    if (share === 0) continue;
    for (let k = starts[state]; k < starts[state + 1]; k++) after[to[k]] += share * probability[k];
  }
  return after;
}

/** The probability of each answer, clipped to 1 against rounding. */
export function answerShares(shares: Shares, { answers, answer }: Question): Float64Array {
  const sums = new Float64Array(answers);
  for (let state = 0; state < shares.length; state++) sums[answer[state]] += shares[state];
  return sums.map((sum) => Math.min(1, sum));
}

/** The belief after an observed answer; NaN everywhere if it was impossible. */
export function afterAnswer(shares: Shares, { answer }: Question, seen: number): Float64Array {
  const after = shares.map((share, state) => (answer[state] === seen ? share : 0));
  const total = after.reduce((sum, share) => sum + share, 0);
  return after.map((share) => share / total);
}

/** Draws the next state. */
export function drawMove({ starts, to, probability }: Transition, state: number, rng: Rng): number {
  const last = starts[state + 1] - 1;
  let left = rng.next();
  let k = starts[state];
  for (; k < last; k++) {
    left -= probability[k];
    if (left < 0) break;
  }
  return to[k];
}

/** Draws a state. */
export function drawState(shares: Shares, rng: Rng): number {
  let left = rng.next();
  let found = 0;
  for (let state = 0; state < shares.length; state++) {
    if (shares[state] === 0) continue;
    found = state;
    left -= shares[state];
    if (left < 0) break;
  }
  return found;
}

/**
 * Draws a path of states z_0 .. z_T, one before each action and one after the last, from its exact law given all the events:
 * forward filtering, backward sampling.
 *
 *     a_t(z) = P(z_t = z | events up to the next action)          draw z_T from a_T
 *     P(z_t = z | z_{t+1}, events) = a_t(z) P(z_{t+1} | z, u_{t+1}) / the same summed over z
 *
 * The joint law of observations and sampled path equals that of observations and true path: P(y) P(z | y) = P(y, z).
 * Source: Carter and Kohn 1994; Scott 2002.
 */
export function samplePath(
  { start, actions, questions }: Machine,
  events: readonly Event[],
  rng: Rng,
): Int32Array {
  const filtered: Shares[] = [];
  const made: Transition[] = [];
  let shares = start;
  for (const event of events) {
    if (event.kind === "reveal") {
      shares = afterAnswer(shares, questions[event.question], event.answer);
      continue;
    }
    filtered.push(shares);
    made.push(actions[event.action]);
    shares = afterAction(shares, actions[event.action]);
  }
  const path = new Int32Array(made.length + 1);
  path[made.length] = drawState(shares, rng);
  for (let t = made.length - 1; t >= 0; t--) {
    const leading = filtered[t].map((share, state) => share * shareOfMove(made[t], state, path[t + 1]));
    const total = leading.reduce((sum, share) => sum + share, 0);
    path[t] = drawState(
      leading.map((share) => share / total),
      rng,
    );
  }
  return path;
}

function shareOfMove({ starts, to, probability }: Transition, from: number, into: number): number {
  for (let k = starts[from]; k < starts[from + 1]; k++) if (to[k] === into) return probability[k];
  return 0;
}

/** The belief after n unobserved actions, each uniformly random, with no observations in between. Memoized. */
export function marginals({ states, start, actions }: Machine): (made: number) => Shares {
  const known: Shares[] = [start];
  return (made) => {
    while (known.length <= made) {
      const before = known[known.length - 1];
      const after = new Float64Array(states);
      for (const action of actions)
        for (const [state, share] of afterAction(before, action).entries())
          after[state] += share / actions.length;
      known.push(after);
    }
    return known[made];
  };
}

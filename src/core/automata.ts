/**
 * @file Finite automata driven by uniformly random inputs: the belief over states when inputs are unobserved.
 *
 *     unseen input     p'(next(q, u)) += p(q) / |U|          for every input u of U
 *     seen input       p'(next(q, u))  = p(q), summed
 *     best guess       max over outputs y of the sum of p(q) where output(q) = y
 *
 * Source: the forward algorithm of a hidden Markov chain, without observations.
 */

export interface Automaton {
  readonly states: number;
  /** U: the inputs that are drawn, all equally likely. */
  readonly inputs: readonly number[];
  next(state: number, input: number): number;
  /** What is asked about a state, as an integer from 0. */
  output(state: number): number;
}

/** Probabilities of the states, one each. */
export type Shares = Readonly<Float64Array>;

export function certainly(state: number, { states }: Automaton): Shares {
  return new Float64Array(states).fill(1, state, state + 1);
}

/** The belief after one more unobserved input. */
export function afterUnseen(shares: Shares, { states, inputs, next }: Automaton): Shares {
  const after = new Float64Array(states);
  for (const [state, share] of shares.entries()) {
    if (share > 0) for (const input of inputs) after[next(state, input)] += share / inputs.length;
  }
  return after;
}

/** The belief after one more observed input. */
export function afterSeen(shares: Shares, input: number, { states, next }: Automaton): Shares {
  const after = new Float64Array(states);
  for (const [state, share] of shares.entries()) after[next(state, input)] += share;
  return after;
}

/** Accuracy of the best guess of the output. */
export function bestGuess(shares: Shares, { output }: Automaton): number {
  const byOutput: number[] = [];
  for (const [state, share] of shares.entries()) {
    const said = output(state);
    byOutput[said] = (byOutput[said] ?? 0) + share;
  }
  return Math.min(1, Math.max(...byOutput.filter((share) => share !== undefined)));
}

/** unseen(n): the belief after n unobserved inputs from `start`. Memoized. */
export function unseenFrom(start: Shares, automaton: Automaton): (inputs: number) => Shares {
  const known = [start];
  return (inputs) => {
    for (let n = known.length; n <= inputs; n++) known.push(afterUnseen(known[n - 1], automaton));
    return known[inputs];
  };
}

/**
 * @file Posteriors before each reveal of an example with hidden random transitions.
 *
 *     exact       given everything above the reveal
 *     windowed    given the last W actions, every reveal after the first of them and the one directly before it; for the
 *                 time before, the distribution after so many unseen actions. The start is visible if fewer than W were made.
 */

import type { Shares } from "../core/automata.ts";
import { afterAction, afterAnswer, answerShares, type Event, type Machine } from "../core/hidden-markov.ts";

/** For each reveal, in order, the probability of each answer before it. */
type Posteriors = Float64Array[];

/** A parsed program: a hidden Markov model, and the observed events. */
export interface Seen {
  readonly machine: Machine;
  readonly events: readonly Event[];
  /** The belief after so many unobserved actions. */
  readonly unseen: (actions: number) => Shares;
}

export function exactPosteriors({ machine, events }: Seen): Posteriors {
  let shares = machine.start;
  return events.flatMap((event) => {
    const told = event.kind === "reveal" ? [answerShares(shares, machine.questions[event.question])] : [];
    shares = after(machine, shares, event);
    return told;
  });
}

export function windowedPosteriors({ machine, events, unseen }: Seen, window: number): Posteriors {
  return events.flatMap((event, at) => {
    if (event.kind !== "reveal") return [];
    const { from, whole } = windowBefore(events, at, window);
    const begin = whole ? machine.start : unseen(actionsIn(events.slice(0, from)));
    const shares = events.slice(from, at).reduce((now, seen) => after(machine, now, seen), begin);
    return [answerShares(shares, machine.questions[event.question])];
  });
}

function after(machine: Machine, shares: Shares, event: Event): Shares {
  return event.kind === "act"
    ? afterAction(shares, machine.actions[event.action])
    : afterAnswer(shares, machine.questions[event.question], event.answer);
}

function actionsIn(events: readonly Event[]): number {
  return events.reduce((count, { kind }) => count + Number(kind === "act"), 0);
}

/** The visible events before `end`, and whether the start is. */
function windowBefore(events: readonly Event[], end: number, window: number) {
  let from = end;
  for (let actions = 0; actions < window; from--) {
    if (from === 0) return { from, whole: true };
    if (events[from - 1].kind === "act") actions++;
  }
  while (from > 0 && events[from - 1].kind === "reveal") from--;
  return { from, whole: false };
}

/** Accuracy of one filter's best guess under another filter's true probabilities; ties count at chance. */
function guessAccuracy(guesser: Float64Array, truth: Float64Array): number {
  const most = Math.max(...guesser) * (1 - 1e-12);
  const guesses = truth.filter((_, answer) => guesser[answer] >= most);
  return Math.min(1, guesses.reduce((sum, share) => sum + share, 0) / guesses.length);
}

/** The references of every report: accuracy of the best guess given everything, and given the last W actions. */
export function guessReferences(read: (text: string) => Seen, window: number) {
  return {
    exactBayes: ({ text }: { readonly text: string }) =>
      exactPosteriors(read(text)).map((shares) => guessAccuracy(shares, shares)),
    windowedBayes: ({ text }: { readonly text: string }) => {
      const seen = read(text);
      const exact = exactPosteriors(seen);
      return windowedPosteriors(seen, window).map((shares, i) => guessAccuracy(shares, exact[i]));
    },
  };
}

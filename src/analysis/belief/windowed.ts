/**
 * @file The windowed filter: exact about what it sees, but it sees only the last W actions.
 *
 *     … reveal  act   reveal  act  act  reveal  act   reveal asked
 *               └ older       └ W = 3 actions are seen, every reveal after the first of them, and the one before it
 *
 * For the time before, it knows how many actions there were and that each was drawn uniformly, and so how likely every state is; it
 * does not know which they were. The start is known as the machine has it.
 */

import type { Shares } from "../../core/automata.ts";
import { answerShares, type Event, type Machine, marginals } from "../../core/hidden-markov.ts";
import { exactFilter } from "./exact.ts";
import type { Filter } from "./filter.ts";

/** All that happened, the latest first. */
export interface Seen {
  readonly latest?: { readonly event: Event; readonly before: Seen };
  readonly actions: number;
}

/** `unseen`: how likely every state is after so many actions before the window. */
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

/**
 * @file The windowed filter: exact about what it sees, but it sees only the last W actions.
 *
 *     … reveal  act   reveal  act  act  reveal  act   reveal asked
 *               └ older       └ W = 3 actions are seen, every reveal behind the first of them, and the one before it
 *
 * Before that every state is held to be equally likely; the start is known only where fewer than W actions were made.
 */

import type { Shares } from "../../math/automata.ts";
import { answerShares, type Event, type Machine } from "../../math/hidden-markov.ts";
import { exactFilter } from "./exact.ts";
import type { Filter } from "./filter.ts";

export interface Seen {
  /** In order; reveals directly before the first action are still in it. */
  readonly events: readonly Event[];
  readonly actions: number;
  /** Whether the start is still seen. */
  readonly whole: boolean;
}

export function windowedFilter(machine: Machine, window: number): Filter<Seen> {
  const exact = exactFilter(machine);
  const anything = new Float64Array(machine.states).fill(1 / machine.states);
  const believed = ({ events, whole }: Seen): Shares =>
    events.reduce(
      (shares, event) =>
        event.kind === "act"
          ? exact.act(shares, event.action)
          : exact.observe(shares, event.question, event.answer),
      whole ? machine.start : anything,
    );
  return {
    start: { events: [], actions: 0, whole: true },
    act: (seen, action) => withoutOldest(seen, { kind: "act", action }, window),
    answers: (seen, question) => answerShares(believed(seen), machine.questions[question]),
    observe: (seen, question, answer) => ({
      ...seen,
      events: [...seen.events, { kind: "reveal", question, answer }],
    }),
  };
}

function withoutOldest({ events, actions, whole }: Seen, added: Event, window: number): Seen {
  const full = actions === window;
  const oldest = full ? events.findIndex(({ kind }) => kind === "act") : -1;
  const kept = events.slice(oldest + 1);
  kept.push(added);
  const made = full ? window : actions + 1;
  // With W actions made the start is out of sight, though none of them is dropped yet.
  return { events: kept, actions: made, whole: whole && made < window };
}

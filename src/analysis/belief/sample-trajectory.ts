/**
 * @file Episodes: a machine runs, its actions are seen, their outcomes are not, and questions are answered truly.
 *
 *     spacing 2      act act reveal act act reveal …        action and question uniform, the outcome by its probability
 */

import { drawMove, drawState, type Event, type Machine } from "../../core/hidden-markov.ts";
import type { Rng } from "../../core/rng.ts";

export interface EpisodePlan {
  /** Times that something is revealed. */
  readonly reveals: number;
  /** Actions before each. */
  readonly spacing: number;
}

export function drawEpisode(machine: Machine, plan: EpisodePlan, rng: Rng): Event[] {
  const { reveals, spacing } = plan;
  const { actions, questions } = machine;
  const events: Event[] = [];
  let state = drawState(machine.start, rng);
  for (let shown = 1; shown <= reveals; shown++) {
    for (let step = 0; step < spacing; step++) {
      const action = rng.below(actions.length);
      events.push({ kind: "act", action });
      state = drawMove(actions[action], state, rng);
    }
    const question = rng.below(questions.length);
    events.push({ kind: "reveal", question, answer: questions[question].answer[state] });
  }
  return events;
}

/**
 * @file Episodes: a machine runs, its actions are seen, their outcomes are not, and questions are answered truly.
 *
 *     spacing 2      act act reveal act act reveal …        action and question uniform, the outcome by its probability
 *     fullEvery 3    every third reveal answers all questions, in order
 */

import { drawMove, drawState, type Event, type Machine } from "../../core/hidden-markov.ts";
import type { Rng } from "../../core/rng.ts";

export interface EpisodePlan {
  /** Times that something is revealed; a full reveal is one of them. */
  readonly reveals: number;
  /** Actions before each. */
  readonly spacing: number;
  /** Every so many reveals one is full; 0 (the default) is never. */
  readonly fullEvery?: number;
}

export function drawEpisode(machine: Machine, plan: EpisodePlan, rng: Rng): Event[] {
  const { reveals, spacing, fullEvery = 0 } = plan;
  const { actions, questions } = machine;
  const events: Event[] = [];
  let state = drawState(machine.start, rng);
  const reveal = (question: number) =>
    events.push({ kind: "reveal", question, answer: questions[question].answer[state] });
  for (let shown = 1; shown <= reveals; shown++) {
    for (let step = 0; step < spacing; step++) {
      const action = rng.below(actions.length);
      events.push({ kind: "act", action });
      state = drawMove(actions[action], state, rng);
    }
    if (fullEvery > 0 && shown % fullEvery === 0) for (const question of questions.keys()) reveal(question);
    else reveal(rng.below(questions.length));
  }
  return events;
}

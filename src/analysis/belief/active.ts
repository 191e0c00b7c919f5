/**
 * @file Active reveals: after every r commands one variable may be shown, and somebody chooses which.
 *
 *     remaining    H(state | all that was seen), right after a reveal, in nats
 *     gain         H before the reveal - H after it; on average the entropy of the answer that was chosen
 *
 * Actions and answers are drawn as they come; the belief is the exact filter's. The first reveals of an episode are dropped, since it
 * begins with a known state. Standard errors are over episodes.
 */

import { type ChooseReveal, entropy, type RevealChoice, revealChoices } from "../../core/active-query.ts";
import { afterAction, afterAnswer, drawMove, drawState, type Machine } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import type { PartsDone } from "../../core/progress.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import { mean } from "../../core/statistics.ts";
import { swapWalk } from "./exact.ts";
import { type Estimate, estimate } from "./score.ts";

export interface ActivePlan {
  readonly variables: number;
  /** p: of each swap. */
  readonly probability: number;
  /** r: commands before each reveal. */
  readonly spacing: number;
  /** Counted reveals; rounded up to whole episodes of 80, at least two. */
  readonly reveals: number;
  readonly seed: number;
  readonly choices: readonly RevealChoice[];
}

export interface ActiveScore {
  readonly choice: RevealChoice;
  readonly remaining: Estimate;
  readonly gain: Estimate;
}

export interface ActiveReveals {
  readonly setting: Omit<ActivePlan, "choices">;
  readonly scores: readonly ActiveScore[];
}

const dropped = 20;
const counted = 80;

/** All choices see the same commands and outcomes. */
export function* activeRevealSteps(plan: ActivePlan): Generator<PartsDone, ActiveReveals> {
  const { choices, ...setting } = plan;
  const { variables, probability, spacing, reveals, seed } = setting;
  const machine = permutationMachine(swapWalk(variables, probability));
  const episodes = Math.max(2, Math.ceil(reveals / counted));
  const rng = rngFrom(seed).fork(`active ${variables} ${probability} ${spacing}`);
  const found = choices.map(() => ({ remaining: [] as number[], gain: [] as number[] }));
  for (let i = 0; i < episodes; i++) {
    for (const [at, choice] of choices.entries()) {
      const told = followActive(machine, spacing, dropped + counted, revealChoices[choice], rng.fork(i));
      const late = told.slice(dropped);
      found[at].remaining.push(mean(late.map(({ after }) => after)));
      found[at].gain.push(mean(late.map(({ before, after }) => before - after)));
    }
    yield { done: i + 1, of: episodes };
  }
  const scores = choices.map((choice, at) => ({
    choice,
    remaining: estimate(found[at].remaining),
    gain: estimate(found[at].gain),
  }));
  return { setting, scores };
}

/** The entropy of the belief before and after each reveal. */
export function followActive(
  { start, actions, questions }: Machine,
  spacing: number,
  reveals: number,
  choose: ChooseReveal,
  rng: Rng,
): { readonly before: number; readonly after: number }[] {
  const [moves, choosing] = [rng.fork("moves"), rng.fork("choices")];
  let state = drawState(start, moves);
  let belief = start;
  return Array.from({ length: reveals }, (_, asked) => {
    for (let step = 0; step < spacing; step++) {
      const action = actions[moves.below(actions.length)];
      state = drawMove(action, state, moves);
      belief = afterAction(belief, action);
    }
    const before = entropy(belief);
    const question = questions[choose({ belief, questions, asked, rng: choosing })];
    belief = afterAnswer(belief, question, question.answer[state]);
    return { before, after: entropy(belief) };
  });
}

/** Nats that remain after a reveal of five variables, by an earlier program of ours; within 0.015. */
export const activeReference: readonly {
  readonly probability: number;
  readonly spacing: number;
  readonly remaining: Readonly<Record<RevealChoice, number>>;
}[] = [
  { probability: 0.5, spacing: 1, remaining: { random: 0.88, "round-robin": 0.725, greedy: 0 } },
  { probability: 0.5, spacing: 2, remaining: { random: 1.584, "round-robin": 1.412, greedy: 0.921 } },
  { probability: 0.5, spacing: 4, remaining: { random: 2.43, "round-robin": 2.379, greedy: 2.197 } },
  { probability: 0.1, spacing: 4, remaining: { random: 1.476, "round-robin": 1.2, greedy: 0.78 } },
];

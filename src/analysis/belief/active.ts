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
import type { Shares } from "../../core/automata.ts";
import {
  afterAction,
  afterAnswer,
  answerShares,
  drawMove,
  drawState,
  type Machine,
} from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import type { PartsDone } from "../../core/progress.ts";
import { noNumbers, type Rng, rngFrom } from "../../core/rng.ts";
import { mean } from "../../core/statistics.ts";
import { swapWalk } from "./filter.ts";
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

/**
 * The best that any choice of reveals can do over a few of them, by expectimax: what remains after the last one, on average
 * over all commands, outcomes and answers, if each question is chosen for the sake of the end.
 *
 *     V_k(b) = mean over the r commands of  min over questions  sum over answers P(answer) V_{k-1}(b after it)        V_0 = H
 *
 * A greedy choice looks one reveal ahead, so V_1 is its own; further on it may be worse than V_k. Commands are seen before the choice.
 */
export function revealBounds(
  machine: Machine,
  spacing: number,
  reveals: number,
): { readonly best: number; readonly greedy: number } {
  return {
    best: remaining(machine, spacing, reveals, machine.start, undefined, new Map()),
    greedy: remaining(machine, spacing, reveals, machine.start, "greedy", new Map()),
  };
}

function remaining(
  machine: Machine,
  spacing: number,
  reveals: number,
  belief: Shares,
  choice: RevealChoice | undefined,
  known: Map<string, number>,
): number {
  if (reveals === 0) return entropy(belief);
  const key = `${reveals} ${Array.from(belief, (share) => share.toFixed(12)).join()}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  let sum = 0;
  const moved = beliefsAfter(machine, spacing, belief);
  for (const after of moved) {
    const worth = (question: number) => {
      let expected = 0;
      for (const [answer, chance] of answerShares(after, machine.questions[question]).entries()) {
        if (chance <= 0) continue;
        const told = afterAnswer(after, machine.questions[question], answer);
        expected += chance * remaining(machine, spacing, reveals - 1, told, choice, known);
      }
      return expected;
    };
    const { questions } = machine;
    sum +=
      choice === undefined
        ? Math.min(...questions.map((_, question) => worth(question)))
        : worth(revealChoices[choice]({ belief: after, questions, asked: 0, rng: noNumbers }));
  }
  known.set(key, sum / moved.length);
  return sum / moved.length;
}

function beliefsAfter({ actions }: Machine, spacing: number, belief: Shares): Shares[] {
  let all: Shares[] = [belief];
  for (let step = 0; step < spacing; step++)
    all = all.flatMap((each) => actions.map((action) => afterAction(each, action)));
  return all;
}

/**
 * @file The best that any choice of reveals can do over a few of them, by expectimax: what remains after the last one, on average
 * over all commands, outcomes and answers, if each question is chosen for the sake of the end.
 *
 *     V_k(b) = mean over the r commands of  min over questions  sum over answers P(answer) V_{k-1}(b after it)        V_0 = H
 *
 * A greedy choice looks one reveal ahead, so V_1 is its own; further on it may be worse than V_k. Commands are seen before the choice.
 */

import { entropy, type RevealChoice, revealChoices } from "../../core/active-query.ts";
import type { Shares } from "../../core/automata.ts";
import { afterAction, afterAnswer, answerShares, type Machine } from "../../core/hidden-markov.ts";
import { noNumbers } from "../../core/rng.ts";

/** What remains after so many reveals: the least that can be, and by a greedy choice; from the known start. */
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

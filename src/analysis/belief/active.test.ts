import { expect, test } from "vitest";
import { entropy, expectedInformation, revealChoices } from "../../core/active-query.ts";
import { afterAction, afterAnswer } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import { noNumbers, rngFrom } from "../../core/rng.ts";
import { activeReference, activeRevealSteps, revealBounds, swapWalk } from "./index.ts";

const choices = ["random", "round-robin", "greedy"] as const;

function measuredAt(probability: number, spacing: number, reveals: number) {
  const steps = activeRevealSteps({ variables: 5, probability, spacing, reveals, seed: 1, choices });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

test.each(activeReference)(
  "five variables, p $probability, r $spacing: what remains is what an earlier program found",
  ({ probability, spacing, remaining }) => {
    for (const { choice, remaining: left } of measuredAt(probability, spacing, 1600).scores) {
      const error = Math.hypot(left.standardError, 0.015);
      expect(Math.abs(left.mean - remaining[choice]), choice).toBeLessThan(4 * error);
    }
  },
);

test("after every command asking for one of the two that were maybe swapped tells ln 2 and leaves nothing", () => {
  const [, , greedy] = measuredAt(0.5, 1, 160).scores;
  expect(greedy.remaining.mean).toBe(0);
  expect(greedy.gain.mean).toBeCloseTo(Math.LN2, 12);
});

test("the information of a question is the entropy that its answer takes away, on average over answers", () => {
  const { start, actions, questions } = permutationMachine(swapWalk(4, 0.3));
  const belief = [0, 3, 5, 1].reduce((shares, at) => afterAction(shares, actions[at]), start);
  for (const question of questions) {
    let after = 0;
    for (let answer = 0; answer < question.answers; answer++) {
      const chance = belief.reduce((sum, share, q) => sum + (question.answer[q] === answer ? share : 0), 0);
      if (chance > 0) after += chance * entropy(afterAnswer(belief, question, answer));
    }
    expect(expectedInformation(belief, question)).toBeCloseTo(entropy(belief) - after, 12);
  }
  const most = questions.map((question) => expectedInformation(belief, question));
  const chosen = revealChoices.greedy({ belief, questions, asked: 0, rng: noNumbers });
  expect(most[chosen]).toBe(Math.max(...most));
  expect(revealChoices["round-robin"]({ belief, questions, asked: 6, rng: rngFrom(1) })).toBe(2);
});

/** Every sequence of commands and every answer, without any memory, for one and two reveals. */
test("expectimax is the least over all ways to choose, which a listing of ways finds too", () => {
  const machine = permutationMachine(swapWalk(3, 0.3));
  const { actions, questions, start } = machine;
  const after = (belief: ArrayLike<number>, at: number) =>
    afterAction(Float64Array.from(belief), actions[at]);
  const least = (belief: Float64Array, left: number): number => {
    if (left === 0) return entropy(belief);
    let sum = 0;
    for (const at of actions.keys()) {
      const moved = after(belief, at);
      const ways = questions.map((question) =>
        [0, 1, 2].reduce((total, answer) => {
          const chance = moved.reduce(
            (all, share, q) => all + (question.answer[q] === answer ? share : 0),
            0,
          );
          return chance === 0
            ? total
            : total + chance * least(Float64Array.from(afterAnswer(moved, question, answer)), left - 1);
        }, 0),
      );
      sum += Math.min(...ways) / actions.length;
    }
    return sum;
  };
  for (const reveals of [1, 2]) {
    const { best, greedy } = revealBounds(machine, 1, reveals);
    expect(best).toBeCloseTo(least(Float64Array.from(start), reveals), 10);
    expect(greedy).toBeGreaterThanOrEqual(best - 1e-12);
  }
  expect(revealBounds(permutationMachine(swapWalk(3, 0.3)), 2, 1).best).toBeGreaterThan(0);
});

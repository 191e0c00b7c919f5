/**
 * @file The entropy rate of the reveals between two bounds, by listing everything that can happen.
 *
 *     H_k = mean over what is seen (commands, questions) of −Σ P(answers) ln P(answers)       k reveals
 *     H_k − H_{k−1} from a known start  ≤  entropy rate  ≤  H_k − H_{k−1} from a uniform start
 *
 * Every hidden choice is a separate path and no belief is ever updated, so that the method is independent of
 * the filters. The number of paths is (commands^spacing · n · 2^spacing)^k · n!: for 3 variables and few reveals.
 *
 * Source: the bounds are Theorem 4.5.1 of Cover and Thomas 2006, Elements of Information Theory.
 */

import type { PermutationWalk } from "../../core/permutation-walk.ts";
import { allPermutations, apply } from "../../core/permutations.ts";

export interface EntropyBounds {
  /** Reveals in the longest block. */
  readonly reveals: number;
  readonly lower: number;
  readonly upper: number;
}

export function entropyRateBounds(
  walk: Omit<PermutationWalk, "start">,
  spacing: number,
  reveals: number,
): EntropyBounds {
  const step = (start: PermutationWalk["start"]) => {
    const walked = { ...walk, start };
    return blockEntropy(walked, spacing, reveals) - blockEntropy(walked, spacing, reveals - 1);
  };
  return { reveals, lower: step("known"), upper: step("uniform") };
}

interface Path {
  readonly values: readonly number[];
  readonly probability: number;
  /** The answers so far, as digits to the base n. */
  readonly answers: number;
}

/** H_k in nats. */
export function blockEntropy(walk: PermutationWalk, spacing: number, reveals: number): number {
  const n = walk.variables;
  const orders = walk.start === "uniform" ? allPermutations(n) : [Array.from({ length: n }, (_, i) => i)];
  const begun = orders.map((values) => ({ values, probability: 1 / orders.length, answers: 0 }));
  const afterActions = (
    paths: readonly Path[],
    left: number,
    then: (paths: readonly Path[]) => number,
  ): number =>
    left === 0
      ? then(paths)
      : meanOver(walk.commands, (command) => {
          const next: Path[] = [];
          for (const { values, probability, answers } of paths) {
            for (const outcome of command) {
              const moved = apply(outcome.permutation, values);
              next.push({ values: moved, probability: probability * outcome.probability, answers });
            }
          }
          return afterActions(next, left - 1, then);
        });
  const afterReveals = (paths: readonly Path[], left: number): number =>
    left === 0
      ? entropyOf(paths)
      : afterActions(paths, spacing, (moved) =>
          meanOver(
            Array.from({ length: n }, (_, variable) => variable),
            (variable) =>
              afterReveals(
                moved.map(({ values, probability, answers }) => ({
                  values,
                  probability,
                  answers: answers * n + values[variable],
                })),
                left - 1,
              ),
          ),
        );
  return afterReveals(begun, reveals);
}

function entropyOf(paths: readonly Path[]): number {
  const shares = new Map<number, number>();
  for (const { answers, probability } of paths) {
    shares.set(answers, (shares.get(answers) ?? 0) + probability);
  }
  return [...shares.values()].reduce((sum, share) => sum - share * Math.log(share), 0);
}

function meanOver<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / items.length;
}

/**
 * @file A witness for the filters: every hidden choice of a short sequence is a separate path, and paths that
 * contradict an answer are dropped. No belief is ever updated.
 */

import type { Event } from "../../core/hidden-markov.ts";
import { indexPairs, maybeSwap, type PermutationWalk, swapPermutation } from "../../core/permutation-walk.ts";

export interface Path {
  readonly values: readonly number[];
  readonly probability: number;
}

export function allOrders(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) =>
    allOrders(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

/** The paths that agree with every answer; their probabilities sum to that of the answers. */
export function pathsThrough(
  { variables, commands, start }: PermutationWalk,
  events: readonly Event[],
): Path[] {
  const known = Array.from({ length: variables }, (_, i) => i);
  const orders = start === "known" ? [known] : allOrders(known);
  let paths: Path[] = orders.map((values) => ({ values, probability: 1 / orders.length }));
  for (const event of events) paths = pathsAfter(commands, paths, event);
  return paths;
}

export function pathsAfter(
  commands: PermutationWalk["commands"],
  paths: readonly Path[],
  event: Event,
): Path[] {
  if (event.kind === "reveal") return paths.filter(({ values }) => values[event.question] === event.answer);
  return paths.flatMap((path) =>
    commands[event.action].map(({ permutation, probability }) => ({
      values: permutation.map((from) => path.values[from]),
      probability: path.probability * probability,
    })),
  );
}

export function massOfPaths(paths: readonly Path[]): number {
  return paths.reduce((sum, { probability }) => sum + probability, 0);
}

/** P(variable has value), for each value. */
export function sharesOfPaths(paths: readonly Path[], variable: number, n: number): number[] {
  const mass = massOfPaths(paths);
  return Array.from({ length: n }, (_, value) => {
    const agreeing = paths.filter(({ values }) => values[variable] === value);
    return massOfPaths(agreeing) / mass;
  });
}

/** Maybe-swaps of all pairs, one either-or of two swaps, and one unobserved swap of a pair. */
export function mixedWalk(
  variables: number,
  start: PermutationWalk["start"],
  probability: number,
): PermutationWalk {
  const pairs = indexPairs(variables);
  const [first, last] = [pairs[0], pairs[pairs.length - 1]];
  return {
    variables,
    start,
    commands: [
      ...pairs.map(([i, j]) => maybeSwap(variables, i, j, probability)),
      [
        { permutation: swapPermutation(variables, ...first), probability },
        { permutation: swapPermutation(variables, ...last), probability: 1 - probability },
      ],
      pairs.map(([i, j]) => ({
        permutation: swapPermutation(variables, i, j),
        probability: 1 / pairs.length,
      })),
    ],
  };
}

/**
 * @file Permutations as arrays: p[i] is where position i takes its value from.
 *
 *     apply([2, 0, 1], ["x", "y", "z"]) = ["z", "x", "y"]        the command a, b, c = c, a, b
 *     apply(compose(p, q), v) = apply(q, apply(p, v))            first p, then q
 */

import type { Rng } from "./rng.ts";

export type Permutation = readonly number[];

/** The values after the command: position i takes the value of position p[i]. */
export function apply<T>(p: Permutation, values: readonly T[]): T[] {
  return p.map((from) => values[from]);
}

/** The command that does p, then q. */
export function compose(p: Permutation, q: Permutation): number[] {
  return q.map((from) => p[from]);
}

/** The command that undoes p. */
export function invert(p: Permutation): number[] {
  const inverse = new Array<number>(p.length);
  for (const [i, from] of p.entries()) inverse[from] = i;
  return inverse;
}

/** 0 if p is a product of an even number of swaps, 1 if odd: n minus the number of cycles, mod 2. */
export function parity(p: Permutation): 0 | 1 {
  const seen = new Array<boolean>(p.length).fill(false);
  let odd = false;
  for (let start = 0; start < p.length; start++) {
    for (let at = p[start]; !seen[start] && at !== start; at = p[at]) {
      seen[at] = true;
      odd = !odd;
    }
    seen[start] = true;
  }
  return odd ? 1 : 0;
}

/** All n! permutations in lexicographic order. */
export function allPermutations(n: number): number[][] {
  if (n === 0) return [[]];
  const shorter = allPermutations(n - 1);
  return Array.from({ length: n }, (_, first) =>
    shorter.map((rest) => [first, ...rest.map((i) => (i < first ? i : i + 1))]),
  ).flat();
}

/** Puts the items into a uniformly random order, in place (Fisher and Yates). */
export function shuffle<Item>(items: { [index: number]: Item; readonly length: number }, rng: Rng): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    const kept = items[last];
    items[last] = items[other];
    items[other] = kept;
  }
}

/** A uniformly shuffled copy. */
export function shuffled<Item>(items: readonly Item[], rng: Rng): Item[] {
  const order = [...items];
  shuffle(order, rng);
  return order;
}

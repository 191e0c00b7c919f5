/**
 * @file Draws without repetition: the first steps of a shuffle that moves nothing else.
 *
 *     distinct(rng, 3, 512)     [407, 12, 88]
 */

import type { Rng } from "../core/rng.ts";

/** `count` different integers below `most`, every order equally likely. */
export function distinct(rng: Rng, count: number, most: number): number[] {
  const moved = new Map<number, number>();
  return Array.from({ length: count }, (_, i) => {
    const from = i + rng.below(most - i);
    const drawn = moved.get(from) ?? from;
    moved.set(from, moved.get(i) ?? i);
    return drawn;
  });
}

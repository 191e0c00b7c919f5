/** @file The walk of the tables: n variables, and for every pair a command that swaps it with probability p, unseen. */

import { maybeSwap, type PermutationWalk, pairsOf } from "../../core/permutation-walk.ts";

export function swapWalk(variables: number, probability: number): PermutationWalk {
  const commands = pairsOf(variables).map(([i, j]) => maybeSwap(variables, i, j, probability));
  return { variables, commands, start: "known" };
}

/**
 * @file The tasks with constructions, as automata over their words.
 *
 *     parity         words 0 1           next(q, w) = q + w mod 2
 *     group-words    words <s> [123] ..  next(q, <s>) = q, next(q, 1 + g) = q g
 */

import { groupNamed } from "../../core/groups.ts";
import type { Construction } from "./construction.ts";

interface WordAutomaton {
  readonly states: number;
  /** Words of the vocabulary. */
  readonly words: number;
  /** Words that move the state; the others leave it. */
  readonly moving: readonly number[];
  readonly next: (state: number, word: number) => number;
  /** The answer word of a state. */
  readonly wordOf: (state: number) => number;
}

/** The first state is 0. */
export function taskAutomaton({ name, group, generators }: Construction["task"]): WordAutomaton {
  if (name === "parity")
    return {
      states: 2,
      words: 2,
      moving: [0, 1],
      next: (state, word) => state ^ word,
      wordOf: (state) => state,
    };
  const { order, swaps, multiply } = groupNamed(String(group))!; // the callers name what is there
  const drawn = generators === "swaps" ? swaps : Array.from({ length: order }, (_, g) => g);
  return {
    states: order,
    words: 1 + order,
    moving: drawn.map((g) => 1 + g),
    next: (state, word) => (word === 0 ? state : multiply(state, word - 1)),
    wordOf: (state) => 1 + state,
  };
}

/** Tasks that fit into 32 units, one for each pair of a state and a word. */
export const constructedTasks: readonly Construction["task"][] = [
  { name: "parity" },
  { name: "group-words", group: "Z_3" },
  { name: "group-words", group: "S_3", generators: "swaps" },
];

/**
 * @file Tomita's seven languages of strings of 0 and 1, as automata.
 *
 *     4, no 000     states 0 .. 3: how many 0s stand at the end, 3 where there was a 000; accepted are 0, 1, 2
 *
 * Source: Tomita 1982, Dynamic construction of finite automata from examples; the seven as in Weiss et al. 2018, arXiv:1711.09576.
 */

/** Over the symbols 0 and 1. */
export interface StringAutomaton {
  /** Description for people and language models. */
  readonly words: string;
  /** next[state]: after a 0, after a 1. The first state is 0. */
  readonly next: readonly (readonly [number, number])[];
  readonly accepts: readonly number[];
}

/** Each is minimal (src/tasks/tomita.test.ts). */
export const tomitaLanguages: readonly StringAutomaton[] = [
  {
    words: "it has no 0",
    next: [
      [1, 0],
      [1, 1],
    ],
    accepts: [0],
  },
  {
    words: "it is 10 any number of times",
    next: [
      [2, 1],
      [0, 2],
      [2, 2],
    ],
    accepts: [0],
  },
  {
    words: "no run of an odd number of 1s is followed by a run of an odd number of 0s",
    // Alive with no pending run; an odd run of 1s; an odd run of 0s after it; an even one; dead.
    next: [
      [0, 1],
      [2, 0],
      [3, 4],
      [2, 1],
      [4, 4],
    ],
    accepts: [0, 1, 3],
  },
  {
    words: "it has no 000",
    next: [
      [1, 0],
      [2, 0],
      [3, 0],
      [3, 3],
    ],
    accepts: [0, 1, 2],
  },
  {
    words: "it has an even number of 0s and an even number of 1s",
    next: [
      [1, 2],
      [0, 3],
      [3, 0],
      [2, 1],
    ],
    accepts: [0],
  },
  {
    words: "the number of its 0s and that of its 1s are the same modulo 3",
    next: [
      [1, 2],
      [2, 0],
      [0, 1],
    ],
    accepts: [0],
  },
  {
    words: "it is 0s, then 1s, then 0s, then 1s, any number of each, also none",
    next: [
      [0, 1],
      [2, 1],
      [2, 3],
      [4, 3],
      [4, 4],
    ],
    accepts: [0, 1, 2, 3],
  },
];

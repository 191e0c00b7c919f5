/**
 * @file Tomita's languages: is the string so far in the language?
 *
 *     language 4, no 000     written    1  0  0  0  1
 *     (targets each)         asked       1  1  1  0  0      after each symbol
 *
 *     1  1*                                            5  even numbers of 0s and of 1s
 *     2  (10)*                                         6  as many 0s as 1s, modulo 3
 *     3  no odd run of 1s before an odd run of 0s     7  0*1*0*1*
 *     4  no 000
 *
 * Half of the strings are drawn uniformly from those that can still be completed to one of the language (by counting paths); the other
 * half from all strings: otherwise the answer of 1, 2, 3 and 7 would soon always be no.
 *
 * References: `exactBayes` sees all. `counting` knows only the length of the string.
 *
 * Source: Tomita 1982, Dynamic construction of finite automata from examples; the seven as in Weiss et al. 2018, arXiv:1711.09576.
 */

import { z } from "zod";
import { type StringAutomaton, tomitaLanguages } from "../core/tomita-languages.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared } from "./task.ts";
import { stateAfter } from "./task-prompt.ts";

export const TomitaParams = z.strictObject({
  language: z
    .union([1, 2, 3, 4, 5, 6, 7].map((each) => z.literal(each)))
    .default(5)
    .describe("Number of the language"),
  length: Length.default([1, 40]).describe("Symbols per string"),
  targets: z.enum(["last", "each"]).default("each").describe("Asks after each symbol, or after the last"),
});
export type TomitaParams = z.infer<typeof TomitaParams>;

export const tomita = defineTask<TomitaParams>({
  name: "tomita",
  summary: "strings of 0 and 1: is the string so far in the language?",
  source: "Tomita 1982, arXiv:1711.09576",
  params: TomitaParams,
  prepare: prepareTomita,
  ask: ({ language }) =>
    stateAfter(
      `Below are strings of 0 and 1. ?? stands for 1 where ${tomitaLanguages[language - 1].words}, and for 0 where not`,
      ["0", "1"],
    ),
});

function prepareTomita({ language, length, targets }: TomitaParams): Prepared {
  const automaton = tomitaLanguages[language - 1];
  const { next, accepts } = automaton;
  const range = lengthRange(length, "tomita");
  const completions = pathsToLive(automaton, range.most);
  const member = new Int32Array(1);
  return {
    words: ["0", "1"],
    variables: ["member"],
    values: ["0", "1"],
    asks: "states",
    maximumWords: range.most,
    maximumStates: range.most + 1, // one before the first symbol
    maximumCharacters: range.most,
    automaton: {
      ...{ letters: ["0", "1"], start: 0, next },
      output: next.map((_, state) => Number(accepts.includes(state))),
    },
    write(rng, sink) {
      const symbols = drawLength(range, rng);
      const isGuided = rng.below(2) === 1;
      let state = 0;
      const say = () => {
        member[0] = Number(accepts.includes(state));
        sink.state(member);
      };
      say();
      for (let at = 1; at <= symbols; at++) {
        const left = completions[symbols - at];
        const [zero, one] = next[state].map((after) => left[after]);
        const symbol = isGuided ? Number(rng.next() * (zero + one) >= zero) : rng.below(2);
        sink.word(symbol);
        state = next[state][symbol];
        say();
        if (targets === "each" || at === symbols) sink.target(0, member[0]);
      }
    },
    references: {
      exactBayes: ({ reveals }) => reveals.map(() => 1),
      counting: ({ reveals }) => {
        const symbols = reveals.at(-1)!.commands; // may exceed the training length
        const paths = symbols < completions.length ? completions : pathsToLive(automaton, symbols);
        const shares = memberShares(automaton, symbols, paths);
        return reveals.map(({ commands }) => Math.max(shares[commands], 1 - shares[commands]));
      },
    },
  };
}

/** Whether a string of the language is reachable from each state. */
function liveStates({ next, accepts }: StringAutomaton): boolean[] {
  const live = next.map((_, state) => accepts.includes(state));
  for (const _ of next)
    for (const [state, after] of next.entries()) live[state] ||= after.some((each) => live[each]);
  return live;
}

/** [k][state]: the share of the 2^k strings of k symbols from there that end in a live state. */
function pathsToLive(automaton: StringAutomaton, most: number): number[][] {
  const shares = [liveStates(automaton).map(Number)];
  for (let k = 1; k <= most; k++) {
    const before = shares[k - 1];
    shares.push(automaton.next.map(([zero, one]) => (before[zero] + before[one]) / 2));
  }
  return shares;
}

/** [k]: probability that the first k of `symbols` symbols are in the language. */
function memberShares(
  { next, accepts }: StringAutomaton,
  symbols: number,
  completions: readonly number[][],
): number[] {
  const half = (guided: boolean) => {
    let shares = next.map((_, state) => Number(state === 0));
    const found = [shares];
    for (let at = 1; at <= symbols; at++) {
      const after = next.map(() => 0);
      const left = completions[symbols - at];
      for (const [state, share] of shares.entries()) {
        const [zero, one] = next[state];
        if (share === 0) continue;
        const first = guided ? left[zero] / (left[zero] + left[one]) : 1 / 2;
        after[zero] += share * first;
        after[one] += share * (1 - first);
      }
      shares = after;
      found.push(shares);
    }
    return found.map((each) => accepts.reduce((sum, state) => sum + each[state], 0));
  };
  const [guided, free] = [half(true), half(false)];
  return guided.map((share, k) => (share + free[k]) / 2);
}

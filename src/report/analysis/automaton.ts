/** @file The page's part on the extracted automaton: its table, and whether it is the true one. */

import type { AnalysisDocument } from "../../analysis/document.ts";
import { counted, integer, listed, percentSign } from "../../math/format.ts";
import type { AnalysisPart } from "./part.ts";

const MOST_ROWS = 24;
const MOST_COLUMNS = 8;

export function automatonPart({ automaton }: AnalysisDocument): AnalysisPart | undefined {
  if (automaton === undefined) return undefined;
  const { letters, machine, states, trueStates, equivalent, counterexample, words, consistency, clusters } =
    automaton;
  const shown = letters.slice(0, MOST_COLUMNS);
  const nameOf = (state: number) => (state === 0 ? "start" : `q${state}`);
  const word = counterexample === undefined ? "" : listed(counterexample.map((each) => `"${each.trim()}"`));
  return {
    heading: "The automaton that it behaves like",
    how: [
      `Hidden states of the last layer, at the end of each command, were put into ${counted(clusters, "cluster")} (k-means); each cluster goes where most of its members go, and says what the model most often answers there. States that no word tells apart were then made one.`,
    ],
    figures: {},
    caption: "",
    table: {
      columns: [
        "state",
        "answers",
        ...shown.map((letter) => `on ${letter.trim()}`),
        ...(letters.length > shown.length ? ["\u2026"] : []),
      ],
      rows: machine.next
        .slice(0, MOST_ROWS)
        .map((row, state) => [
          nameOf(state),
          machine.output[state] === "" ? "\u2013" : machine.output[state]!,
          ...row.slice(0, MOST_COLUMNS).map(nameOf),
          ...(letters.length > shown.length ? ["\u2026"] : []),
        ]),
    },
    meaning: [
      equivalent
        ? `The minimal automaton has ${counted(states, "state")} besides the start, and is the true one: on no word of any length do the two say different things (product construction). Run on all ${integer(words.words)} words of up to ${counted(words.length, "letter")}, they agree on each.`
        : `The minimal automaton has ${counted(states, "state")} besides the start, the true one ${trueStates}. They differ: first ${word === "" ? "at the start" : `on the word ${word}`}. On all ${integer(words.words)} words of up to ${counted(words.length, "letter")} they agree in ${percentSign(words.agreeing / words.words)}.`,
      `State collapse ${automaton.collapse.toFixed(3)}: the distance of hidden states of one true state over that of different ones; 0 is one point a state, 1 no order at all.`,
    ],
    caution: `The table describes ${percentSign(consistency)} of the steps that were seen. It says nothing about words longer than those programs, on which the model itself may go astray.`,
  };
}

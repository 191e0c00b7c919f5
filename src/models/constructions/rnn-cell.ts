/**
 * @file An automaton in a nonlinear cell, with hand-set weights: one unit for each pair of a state and a word that moves it, 1 if the
 * cell was in that state and reads that word, else -1. tanh saturates to either in float32, forever.
 *
 *     pre(q, w) = [state is q] + K ([word is w] - 1)      [state is q] = 1 or -1, of the units (p, v) with next(p, v) = q:
 *     their sum + their number - 1, as one of all units is 1
 *
 * An additional unit is 1 after each word that moves the state: if it is not, at the start or after <s>, the state is 0.
 * Columns of the width: [constant, a column for each word, a column for each state].
 */

import type { Rows } from "../naive.ts";
import { type Construction, normFactor, sparse } from "./construction.ts";
import { taskAutomaton } from "./task-automaton.ts";

/** tanh of it is 1 in float32. */
const STEEP = 20;
/** sigmoid of it is 1 in float32, of its negative 0. */
const OPEN = 40;

interface Units {
  readonly used: number;
  /** Input weights from the normalized word; recurrent weights between units; biases. */
  readonly input: Rows;
  readonly recurrent: Rows;
  readonly bias: readonly number[];
}

/** The placement of the units in a cell's parameters, and the factor by which its h is below 1. */
interface CellKind {
  readonly parameters: (units: Units, d: number) => Readonly<Record<string, Rows>>;
  readonly factor: (used: number, d: number) => number;
  /** The same for the output, if that differs. */
  readonly readFactor?: (used: number, d: number) => number;
  /** Independent heads: all units are in the first. */
  readonly heads?: number;
}

export function constructCell(
  task: Construction["task"],
  { parameters, factor, readFactor = factor, heads = 1 }: CellKind,
): Construction["set"] {
  return (d) => {
    const { states, words, moving, next, wordOf } = taskAutomaton(task);
    const units = Array.from({ length: states }, (_, state) => state).flatMap((state) =>
      moving.map((word) => ({ state, word, after: next(state, word) })),
    );
    const [started, used] = [units.length, units.length + 1];
    const stateAt = (state: number) => 1 + moving.length + state;
    if (used > d / heads || stateAt(states) > d)
      throw new Error(`width ${d} in ${heads} is less than ${used} units need`);
    const before = (state: number) => units.filter(({ after }) => after === state).length;
    const most = Math.max(...units.map(({ state }) => before(state)));
    const one = normFactor(Math.SQRT2, d);
    const size = factor(used, d);

    const embedding = sparse(words, d);
    for (let word = 0; word < words; word++) {
      embedding.at(word, 0, moving.includes(word) ? 1 : Math.SQRT2);
      if (moving.includes(word)) embedding.at(word, 1 + moving.indexOf(word), 1);
    }
    const [input, recurrent] = [sparse(d, d), sparse(d, d)];
    const bias = new Array<number>(d).fill(0);
    for (const [unit, { state, word }] of units.entries()) {
      const fresh = state === 0 ? 1 : -most - 1; // applies when no word has moved the state
      input.at(1 + moving.indexOf(word), unit, (STEEP * (most + 2)) / one);
      bias[unit] = STEEP * (before(state) - 1 + fresh - (most + 2));
      for (const [from, { after }] of units.entries())
        if (after === state) recurrent.at(from, unit, STEEP / size);
      recurrent.at(started, unit, (-STEEP * fresh) / size);
    }
    for (let column = 0; column < moving.length; column++) input.at(1 + column, started, (2 * STEEP) / one);
    bias[started] = -STEEP;

    const [out, head] = [sparse(d, d), sparse(d, words)];
    for (const [unit, { after }] of units.entries()) out.at(unit, stateAt(after), 1 / readFactor(used, d));
    const constants = new Array<number>(words).fill(0);
    for (let state = 0; state < states; state++) {
      head.at(stateAt(state), wordOf(state), 1);
      constants[wordOf(state)] += before(state); // with it 2 for the current state, 0 for all others
    }
    for (const [word, each] of constants.entries()) head.at(0, word, each);
    const cell = { used, input: input.weight, recurrent: recurrent.weight, bias };
    const mixer = { ...parameters(cell, d), out: out.weight };
    return {
      embedding: embedding.weight,
      head: head.weight,
      ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
    };
  };
}

/** The weight of several gates, one of which has the units: its columns at `place`, zeros elsewhere. */
const among = (weight: Rows, gates: number, place: number): Rows =>
  weight.map((row) => Array.from({ length: gates }, (_, i) => (i === place ? row : row.map(() => 0))).flat());

const biases = (d: number, gates: readonly (number | readonly number[])[]): Rows => [
  gates.flatMap((gate) => (typeof gate === "number" ? new Array<number>(d).fill(gate) : gate)),
];

export const elmanCell: CellKind = {
  parameters: ({ input, recurrent, bias }) => ({ input, recurrent, bias: [bias] }),
  factor: () => 1,
};

/** r = 1, z = 0. */
export const gruCell: CellKind = {
  parameters: ({ input, recurrent, bias }, d) => ({
    input: among(input, 3, 2),
    recurrent: among(recurrent, 3, 2),
    bias: biases(d, [OPEN, -OPEN, bias]),
  }),
  factor: () => 1,
};

/** i = o = 1, f = 0: h = tanh(tanh(pre)). */
export const lstmCell: CellKind = {
  parameters: ({ input, recurrent, bias }, d) => ({
    input: among(input, 4, 3),
    recurrent: among(recurrent, 4, 3),
    bias: biases(d, [OPEN, -OPEN, OPEN, bias]),
  }),
  factor: () => Math.tanh(1),
};

/** i = o = 1, f = 0: h = tanh(pre), normalized within the head before the output. */
export const slstmCell: CellKind = {
  heads: 2,
  parameters: ({ input, recurrent, bias }, d) => ({
    input: among(input, 4, 2),
    recurrent: among(
      recurrent.map((row) => row.slice(0, d / 2)),
      4,
      2,
    ),
    bias: biases(d, [0, -OPEN, bias, OPEN]),
  }),
  factor: () => 1,
  readFactor: (used, d) => Math.sqrt(d / 2 / used),
};

/*
 * An automaton in a state-regularized GRU, with hand-set weights: the units above, and their possible vectors as
 * centroids.
 *
 *     units     1 if the cell was in that state and reads that word, else -1; one more after each word that moves the state
 *     centroid  one for each pair of a state and a word: that unit and the last one 1, the others -1; and one before any such word
 *
 * Two centroids differ in two units or more, so a mixture at a small temperature equals one of them in float32.
 */

/** e to the -4 / it is 0 in float32. */
const TEMPERATURE = 0.02;

export function constructCentroids(task: Construction["task"]): Construction {
  const { states, moving } = taskAutomaton(task);
  const pairs = states * moving.length;
  return {
    task,
    config: { centroids: pairs + 1, temperature: TEMPERATURE },
    set: (d) => ({
      ...constructCell(task, gruCell)(d),
      "layers.0.mixer.centroids": Array.from({ length: pairs + 1 }, (_, own) =>
        Array.from({ length: d }, (_, unit) => {
          if (unit > pairs) return 0;
          return own < pairs && (unit === own || unit === pairs) ? 1 : -1;
        }),
      ),
    }),
  };
}
